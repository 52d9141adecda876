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
    /// audio clip. A second picture is a layer over the clip. The layers of other takes stay over
    /// their clips.
    /// - Parameters:
    ///   - start: where sound alone begins.
    ///   - moves: those of later takes.
    ///   - lengths: the recorded lengths of all takes, by their files.
    ///   - place: returns the place of the take that a path is of, and its number; nil for other
    ///     clips.
    /// - Returns: a warning.
    @discardableResult package func add(
        _ take: Take, file: String, start: Time = .zero, moving moves: [Move] = [], lengths: [String: Time] = [:],
        place: (String) -> [Int]?
    ) throws(HostError) -> String? {
        var draft = try read()
        guard !draft.has(file) else { return nil }
        draft.move(moves)
        if take.kept?.hasPicture == false {
            var clip = AudioClip(path: file, startTime: start)
            clip.speed = take.settings.speed
            clip.sound.volume = .constant(take.settings.volume)
            draft.audio.append(clip)
            try write(draft)
            return nil
        }
        var clip = Clip(path: file)
        clip.speed = take.settings.speed
        clip.sound.volume = .constant(take.settings.volume)
        let own = place(file) ?? [take.number, take.number]
        let index =
            draft.clips.lastIndex { place($0.path).map { $0.lexicographicallyPrecedes(own) } ?? false }.map { $0 + 1 }
            ?? draft.clips.firstIndex { place($0.path) != nil } ?? draft.clips.count
        draft.keepingLayers(lengths) { $0.clips.insert(clip, at: index) }
        let warning = draft.addLayer(of: take, file: file, over: index, lengths)
        try write(draft)
        return warning
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

    /// Removes the clips of a take's file and the layers of its second picture, if there are any.
    /// The layers of other takes stay over their clips.
    /// - Parameters:
    ///   - moves: those of later takes.
    ///   - lengths: the recorded lengths of all takes, by their files.
    package func remove(file: String, moving moves: [Move] = [], lengths: [String: Time] = [:]) throws(HostError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        var draft = try read()
        let second = Take.second(of: file)
        guard draft.has(file) || draft.effects.contains(where: { $0.layer?.clip.path == second }) else { return }
        draft.effects.removeAll { $0.layer?.clip.path == second }
        draft.keepingLayers(lengths) { $0.clips.removeAll { $0.path == file } }
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

    // MARK: Second pictures

    /// Changes the clips, and moves the layers of second pictures as the clips of their takes move.
    fileprivate mutating func keepingLayers(_ lengths: [String: Time], _ change: (inout Draft) -> Void) {
        let before = starts(lengths)
        change(&self)
        let after = starts(lengths)
        for (file, start) in after {
            guard let earlier = before[file], earlier != start else { continue }
            for index in effects.indices {
                guard case .layer(var layer) = effects[index].kind, layer.clip.path == Take.second(of: file) else {
                    continue
                }
                layer.start = max(.zero, layer.start + start - earlier)
                effects[index].kind = .layer(layer)
            }
        }
    }

    /// Where the clips of takes begin, by their files. What is not known counts as nothing, which
    /// leaves the differences right.
    private func starts(_ lengths: [String: Time]) -> [String: Time] {
        var starts: [String: Time] = [:]
        for index in clips.indices where lengths[clips[index].path] != nil && starts[clips[index].path] == nil {
            starts[clips[index].path] = start(ofClip: index, lengths).time
        }
        return starts
    }

    /// - Returns: where a clip begins on the main track, and whether the lengths of all clips
    ///   before it are known.
    private func start(ofClip index: Int, _ lengths: [String: Time]) -> (time: Time, isKnown: Bool) {
        var (time, isKnown) = (Time.zero, true)
        for (number, clip) in clips[...index].enumerated() {
            if number > 0, let transition = clip.transition { time = time - transition.duration }
            if number == index { break }
            guard let length = lengths[clip.path] ?? clip.givenLength else {
                isKnown = false
                continue
            }
            time = time + clip.durationAtMainTrack(mediaDuration: length)
        }
        return (max(.zero, time), isKnown)
    }

    /// Adds the second picture of a take, in the lower right corner.
    /// - Returns: a warning.
    fileprivate mutating func addLayer(
        of take: Take, file: String, over index: Int, _ lengths: [String: Time]
    ) -> String? {
        guard let recorded = take.kept, let length = recorded.second else { return nil }
        let second = Take.second(of: file)
        guard access(second, F_OK) == 0 else {
            return "Take \(take.number) has no second picture, because ‘\(second)’ is missing."
        }
        var clip = Clip(path: second)
        clip.speed = take.settings.speed
        // Two files of a take that a crash has cut off end at different times.
        if length > recorded.duration {
            clip.content = .media(range: TimeRange(start: .zero, duration: recorded.duration))
        }
        var placement = Placement()
        (placement.position, placement.anchor) = (.constant([0, 0.98, 0, 0.965]), Placement.Point(x: 1, y: 1))
        placement.width = .constant([0, 0.25])
        clip.placement = placement
        let (start, isKnown) = start(ofClip: index, lengths)
        // Its time is that of the main track.
        let place = effects.firstIndex(where: \.isTimeEffect) ?? effects.count
        effects.insert(Effect(.layer(Layer(clip, at: start))), at: place)
        return isKnown
            ? nil
            : "The second picture of take \(take.number) begins at \(start.forPeople) s, and may not lie over "
                + "its clip: the lengths of other clips before it are not known here. Check its ‘at’."
    }
}

extension Clip {
    /// A length that its file has at least, where the clip says which part is played.
    fileprivate var givenLength: Time? {
        switch content {
        case .media(let range), .draft(_, let range): range?.end
        case .image, .generated, .color: wishedDuration
        }
    }
}
