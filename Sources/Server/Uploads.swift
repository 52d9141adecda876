import Content
import Farm
import Files
import Foundation
import Glibc
import HostCore
import ServerClient

/// The files that submitters have uploaded because they share no storage with the server.
/// Submitters can neither use nor detect the files of others, even if the content is the same. The
/// size is limited by a quota for each submitter. Blocks: do not call from asynchronous code.
///
/// In the submitter's folder, each file has a folder named by its content. It contains `.incoming`
/// during the upload, `.data` after the file was completed and checked, and further links to it
/// under the names that drafts use.
package struct Uploads: Sendable {
    package let folder: String
    /// The maximum number of bytes of one submitter.
    let quota: Int64

    private static let (incoming, data) = ("/.incoming", "/.data")
    /// How long a file that no render needs is kept after its last use, in seconds; and the minimum
    /// if space is needed, because a client may be about to use it.
    private static let (kept, keptAtLeast) = (24 * 3600, 600)
    /// The number of bytes to leave free on the disk.
    private static let reserve: Int64 = 64 << 20

    package init(_ place: ServerPlace, quota: Int64) { (folder, self.quota) = (place.folder + "/uploads", quota) }

    private func own(_ submitter: String) -> String { "\(folder)/\(Confinement.folderName(of: submitter))" }
    private func place(of id: ContentID, of submitter: String) -> String { "\(own(submitter))/\(id)" }

    // MARK: Receiving files

    /// Prepares the upload of a file.
    /// - Parameter needed: the files that the submitter's renders use.
    /// - Returns: how many bytes have been received; equal to the size if the file is complete.
    func offer(_ id: ContentID, of submitter: String, needed: Set<String>) throws(HostError) -> Int64 {
        let place = place(of: id, of: submitter)
        if Self.size(place + Self.data) == id.size {
            Self.touch(place)
            return id.size
        }
        if access(place, F_OK) != 0 {
            var room = quota - used(by: submitter)
            if room < id.size {
                sweep(submitter, keeping: needed, for: Self.keptAtLeast)
                room = quota - used(by: submitter)
            }
            guard room >= id.size else {
                throw HostError(
                    .data,
                    "Your quota for files on the server is \(Self.people(quota)), and a file of \(Self.people(id.size)) would exceed it; ‘cutroom jobs purge’ frees the files of ended renders."
                )
            }
            let code = makeFolders(place)
            guard code == 0 else { throw Self.lack(Errno(rawValue: code)) }
        }
        Self.touch(place)
        return Self.size(place + Self.incoming) ?? 0
    }

    private static func people(_ bytes: Int64) -> String { ByteSize(bytes: bytes).forPeople }

    /// Appends bytes to a file.
    /// - Returns: how many bytes have been received.
    func give(_ id: ContentID, of submitter: String, from: Int64, _ bytes: Data) throws(HostError) -> Int64 {
        guard (1...ServerRequest.uploadPieceSize).contains(bytes.count), from >= 0, from <= id.size - Int64(bytes.count)
        else {
            throw HostError(.data, "The range of an uploaded piece is not valid.")
        }
        let path = place(of: id, of: submitter) + Self.incoming
        // Without an offer there is no folder.
        do throws(Errno) {
            let file = try OpenFile(path, .writeOnly, [.create, .noFollow], permissions: .ownerReadWrite)
            let size = Int64(try file.status().st_size)
            guard size == from else { return size }
            var space = statvfs()
            guard fstatvfs(file.descriptor.rawValue, &space) == 0 else { throw Errno(rawValue: errno) }
            guard Int64(space.f_bavail) * Int64(space.f_frsize) > min(Self.reserve, id.size - from) else {
                throw Errno.noSpace
            }
            do throws(Errno) { try file.write(bytes, at: from) } catch {
                try? file.resize(to: from)
                throw error
            }
        } catch {
            throw Self.lack(error)
        }
        return from + Int64(bytes.count)
    }

    /// Checks a completely received file, which may take a while.
    /// - Returns: how many bytes are valid: all, or 0 if the content does not match its digest.
    package func finish(_ id: ContentID, of submitter: String) throws(HostError) -> Int64 {
        let place = place(of: id, of: submitter)
        let incoming = place + Self.incoming
        if Self.size(place + Self.data) == id.size { return id.size }
        if id.size == 0 {
            _ = try? OpenFile(incoming, .writeOnly, [.create, .noFollow], permissions: .ownerReadWrite)
        }
        guard let size = Self.size(incoming), size == id.size else { return Self.size(incoming) ?? 0 }
        let record: ContentRecord?
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: incoming)
            record = try ContentRecord(counting: file)
        } catch {
            throw HostError(.inputOutput, "An uploaded file \(error).")
        }
        guard record?.id == id else {
            unlink(incoming)
            return 0
        }
        do throws(Errno) { try OpenFile(incoming, .readOnly, .noFollow).sync() } catch { throw Self.lack(error) }
        guard rename(incoming, place + Self.data) == 0 else { throw Self.lack(Errno(rawValue: errno)) }
        return id.size
    }

    // MARK: Using files

    /// Returns the path of a complete file under the name that a draft uses.
    /// - Throws: if the submitter has not uploaded it.
    package func path(of id: ContentID, for path: String, of submitter: String) throws(HostError) -> String {
        let place = place(of: id, of: submitter)
        guard Self.size(place + Self.data) == id.size else {
            throw HostError(.data, "‘\(path)’ was not uploaded to the server; submit it with ‘--upload’.")
        }
        let name = willHold(path, as: id, of: submitter)
        guard link(place + Self.data, name) == 0 || errno == EEXIST else {
            throw Self.lack(Errno(rawValue: errno))
        }
        Self.touch(place)
        return name
    }

    /// Returns the future path of a file that the submitter is about to upload.
    func willHold(_ path: String, as id: ContentID, of submitter: String) -> String {
        "\(place(of: id, of: submitter))/\(ContentName.file(path))"
    }

    /// Returns whether a path is one that ``path(of:for:of:)`` returns for this submitter.
    func holds(_ path: String, of submitter: String) -> Bool {
        let start = own(submitter) + "/"
        guard path.utf8.starts(with: start.utf8) else { return false }
        let parts = path.utf8.dropFirst(start.utf8.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2 && ContentID(String(decoding: parts[0], as: UTF8.self)) != nil
            && parts[1].first != UInt8(ascii: ".") && Self.size(path) != nil
    }

    // MARK: Removing files

    /// Removes the files of a purged render.
    package func remove(_ names: Set<String>, of submitter: String) {
        for name in names where ContentID(name) != nil {
            try? FileManager.default.removeItem(atPath: "\(own(submitter))/\(name)")
        }
    }

    /// Removes the files that no render needs and that have not been used for long.
    /// - Parameter needed: by submitter.
    func sweep(keeping needed: [String: Set<String>]) {
        let byFolder = Dictionary(
            needed.map { (Confinement.folderName(of: $0.key), $0.value) }, uniquingKeysWith: { $0.union($1) })
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            sweep(name, keeping: byFolder[name] ?? [], for: Self.kept)
        }
    }

    private func sweep(_ submitter: String, keeping needed: Set<String>, for seconds: Int) {
        let place = own(submitter)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where !needed.contains(name) {
            var info = stat()
            guard lstat("\(place)/\(name)", &info) == 0, info.st_mtim.age() > seconds else { continue }
            try? FileManager.default.removeItem(atPath: "\(place)/\(name)")
        }
    }

    /// Returns the size of the submitter's files. Incomplete files count with their full size.
    private func used(by submitter: String) -> Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: own(submitter))) ?? []
        return names.reduce(0) { sum, name in
            let (more, isTooMuch) = sum.addingReportingOverflow(ContentID(name)?.size ?? 0)
            return isTooMuch ? .max : more
        }
    }

    private static func touch(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

    private static func size(_ path: String) -> Int64? {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_size) : nil
    }

    private static func lack(_ error: Errno) -> HostError {
        HostError(.inputOutput, "The server cannot store the file: \(error).")
    }
}
