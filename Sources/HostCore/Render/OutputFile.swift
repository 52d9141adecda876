import CPosix
import Cleanup
import Delivery
import Files
import Foundation
import Glibc
import Values

/// The destination of a render. The file appears under its name only when it is complete.
package struct OutputFile: Sendable {
    /// The absolute path; for a picture sequence the folder or the pattern.
    package let path: String
    package let container: ExportSettings.Container
    /// The names of a picture sequence; nil for a single file.
    package let pictures: PictureNames?
    package let overwrites: Bool

    /// Checks a destination.
    /// - Parameters:
    ///   - wished: the user's path; nil for a free name in the current folder, derived from the
    ///     input's. A folder's name ends in ‘/’.
    ///   - input: the script's or draft's path.
    ///   - container: the format in the settings, used if the name does not decide it; nil if it is
    ///     not known yet.
    /// - Throws: if the file exists, or cannot be made.
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
                throw HostError(.usage, Self.refusal(ofPicture: wished, self.container, input: input))
            }
            try checkFolder()
            return
        }
        try checkFile()
    }

    private static func refusal(
        ofPicture wished: String, _ container: ExportSettings.Container, input: String
    ) -> String {
        let suffix = wished.split(separator: ".").last.map(String.init) ?? ""
        let single =
            StillFormat(suffix: suffix) == nil
            ? "" : "use ‘cutroom cover \(input) --at 1 -o \(wished)’ for the picture at 1 s. "
        let all =
            "use a number pattern, such as ‘frame-%04d.\(container.rawValue)’, or a folder, such as ‘frames/’"
        return "The output ‘\(wished)’ is a single picture; "
            + (single.isEmpty ? "\(all)." : "\(single)For all pictures, \(all).")
    }

    /// Checks a file that is not a render, whatever its suffix: a draft's document, a cover.
    package init(single wished: String, overwrites: Bool) throws(HostError) {
        try Self.checkName(wished)
        self.overwrites = overwrites
        path = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
        (container, pictures) = (.mp4, nil)
        try checkFile()
    }

    /// Checks a name.
    /// - Throws: for an empty name, a URL, or a name that no file can have.
    package static func checkName(_ wished: String) throws(HostError) {
        guard !wished.isEmpty else { throw HostError(.usage, "The output's name is empty.") }
        guard wished.utf8.count < Int(PATH_MAX) else {
            throw HostError(.usage, "The output's name ‘\(wished.prefix(60))…’ is longer than \(PATH_MAX - 1) bytes.")
        }
        // The part after a zero byte would be checked but not written.
        guard !wished.hasInvisibleCommands else {
            throw HostError(
                .usage,
                "The output ‘\(wished.printableLine)’ has a control character in its name; give a name without one.")
        }
        guard urlRefusal(wished) == nil else {
            throw HostError(
                .usage,
                "The output ‘\(wished)’ is a URL, and URLs are not supported as outputs; give a path, and copy the file from there."
            )
        }
    }

    /// Returns the format that a name asks for.
    package static func container(of wished: String) throws(HostError) -> ExportSettings.Container {
        if wished.hasSuffix("/") { return .png }
        let suffix = (wished as NSString).pathExtension.lowercased()
        if let known = ExportSettings.Container(rawValue: suffix == "jpeg" ? "jpg" : suffix) {
            if !known.isPictureSequence, PictureNames.looksNumbered(wished) {
                throw HostError(
                    .usage,
                    "The output ‘\(wished)’ has a number pattern, which is for pictures; end it in ‘.png’ or ‘.jpg’, or remove the pattern."
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
                "The output ‘\(wished)’ has no suffix; end it in one of \(names.joined(separator: ", ")), or in ‘/’ for a picture of each frame."
            )
        }
        if let meant = OtherNames.containers.name(for: suffix) {
            throw HostError(
                .usage, "The output ‘\(wished)’ ends in ‘.\(suffix)’, which is not supported; did you mean ‘.\(meant)’?"
            )
        }
        // Among equally similar suffixes, choose the movie.
        let movies = ExportSettings.Container.allCases.filter { !$0.isSoundOnly && !$0.isPictureSequence }.map {
            "." + $0.rawValue
        }
        let near = nearestName(to: "." + suffix, in: movies) == nil ? names : movies
        throw HostError(
            .usage, sentence("The output ‘\(wished)’ ends in ‘.\(suffix)’\(suggestion(for: "." + suffix, in: near))"))
    }

    private func checkFile() throws(HostError) {
        var info = stat()
        // A dangling link takes the name, too.
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

    /// The folder of the output and of its temporary names.
    package var folder: String { (path as NSString).deletingLastPathComponent }

    /// Returns a unique hidden name beside the output. Must be released with ``removeRuns(of:)``.
    package func newTemporaryPath() -> String {
        let name = (path as NSString).lastPathComponent
        let unique = UInt32.random(in: .min ... .max)
        let temporary = "\(folder)/.\(name.prefix(200)).\(String(unique, radix: 36)).part"
        CleanupRegistry.shared.note(temporary, .runs)
        return temporary
    }

    /// Removes everything that runs of a job left under `temporary`.
    package func removeRuns(of temporary: String) {
        CleanupRegistry.remove(temporary, .runs)
        CleanupRegistry.shared.forget(temporary)
    }

    /// Returns an error about a run's temporary file as one about the output, because users do not
    /// know the hidden name.
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

    /// Gives a finished, synced file its name. The check for an existing file is part of the same
    /// system call.
    /// - Parameter count: the number of files of a picture sequence.
    package func commit(_ temporary: String, count: Int = 1) throws(HostError) {
        if let pictures { return try commit(pictures, from: temporary, count: count) }
        if rename(temporary, path) != 0 {
            throw HostError(
                .cannotCreate, "The output ‘\(path)’ cannot be put in place: \(String(cString: strerror(errno))).")
        }
        syncFolder(folder)
    }

    /// Syncs the folder, so that new names survive a power failure.
    func syncFolder(_ path: String) { try? OpenFile(path, .readOnly, .directory).sync() }

    func rename(_ from: String, _ to: String) -> Int32 {
        // A file that appeared meanwhile is not replaced.
        overwrites ? Glibc.rename(from, to) : cposix_rename_exclusive(from, to)
    }

    /// Writes a small file atomically: under a temporary name, synced, then renamed. A crash leaves
    /// the old file or the new one.
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
