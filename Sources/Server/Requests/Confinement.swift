import Draft
import Farm
import Foundation
import Glibc
import HostCore
import Renders
import ServerClient

/// The server's files that renders from the network may use: those in the folders that the server's
/// owner has chosen, after resolving links, and no others. Renders are checked when they are
/// accepted, and before each run, because links may have changed.
///
/// Paths are checked on disk: do not call from asynchronous code.
package struct Confinement: Sendable {
    /// Folders to read from, by the names that submitters use for them (`--root`).
    var reading = PathRoots()
    /// Folders to write to, with a subfolder for each submitter (`--output-root`).
    var writing = PathRoots()
    /// The folders in which the server looks for plugins.
    package var pluginPaths: [String] = []
    /// The outputs of clients that share no storage with the server.
    var kept: KeptOutputs?
    /// The files that such clients have uploaded.
    package var uploads: Uploads?

    package init(
        reading: PathRoots = PathRoots(), writing: PathRoots = PathRoots(), pluginPaths: [String] = [],
        kept: KeptOutputs? = nil, uploads: Uploads? = nil
    ) {
        self.reading = reading
        self.writing = writing
        self.pluginPaths = pluginPaths
        self.kept = kept
        self.uploads = uploads
    }

    // MARK: Submitted renders

    /// Returns a request in which the submitter's paths are replaced by the server's.
    /// - Parameter isTrial: the files that the submitter is going to upload need not exist yet.
    /// - Throws: what the request may not use, or what does not exist.
    func accepted(
        _ submission: ServerRequest.Submission, of client: ClientIdentity, isTrial: Bool = false
    ) throws -> RenderRequest {
        var request = submission.request
        let theirs = PathRoots(told: submission.roots ?? [:])
        let document = try DraftDocument(Data(request.document.utf8), file: request.name, folder: "/")
        guard document.namesItsFiles else {
            throw HostError(.data, "The draft document has version 1; ‘cutroom save’ converts it to version 2.")
        }
        let mapped = try changed(try document.draft([])) { path throws(HostError) in
            if let id = submission.uploads?[path], let uploads {
                if isTrial { return uploads.willHold(path, as: id, of: client.name) }
                return try uploads.path(of: id, for: path, of: client.name)
            }
            return try here(path, theirs, reading, "--root")
        }
        request.document = mapped.document(in: "/")
        let uploaded = isTrial ? submission.uploads ?? [:] : [:]
        _ = try confined(mapped, of: client.name) { path in
            uploaded.contains { uploads?.willHold($0.key, as: $0.value, of: client.name) == path }
        }
        request.pluginPaths = try request.pluginPaths.map { path throws(HostError) in try plugin(path) }
        if submission.isFetched == true, let kept {
            request.output = try kept.place(for: request.output)
            request.overwrites = false
            return request
        }
        request.output =
            try here(request.output, theirs, writing, "--output-root") + (request.output.hasSuffix("/") ? "/" : "")
        try checkOutput(request.output, of: client)
        return request
    }

    /// Returns the server's path for a path on the submitter's machine.
    private func here(
        _ path: String, _ theirs: PathRoots, _ ours: PathRoots, _ option: String
    ) throws(HostError) -> String {
        switch PathMap(theirs: theirs, ours: ours).place(of: path) {
        case .here(let path): return path
        case .same: return path
        case .lacking(let name):
            throw HostError(
                .data,
                "The server has no folder called ‘\(name)’, which contains ‘\(path)’; add it with ‘cutroom serve \(option) \(name)=FOLDER’."
            )
        case .escapes: throw HostError(.data, "‘\(path)’ leads out of its folder; remove ‘..’ from it.")
        }
    }

    /// Returns the server's path of a plugin library or a folder of libraries. Libraries are
    /// programs, which only the server's owner may choose.
    private func plugin(_ path: String) throws(HostError) -> String {
        let real = PathRoots.normal(path).flatMap(realPath)
        let isOurs = pluginPaths.compactMap(realPath).contains { real?.lies(in: $0) ?? false }
        guard let real, isOurs else {
            throw HostError(
                .data,
                "‘\(path)’ is not in the server's plugin path; the server's owner can add it (‘cutroom serve --plugin-path’)."
            )
        }
        return real
    }

    // MARK: Running renders

    /// Returns the draft with the resolved path of each file.
    /// - Parameters:
    ///   - submitter: the owner of the draft, who may use their own uploads.
    ///   - isExpected: returns whether a file need not exist yet.
    func confined(
        _ draft: Draft, of submitter: String, isExpected: (String) -> Bool = { _ in false }
    ) throws -> Draft {
        for use in draft.uses {
            for (_, value) in use.plugin?.parameters ?? [:] {
                // Some plugins use text parameters as paths.
                guard case .text(let text) = value, Self.looksLikePath(text) else { continue }
                _ = try file(text)
            }
        }
        return try changed(draft) { path throws(HostError) in
            isExpected(path) || uploads?.holds(path, of: submitter) ?? false ? path : try file(path)
        }
    }

    private static func looksLikePath(_ text: String) -> Bool {
        text.hasPrefix("/") || text.hasPrefix("~") || text.split(separator: "/").contains("..") || text.utf8.contains(0)
    }

    /// Returns the draft with changed paths.
    /// - Throws: the first error.
    private func changed(_ draft: Draft, _ change: (String) throws(HostError) -> String) throws -> Draft {
        var draft = draft
        var problem: HostError?
        // Check each file once, however often it is used.
        var known: [String: String] = [:]
        draft.changeUses { use in
            use.mapFiles { path in
                if path.isEmpty { return path }
                if let known = known[path] { return known }
                do throws(HostError) {
                    let new = try change(path)
                    known[path] = new
                    return new
                } catch {
                    problem = problem ?? error
                    return path
                }
            }
        }
        if let problem { throw problem }
        return draft
    }

    /// Returns the resolved path of a file that may be read.
    package func file(_ path: String) throws(HostError) -> String {
        guard !reading.isEmpty else { throw Self.nothing(path, "--root") }
        let root = try root(of: path, reading)
        // Files outside are not accessed, so that clients cannot detect whether they exist.
        guard let real = realPath(path) else {
            throw HostError(.data, "‘\(path)’ in the server's folder ‘\(root)’ cannot be read: \(systemText(errno)).")
        }
        guard let inside = reading.place(ofReal: real) else {
            throw HostError(.data, "‘\(path)’ leads out of the server's folder ‘\(root)’ through a link.")
        }
        return inside
    }

    /// Checks an output.
    /// - Throws: if the output is not in the submitter's own folder, or the folder cannot be
    ///   created.
    func checkOutput(_ output: String, of client: ClientIdentity) throws(HostError) {
        try checkOutput(output, of: client.name, isFree: client.seesAll)
    }

    /// Checks where an output of an accepted render may be written or read.
    /// - Throws: if the path leads elsewhere.
    func checkOutput(of ticket: RenderTicket, at output: String) throws(HostError) {
        // The folder of a kept output has a name that clients cannot guess.
        guard let allowed = ticket.confinement, !(kept?.holds(output) ?? false) else { return }
        try checkOutput(output, of: ticket.submitter, isFree: allowed == .shared)
    }

    /// Checks an output path.
    /// - Parameters:
    ///   - submitter: the name in the client's renders.
    ///   - isFree: the client may also write to the folders of others.
    func checkOutput(_ output: String, of submitter: String, isFree: Bool) throws(HostError) {
        guard !writing.isEmpty else { throw Self.nothing(output, "--output-root") }
        let path = output.hasSuffix("/") ? String(output.dropLast()) : output
        let name = try root(of: path, writing)
        guard let base = writing.folders[name] else { return }
        let own = base + "/" + Self.folderName(of: submitter)
        guard isFree || path.hasPrefix(own + "/") else {
            throw HostError(.data, "‘\(path)’ is not in your folder on the server; write to ‘\(own)’.")
        }
        if !isFree { _ = mkdir(own, 0o755) }
        let folder = (path as NSString).deletingLastPathComponent
        guard let real = realPath(folder) else {
            throw HostError(
                .data, "The output folder ‘\(folder)’ on the server cannot be used: \(systemText(errno)).")
        }
        // A folder of pictures may exist already, and may be a link.
        let inner = output.hasSuffix("/") ? realPath(path) : nil
        guard let realBase = realPath(isFree ? base : own),
            [real, inner].compactMap(\.self).allSatisfy({ $0.lies(in: realBase) }),
            isFree || !isLink(own)
        else {
            throw HostError(.data, "‘\(path)’ leads out of the server's folder ‘\(name)’ through a link.")
        }
    }

    /// Returns the name of a submitter's folder, which is the name of the key.
    static func folderName(of submitter: String) -> String {
        submitter.hasPrefix("key:") ? String(submitter.dropFirst(4)) : submitter
    }

    private func isLink(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    private func root(of path: String, _ roots: PathRoots) throws(HostError) -> String {
        guard let normal = PathRoots.normal(path), let root = roots.root(of: normal), !root.rest.isEmpty else {
            let names = roots.folders.keys.sorted().map { "‘\($0)’" }.joined(separator: ", ")
            throw HostError(
                .data,
                "‘\(path)’ is in none of the folders that the server shares: \(names). If yours are elsewhere, map them (--map NAME=FOLDER), or upload the file (--upload)."
            )
        }
        return root.name
    }

    private static func nothing(_ path: String, _ option: String) -> HostError {
        HostError(
            .data,
            "‘\(path)’ cannot be used over the network: the server was started without ‘\(option) NAME=FOLDER’.")
    }
}

extension PathRoots {
    /// Returns the path through the name of its root for a resolved path; nil if it is in none of
    /// the roots.
    fileprivate func place(ofReal path: String) -> String? {
        for folder in folders.values.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            guard let real = realPath(folder), path != real, path.lies(in: real) else { continue }
            return folder + (String(path.utf8.dropFirst(real.utf8.count)) ?? "")
        }
        return nil
    }
}

extension String {
    /// Compares bytes, as the kernel does: names that look the same may differ.
    fileprivate func lies(in folder: String) -> Bool {
        utf8.elementsEqual(folder.utf8) || utf8.starts(with: (folder + "/").utf8)
    }
}
