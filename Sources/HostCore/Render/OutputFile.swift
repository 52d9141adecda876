import CPosix
import Cleanup
import Draft
import Files
import Foundation
import Glibc

/// Where a render's file goes. The file appears under its name only when it is whole.
package struct OutputFile: Sendable {
    /// Absolute; of a picture sequence the folder or the pattern.
    package let path: String
    package let container: ExportSettings.Container
    /// The files' names of a picture sequence; nil for one file.
    package let pictures: PictureNames?
    package let overwrites: Bool

    /// - Parameters:
    ///   - wished: the user's path; nil: a free name in the current folder after the input's. A folder's name ends in ‘/’.
    ///   - input: the script's or draft's path.
    ///   - container: what the settings ask for, where the name leaves it open; nil: not known yet.
    /// - Throws: where the file exists, or cannot be made.
    package init(_ wished: String?, input: String, container: ExportSettings.Container?, overwrites: Bool)
        throws(HostError)
    {
        self.overwrites = overwrites
        let here = FileManager.default.currentDirectoryPath
        guard let wished else {
            self.container = container ?? .mp4
            let stem = ((input as NSString).lastPathComponent as NSString).deletingPathExtension
            let isFolder = self.container.isPictureSequence
            path = Self.freeName(in: here, stem: stem, suffix: isFolder ? "" : "." + self.container.rawValue)
            pictures = isFolder ? PictureNames(folder: path, suffix: self.container.rawValue) : nil
            try checkFolder()
            return
        }
        try Self.checkName(wished)
        path = absolutePath(wished, in: here)
        if wished.hasSuffix("/") {
            self.container = container.flatMap { $0.isPictureSequence ? $0 : nil } ?? .png
            pictures = PictureNames(folder: path, suffix: self.container.rawValue)
            try checkPictureFolder()
            return
        }
        self.container = try Self.container(of: wished)
        pictures = self.container.isPictureSequence ? try PictureNames(path: path) : nil
        if self.container.isPictureSequence {
            guard pictures != nil else {
                throw HostError(
                    .usage,
                    "The output ‘\(wished)’ is one picture; give a number's place, as in ‘frame-%04d.\(self.container.rawValue)’, or a folder, as in ‘frames/’."
                )
            }
            try checkFolder()
            return
        }
        try checkFile()
    }

    /// A file that no render writes, whatever its name ends in: a draft's document, a cover.
    package init(single wished: String, overwrites: Bool) throws(HostError) {
        try Self.checkName(wished)
        self.overwrites = overwrites
        path = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
        (container, pictures) = (.mp4, nil)
        try checkFile()
    }

    /// - Throws: where nothing, a URL, or what no name may have, is in the place of a path.
    package static func checkName(_ wished: String) throws(HostError) {
        guard !wished.isEmpty else { throw HostError(.usage, "The output's name is empty.") }
        guard wished.utf8.count < Int(PATH_MAX) else {
            throw HostError(.usage, "The output's name ‘\(wished.prefix(60))…’ is longer than \(PATH_MAX - 1) bytes.")
        }
        // What follows a zero byte would be checked and never written.
        guard !wished.hasInvisibleCommands else {
            throw HostError(
                .usage,
                "The output ‘\(wished.printableLine)’ has a control character in its name; give a name without one.")
        }
        guard urlRefusal(wished) == nil else {
            throw HostError(
                .usage,
                "The output ‘\(wished)’ is a URL, and URLs are not supported as outputs; give a path, and copy what is there."
            )
        }
    }

    /// The kind of file that a name asks for.
    package static func container(of wished: String) throws(HostError) -> ExportSettings.Container {
        if wished.hasSuffix("/") { return .png }
        let suffix = (wished as NSString).pathExtension.lowercased()
        if let known = ExportSettings.Container(rawValue: suffix == "jpeg" ? "jpg" : suffix) {
            if !known.isPictureSequence, PictureNames.looksNumbered(wished) {
                throw HostError(
                    .usage,
                    "The output ‘\(wished)’ has a number's place, which is for pictures: end it in ‘.png’ or ‘.jpg’, or leave the place out."
                )
            }
            return known
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: wished, isDirectory: &isFolder), isFolder.boolValue {
            throw HostError(
                .usage,
                "The output ‘\(wished)’ is a folder; write ‘\(wished)/’ for a picture of each frame, or name a file in it."
            )
        }
        let names = ExportSettings.Container.allCases.map { "." + $0.rawValue }
        guard !suffix.isEmpty else {
            throw HostError(
                .usage,
                "The output ‘\(wished)’ has no suffix that tells its kind; end it in one of \(names.joined(separator: ", ")), or in ‘/’ for a picture of each frame."
            )
        }
        if let meant = OtherNames.containers.name(for: suffix) {
            throw HostError(
                .usage, "The output ‘\(wished)’ ends in ‘.\(suffix)’, which is not written; did you mean ‘.\(meant)’?")
        }
        // Of what is equally near, a movie is meant.
        let movies = ExportSettings.Container.allCases.filter { !$0.isSoundOnly && !$0.isPictureSequence }.map {
            "." + $0.rawValue
        }
        let near = nearestName(to: "." + suffix, in: movies) == nil ? names : movies
        throw HostError(
            .usage, sentence("The output ‘\(wished)’ ends in ‘.\(suffix)’\(suggestion(for: "." + suffix, in: near))"))
    }

    private func checkFile() throws(HostError) {
        var info = stat()
        // A link that leads nowhere takes the name, too.
        if lstat(path, &info) == 0 {
            if info.st_mode & S_IFMT == S_IFLNK, !overwrites || stat(path, &info) != 0 {
                guard overwrites else {
                    throw HostError(
                        .cannotCreate,
                        "The output ‘\(path)’ exists, as a symbolic link; give another name or --overwrite.")
                }
                return try checkFolder()
            }
            if info.st_mode & S_IFMT == S_IFDIR { throw HostError(.cannotCreate, "The output ‘\(path)’ is a folder.") }
            if !overwrites {
                throw HostError(.cannotCreate, "The output ‘\(path)’ exists; give another name or --overwrite.")
            }
            if info.st_mode & S_IFMT != S_IFREG {
                throw HostError(.cannotCreate, "The output ‘\(path)’ is not a regular file, so it cannot be replaced.")
            }
        }
        try checkFolder()
    }

    func checkFolder() throws(HostError) {
        var info = stat()
        guard stat(folder, &info) == 0 else {
            throw HostError(.cannotCreate, "The output's folder ‘\(folder)’ does not exist.")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw HostError(.cannotCreate, "The output's folder ‘\(folder)’ is not a folder.")
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw HostError(
                .cannotCreate,
                "The output's folder ‘\(folder)’ cannot be written to: \(String(cString: strerror(errno))).")
        }
    }

    private static func freeName(in folder: String, stem: String, suffix: String) -> String {
        var number = 1
        while true {
            let path = "\(folder)/\(stem)\(number == 1 ? "" : "-\(number)")\(suffix)"
            if access(path, F_OK) != 0 { return path }
            number += 1
        }
    }

    /// Where the output lies, and its temporary names do.
    package var folder: String { (path as NSString).deletingLastPathComponent }

    /// A hidden name beside the output that nobody else uses. To be ended with ``removeRuns(of:)``.
    package func newTemporaryPath() -> String {
        let name = (path as NSString).lastPathComponent
        let unique = UInt32.random(in: .min ... .max)
        let temporary = "\(folder)/.\(name.prefix(200)).\(String(unique, radix: 36)).part"
        CleanupRegistry.shared.note(temporary, .runs)
        return temporary
    }

    /// Removes what any run of a job left that was told to write `temporary`.
    package func removeRuns(of temporary: String) {
        CleanupRegistry.remove(temporary, .runs)
        CleanupRegistry.shared.forget(temporary)
    }

    /// An error about a run's temporary file as one about the output: nobody knows the hidden name.
    package func named(_ error: any Error, _ temporary: String) -> HostError {
        var error = HostError(error)
        while let range = error.message.range(of: temporary) {
            // The run's own number follows.
            let rest = error.message[range.upperBound...]
            let number = rest.first == "." ? rest.dropFirst().prefix { $0.isASCII && $0.isNumber } : ""
            let end = number.isEmpty ? range.upperBound : number.endIndex
            error.message.replaceSubrange(range.lowerBound..<end, with: path)
        }
        return error
    }

    /// Gives a finished, synced file its name. The check for an existing file is part of the same system call.
    /// - Parameter count: files of a picture sequence.
    package func commit(_ temporary: String, count: Int = 1) throws(HostError) {
        if let pictures { return try commit(pictures, from: temporary, count: count) }
        if rename(temporary, path) != 0 {
            throw HostError(
                .cannotCreate, "The output ‘\(path)’ cannot be put in place: \(String(cString: strerror(errno))).")
        }
        syncFolder(folder)
    }

    /// New names are to survive a power cut too.
    func syncFolder(_ path: String) { try? OpenFile(path, .readOnly, .directory).sync() }

    func rename(_ from: String, _ to: String) -> Int32 {
        // A file that appeared meanwhile is not replaced.
        overwrites ? Glibc.rename(from, to) : cposix_rename_exclusive(from, to)
    }

    /// Writes a small file whole: under a temporary name, synced, then renamed. A crash leaves the old file or the new one.
    package func write(_ data: Data) throws(HostError) {
        let temporary = newTemporaryPath()
        defer { removeRuns(of: temporary) }
        do throws(Errno) {
            try OpenFile.make(temporary, data, permissions: .readableByAll, replaces: false, isDurable: true)
        } catch {
            throw HostError(.inputOutput, "‘\(path)’ cannot be written: \(error).")
        }
        try commit(temporary)
    }
}
