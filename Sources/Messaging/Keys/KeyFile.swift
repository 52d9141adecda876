import CPosix
import Files
import FoundationEssentials
import Glibc

/// A farm's key in a file: its name, its role, and its public or both halves.
///
/// ```
/// cutroom-key 1
/// name: studio-3
/// role: node
/// public: Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
/// secret: D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs
/// ```
public struct KeyFile: Hashable, Sendable {
    public enum Role: String, Sendable, CaseIterable {
        /// A machine that runs jobs.
        case node
        /// A user that submits renders.
        case submitter
        /// A user that submits renders, and manages those of all users.
        case admin
        /// The server itself.
        case server
    }

    /// A problem with a key's file, as a sentence.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
        /// Whether the file does not exist.
        public let isMissing: Bool

        public init(_ description: String, isMissing: Bool = false) {
            (self.description, self.isMissing) = (description, isMissing)
        }
    }

    public let name: String
    public let role: Role
    public let publicKey: PublicKey
    /// The key pair; nil in a file of the public half.
    public let pair: KeyPair?

    /// Makes a new key.
    public init(name: String, role: Role) throws {
        if let problem = Self.problem(withName: name) { throw Problem(problem) }
        let pair = try KeyPair()
        (self.name, self.role, self.pair, publicKey) = (name, role, pair, pair.publicKey)
    }

    /// The same key without its secret.
    public var withoutSecret: KeyFile { KeyFile(name, role, publicKey, nil) }

    private init(_ name: String, _ role: Role, _ publicKey: PublicKey, _ pair: KeyPair?) {
        (self.name, self.role, self.publicKey, self.pair) = (name, role, publicKey, pair)
    }

    private static let longestName = 64
    private static let opening = "cutroom-key 1"
    private static let longestFile = 4096

    /// Returns why a name is invalid, as a sentence; nil for a valid one. Names become parts of
    /// paths and of workers' names.
    public static func problem(withName name: String) -> String? {
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        let isFine = isPlain && (1...longestName).contains(name.utf8.count) && !".-".contains(name.prefix(1))
        return isFine
            ? nil
            : "‘\(name)’ is not a valid key name: use 1 to \(longestName) letters, digits, ‘-’, ‘_’ and ‘.’, and begin with a letter, a digit or ‘_’."
    }

    // MARK: Text

    public var text: String {
        var lines = [Self.opening, "name: \(name)", "role: \(role.rawValue)", "public: \(publicKey)"]
        if let pair { lines.append("secret: \(pair.secret)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses a key.
    /// - Parameter place: the file, for messages.
    public init(text: String, from place: String) throws(Problem) {
        func problem(_ what: String) -> Problem { Problem("‘\(place)’ is not a farm key: \(what).") }
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first == Self.opening else { throw problem("its first line is not ‘\(Self.opening)’") }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw problem("the line ‘\(line)’ has no colon") }
            fields[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        guard let name = fields["name"] else { throw problem("it has no line ‘name:’") }
        if let reason = Self.problem(withName: name) { throw Problem("‘\(place)’: \(reason)") }
        guard let role = fields["role"].flatMap(Role.init) else {
            throw problem("its role is not one of \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let key = fields["public"].flatMap(PublicKey.init) else { throw problem("it has no public key") }
        var pair: KeyPair?
        if let secret = fields["secret"] {
            pair = KeyPair(secret: secret)
            guard pair?.publicKey == key else { throw problem("its secret key does not belong to its public key") }
        }
        self.init(name, role, key, pair)
    }

    // MARK: Files

    /// Reads a key. A secret key that other users can read is refused.
    public init(path: String) throws(Problem) {
        let (bytes, info) = try Self.contents(path)
        try self.init(text: String(decoding: bytes, as: UTF8.self), from: path)
        guard pair != nil, info.st_mode & 0o077 != 0 else { return }
        throw Problem(
            "Other users can read the secret key ‘\(path)’ (mode \(String(info.st_mode & 0o777, radix: 8))); run ‘chmod 600 \(path)’, or make a new key if they have read it."
        )
    }

    private static func contents(_ path: String) throws(Problem) -> (Data, stat) {
        do throws(Errno) {
            // Without `nonBlocking`, opening a FIFO waits for its other end.
            let file = try OpenFile(path, .readOnly, .nonBlocking)
            let info = try file.status()
            if info.st_mode & S_IFMT == S_IFREG, info.st_size <= longestFile {
                return (try file.read(longestFile), info)
            }
        } catch {
            throw Problem("The key ‘\(path)’ cannot be read: \(error).", isMissing: error == .noSuchFileOrDirectory)
        }
        throw Problem("‘\(path)’ is not a farm key: it is not a small file.")
    }

    /// Writes a key atomically, with mode 0600 if it has its secret, else 0644.
    /// - Parameter overwrites: whether an existing file is replaced; without it, it is an error.
    public func write(to path: String, overwrites: Bool = false) throws(Problem) {
        func problem(_ error: Errno) -> Problem {
            Problem("The key ‘\(path)’ cannot be written: \(error).")
        }
        let temporary = "\(path).\(getpid()).new"
        unlink(temporary)
        do throws(Errno) {
            try OpenFile.make(
                temporary, text.utf8, permissions: pair == nil ? .readableByAll : .ownerReadWrite, replaces: false,
                isDurable: true)
        } catch {
            throw problem(error)
        }
        guard (overwrites ? rename(temporary, path) : cposix_rename_exclusive(temporary, path)) == 0 else {
            let error = Errno(rawValue: errno)
            unlink(temporary)
            throw problem(error)
        }
    }
}
