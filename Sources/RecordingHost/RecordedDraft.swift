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

    /// A take of sound alone, as an audio clip that moves because a take before it comes or goes.
    package struct Move {
        let file: String
        let from: Time
        let to: Time

        package init(file: String, from: Time, to: Time) { (self.file, self.from, self.to) = (file, from, to) }
    }

    /// Puts a take's clip behind those with earlier places, unless it is there. Sound alone is an
    /// audio clip.
    /// - Parameters:
    ///   - start: where sound alone begins.
    ///   - moves: those of later takes.
    ///   - place: returns the place of the take that a path is of, and its number; nil for other
    ///     clips.
    package func add(
        _ take: Take, file: String, start: Time = .zero, moving moves: [Move] = [], place: (String) -> [Int]?
    ) throws(HostError) {
        var draft = try read()
        guard !draft.has(file) else { return }
        draft.move(moves)
        if take.kept?.hasPicture == false {
            var clip = AudioClip(path: file, startTime: start)
            clip.speed = take.settings.speed
            clip.sound.volume = .constant(take.settings.volume)
            draft.audio.append(clip)
            return try write(draft)
        }
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
    /// - Parameter moves: those of later takes.
    package func remove(file: String, moving moves: [Move] = []) throws(HostError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        var draft = try read()
        guard draft.has(file) else { return }
        draft.clips.removeAll { $0.path == file }
        draft.audio.removeAll { $0.path == file }
        draft.move(moves)
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

extension Draft {
    /// Whether a file is a clip or an audio clip.
    fileprivate func has(_ file: String) -> Bool {
        clips.contains { $0.path == file } || audio.contains { $0.path == file }
    }

    /// Moves audio clips, unless they have been moved otherwise.
    fileprivate mutating func move(_ moves: [RecordedDraft.Move]) {
        for move in moves {
            for index in audio.indices where audio[index].path == move.file && audio[index].startTime == move.from {
                audio[index].startTime = move.to
            }
        }
    }
}
