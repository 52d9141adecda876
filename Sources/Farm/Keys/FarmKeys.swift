import FoundationEssentials
import Glibc
import Messaging

/// A server's folder of keys: its own (`server.key`), and those that may connect
/// (`allowed/NAME.pub`).
package struct FarmKeys: Hashable, Sendable {
    package let folder: String

    package init(folder: String = Self.configuration + "/server") { self.folder = folder }

    /// The folder of a user's or node's own keys, on its own machine: `NAME.key` with the secret,
    /// `NAME.pub` without.
    package static var ownFolder: String { configuration + "/keys" }

    /// Cutroom's configuration folder: `$XDG_CONFIG_HOME/cutroom`, else `~/.config/cutroom`.
    package static var configuration: String {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/cutroom" }
        return (variable("HOME") ?? "") + "/.config/cutroom"
    }

    package var serverPath: String { folder + "/server.key" }
    private var allowedFolder: String { folder + "/allowed" }
    private func path(_ name: String) -> String { "\(allowedFolder)/\(name).pub" }

    /// Returns the server's own key.
    package func server() throws(KeyFile.Problem) -> KeyPair {
        let key: KeyFile
        do throws(KeyFile.Problem) { key = try KeyFile(path: serverPath) } catch {
            guard error.isMissing else { throw error }
            throw KeyFile.Problem(
                "The server has no key ‘\(serverPath)’; make one with ‘cutroom farm keys new NAME --role server’.",
                isMissing: true)
        }
        guard let pair = key.pair, key.role == .server else {
            throw KeyFile.Problem("‘\(serverPath)’ is not the secret key of a server.")
        }
        return pair
    }

    /// Returns the only submitter's or admin's key in a folder of own keys, for commands that do
    /// not name one.
    package static func submitter(in own: String = Self.ownFolder) throws(KeyFile.Problem) -> KeyFile {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: own)) ?? []).filter { $0.hasSuffix(".key") }
        let found = names.sorted().compactMap { try? KeyFile(path: own + "/" + $0) }.filter {
            $0.role == .submitter || $0.role == .admin
        }
        guard let key = found.first, found.count == 1 else {
            throw KeyFile.Problem(
                found.isEmpty
                    ? "There is no submitter key in ‘\(own)’; make one with ‘cutroom farm keys new NAME --role submitter’."
                    : "There are several submitter keys in ‘\(own)’; choose one with ‘--identity’.", isMissing: true)
        }
        return key
    }

    /// Makes a key: the server's in its folder, others in their own.
    /// - Returns: the paths of the secret and of the public half.
    package func create(
        _ name: String, role: KeyFile.Role, in own: String = Self.ownFolder
    ) throws(KeyFile.Problem) -> (secret: String, public: String) {
        let key: KeyFile
        do { key = try KeyFile(name: name, role: role) } catch {
            throw error as? KeyFile.Problem ?? KeyFile.Problem("The key cannot be made: \(error).")
        }
        let base = role == .server ? folder + "/server" : own + "/" + name
        try Self.makeFolder(role == .server ? folder : own)
        let (secret, open) = (base + ".key", base + ".pub")
        guard access(secret, F_OK) != 0 else {
            throw KeyFile.Problem("The key ‘\(secret)’ already exists; remove it first if nothing uses it.")
        }
        try key.write(to: secret)
        try key.withoutSecret.write(to: open, overwrites: true)
        return (secret, open)
    }

    // MARK: Allow list

    /// Allows the owner of a public key to connect.
    package func allow(_ path: String) throws(KeyFile.Problem) -> KeyFile {
        let key = try KeyFile(path: path)
        guard key.pair == nil else {
            throw KeyFile.Problem(
                "‘\(path)’ is a secret key, which stays where it is used; give its public half, ‘\(key.name).pub’.")
        }
        guard key.role != .server else {
            throw KeyFile.Problem(
                "‘\(path)’ is the key of a server; only nodes, submitters and admins are allowed here.")
        }
        if let other = allowed().keys.first(where: { $0.name == key.name }), other.publicKey != key.publicKey {
            throw KeyFile.Problem(
                "Another key is named ‘\(key.name)’ here; revoke it with ‘cutroom farm keys revoke \(key.name)’, or make a key with another name."
            )
        }
        if let other = allowed().keys.first(where: { $0.publicKey == key.publicKey }), other.name != key.name {
            throw KeyFile.Problem("This key is already allowed, under the name ‘\(other.name)’.")
        }
        try Self.makeFolder(allowedFolder)
        try key.write(to: self.path(key.name), overwrites: true)
        return key
    }

    /// Revokes a key. A running server notices within a second.
    package func revoke(_ name: String) throws(KeyFile.Problem) {
        if let problem = KeyFile.problem(withName: name) { throw KeyFile.Problem(problem) }
        guard unlink(path(name)) == 0 else {
            let code = errno
            guard code == ENOENT else {
                throw KeyFile.Problem("‘\(path(name))’ cannot be removed: \(String(cString: strerror(code))).")
            }
            throw KeyFile.Problem("There is no key named ‘\(name)’ here; ‘cutroom farm keys list’ shows all.")
        }
    }

    /// The keys that may connect, by name, and the problems with other files.
    package struct Allowed: Sendable {
        package var keys: [KeyFile] = []
        package var problems: [String] = []

        package func holders(_ roles: Set<KeyFile.Role>) -> [PublicKey: KeyHolder] {
            Dictionary(
                keys.filter { roles.contains($0.role) }.map { ($0.publicKey, KeyHolder($0.name, $0.role)) }
            ) { first, _ in first }
        }
    }

    package func allowed() -> Allowed {
        var allowed = Allowed()
        for name in files {
            do throws(KeyFile.Problem) {
                let key = try KeyFile(path: allowedFolder + "/" + name)
                guard name == key.name + ".pub" else {
                    throw KeyFile.Problem(
                        "‘\(allowedFolder)/\(name)’ contains the key ‘\(key.name)’; rename it to ‘\(key.name).pub’.")
                }
                allowed.keys.append(key)
            } catch  where error.isMissing {
                // It was revoked just now.
            } catch {
                allowed.problems.append("A key is not allowed: \(error.description)")
            }
        }
        return allowed
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: allowedFolder)) ?? []).filter { $0.hasSuffix(".pub") }
            .sorted()
    }

    /// A state of the folder that changes with the list.
    struct Trace: Equatable {
        struct File: Equatable {
            var name: String
            var number: UInt64
            var size: Int64
            var seconds: Int
            var nanoseconds: Int
        }

        var files: [File]
    }

    var trace: Trace {
        Trace(
            files: files.map { name in
                var info = stat()
                _ = stat(allowedFolder + "/" + name, &info)
                return Trace.File(
                    name: name, number: UInt64(info.st_ino), size: Int64(info.st_size), seconds: info.st_mtim.tv_sec,
                    nanoseconds: info.st_mtim.tv_nsec)
            })
    }

    private static func makeFolder(_ path: String) throws(KeyFile.Problem) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw KeyFile.Problem("The folder ‘\(path)’ cannot be made: \(String(cString: strerror(errno))).")
        }
    }
}
