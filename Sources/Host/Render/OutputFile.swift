import CPosix
import Draft
import Foundation
import Glibc

/// Where a render's file goes. The file appears under its name only when it is whole.
struct OutputFile: Sendable {
    /// Absolute; of a picture sequence the folder or the pattern.
    let path: String
    let container: ExportSettings.Container
    /// Of a picture sequence.
    let pictures: PictureNames?
    let overwrites: Bool

    /// - Parameters:
    ///   - wished: the user's path; nil: a free name in the current folder after the input's. A folder's name ends in ‘/’.
    ///   - input: the script's or draft's path.
    ///   - container: what the settings ask for, where the name leaves it open; nil: not known yet.
    /// - Throws: where the file exists, or cannot be made.
    init(_ wished: String?, input: String, container: ExportSettings.Container?, overwrites: Bool) throws(HostError) {
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
        guard !wished.isEmpty else { throw HostError(.usage, "The output's name is empty.") }
        path = absolutePath(wished, in: here)
        if wished.hasSuffix("/") {
            self.container = container.flatMap { $0.isPictureSequence ? $0 : nil } ?? .png
            pictures = PictureNames(folder: path, suffix: self.container.rawValue)
            try checkPictureFolder()
            return
        }
        let suffix = (wished as NSString).pathExtension.lowercased()
        if let known = ExportSettings.Container(rawValue: suffix == "jpeg" ? "jpg" : suffix) {
            self.container = known
        } else {
            let names = ExportSettings.Container.allCases.filter { !$0.isPictureSequence && !$0.isSoundOnly }.map { "." + $0.rawValue }
            throw HostError(
                .usage, "The output ‘\(wished)’ ends in ‘.\(suffix)’\(suggestion(for: "." + suffix, in: names)).")
        }
        pictures = self.container.isPictureSequence ? try PictureNames(path: path) : nil
        if self.container.isPictureSequence {
            guard pictures != nil else {
                throw HostError(
                    .usage, "The output ‘\(wished)’ is one picture; give a number's place, as in ‘frame-%04d.\(suffix)’, or a folder, as in ‘frames/’.")
            }
            try checkFolder()
            return
        }
        try checkFile()
    }

    /// A file that no render writes, whatever its name ends in: a draft's document, a cover.
    init(single wished: String, overwrites: Bool) throws(HostError) {
        guard !wished.isEmpty else { throw HostError(.usage, "The output's name is empty.") }
        self.overwrites = overwrites
        path = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
        (container, pictures) = (.mp4, nil)
        try checkFile()
    }

    private func checkFile() throws(HostError) {
        var info = stat()
        if stat(path, &info) == 0 {
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
        let folder = (path as NSString).deletingLastPathComponent
        var info = stat()
        guard stat(folder, &info) == 0 else {
            throw HostError(.cannotCreate, "The output's folder ‘\(folder)’ does not exist.")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw HostError(.cannotCreate, "The output's folder ‘\(folder)’ is not a folder.")
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw HostError(.cannotCreate, "The output's folder ‘\(folder)’ cannot be written to: \(String(cString: strerror(errno))).")
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

    /// A hidden name beside the output that nobody else uses.
    var temporaryPath: String {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let unique = UInt32.random(in: .min ... .max)
        return "\(folder)/.\(name.prefix(200)).\(String(unique, radix: 36)).part"
    }

    /// Removes what any run of a job left that was told to write `temporary`.
    func removeRuns(of temporary: String) {
        let folder = (temporary as NSString).deletingLastPathComponent
        let prefix = (temporary as NSString).lastPathComponent
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    /// Gives a finished, synced file its name. The check for an existing file is part of the same system call.
    /// - Parameter count: files of a picture sequence.
    func commit(_ temporary: String, count: Int = 1) throws(HostError) {
        if let pictures { return try commit(pictures, from: temporary, count: count) }
        if rename(temporary, path) != 0 {
            throw HostError(.cannotCreate, "The output ‘\(path)’ cannot be put in place: \(String(cString: strerror(errno))).")
        }
        syncFolder((path as NSString).deletingLastPathComponent)
    }

    /// New names are to survive a power cut too.
    func syncFolder(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    func rename(_ from: String, _ to: String) -> Int32 {
        // A file that appeared meanwhile is not replaced.
        overwrites ? Glibc.rename(from, to) : cposix_rename_exclusive(from, to)
    }

    /// Writes a small file whole: under a temporary name, synced, then renamed. A crash leaves the old file or the new one.
    func write(_ data: Data) throws(HostError) {
        let temporary = temporaryPath
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw cannotWrite() }
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, data.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isSynced = written == data.count && fsync(descriptor) == 0
        let failure = cannotWrite()
        close(descriptor)
        do throws(HostError) {
            guard isSynced else { throw failure }
            try commit(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func cannotWrite() -> HostError {
        HostError(.inputOutput, "‘\(path)’ cannot be written: \(String(cString: strerror(errno))).")
    }
}
