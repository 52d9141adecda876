import Draft
import Files
import Foundation
import Glibc
import HostCore
import Recording
import Values

/// The draft of a recording: its document is read and written for each change, because others may
/// edit it meanwhile.
package struct RecordedDraft: Sendable {
    /// Absolute.
    package let path: String
    private let folder: String

    package init(path: String) {
        self.path = path
        folder = (path as NSString).deletingLastPathComponent
    }

    /// Reads the document. A missing one is an empty draft.
    package func read() throws(HostError) -> Draft {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return Draft() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HostError(.noInput, "‘\(path)’ cannot be read.")
        }
        do throws(Problems) {
            return try Draft(document: data, file: path, folder: folder)
        } catch {
            throw HostError(error)
        }
    }

    /// Puts a take's clip behind those with earlier places, unless it is there.
    /// - Parameter place: returns the place of the take that a path is of, and its number; nil for
    ///   other clips.
    package func add(_ take: Take, file: String, place: (String) -> [Int]?) throws(HostError) {
        var draft = try read()
        guard !draft.clips.contains(where: { $0.path == file }) else { return }
        var clip = Clip(path: file)
        clip.speed = take.settings.speed
        clip.sound.volume = .constant(take.settings.volume)
        let own = place(file) ?? [take.number, take.number]
        let index =
            draft.clips.lastIndex { place($0.path).map { $0.lexicographicallyPrecedes(own) } ?? false }.map { $0 + 1 }
            ?? draft.clips.firstIndex { place($0.path) != nil } ?? draft.clips.count
        draft.clips.insert(clip, at: index)
        try write(draft)
    }

    /// The id of the audio clip that is the background.
    package static let background = "background"

    /// The sound that is played while takes are recorded; nil where the draft has none.
    package func background(on output: SoundOutput) throws(HostError) -> PlayedSound? {
        guard let clip = try read().audio.first(where: { $0.id == Self.background }) else { return nil }
        return PlayedSound(
            path: clip.path, startTime: clip.startTime, range: clip.range, speed: clip.speed, volume: clip.volume,
            loops: clip.loops, output: output)
    }

    /// Puts the background into the draft, in the place of an earlier one.
    /// - Throws: `noInput` where its file cannot be read, and what reading and writing the draft
    ///   throw.
    package func set(_ background: Background?) throws(HostError) {
        if let path = background?.path, access(path, R_OK) != 0 {
            throw HostError(.noInput, "The background ‘\(path)’ cannot be read: \(String(cString: strerror(errno))).")
        }
        var draft = try read()
        draft.audio.removeAll { $0.id == Self.background }
        if let background {
            var clip = AudioClip(path: background.path, id: Self.background)
            clip.volume = .constant(background.volume)
            clip.loops = background.loops
            clip.range = background.range
            draft.audio.append(clip)
        }
        try write(draft)
    }

    /// Removes the clips of a file, if there are any.
    package func remove(file: String) throws(HostError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        var draft = try read()
        guard draft.clips.contains(where: { $0.path == file }) else { return }
        draft.clips.removeAll { $0.path == file }
        try write(draft)
    }

    /// Replaces the document, which is whole at any moment.
    private func write(_ draft: Draft) throws(HostError) {
        let new = path + ".new"
        var status = stat()
        let hasMode = stat(path, &status) == 0
        do throws(Errno) {
            try OpenFile.make(
                new, Array(draft.document(in: folder).utf8), permissions: .readableByAll, replaces: true,
                isDurable: true)
        } catch {
            throw HostError(.cannotCreate, "‘\(path)’ cannot be written: \(error).")
        }
        if hasMode { chmod(new, status.st_mode & 0o777) }
        guard rename(new, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(new)
            throw HostError(.cannotCreate, "‘\(path)’ cannot be replaced: \(reason).")
        }
        try? OpenFile(folder, .readOnly).sync()
    }
}
