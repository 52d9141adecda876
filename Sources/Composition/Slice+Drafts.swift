import Draft
import Values

/// Drafts in a slice: of each clip that shows one, the part that the slice's frames show.
extension Slice {
    /// Puts parts into the place of whole drafts, and counts the clips' times from there. So it is
    /// no matter what else a draft shows, nor where in it the part lies.
    mutating func trimDrafts(of composition: Composition) {
        for number in clips.indices {
            guard let file = clips[number].file, let index = files[file].draft, let draft = composition.drafts?[index]
            else { continue }
            let frames = draft.frames(seenIn: content(ofClip: number), isMixed: clips[number].frames == .blend)
            let part = Slice(draft, frames: frames)
            drafts = (drafts ?? []) + [part]
            files[file].draft = (drafts?.count ?? 1) - 1
            var info = files[file].info
            (info.audio, info.audioTracks) = (nil, [])
            info.video?.duration = Time(frame: part.frameCount, rate: part.frameRate)
            files[file].info = info
            count(clip: number, from: Time(frame: frames.lowerBound, rate: draft.frameRate))
        }
    }

    /// From where to where a clip's content is shown, in content time.
    private func content(ofClip number: Int) -> TimeRange {
        var (first, last) = (Time.longest + Time.longest, Time.zero)
        func see(_ time: Time) { (first, last) = (min(first, time), max(last, time)) }
        var own: [TimeRange] = []
        for instruction in instructions {
            let end = instruction.range.end - Time(flicks: 1)
            for use in instruction.allClips where use.clip == number {
                if clips[number].time == nil {
                    see(use.content.picturedContent(at: instruction.range.start))
                    see(use.content.picturedContent(at: end))
                } else {
                    own.append(
                        TimeRange(
                            from: use.content.content(at: instruction.range.start),
                            to: use.content.content(at: end) + Time(flicks: 1)))
                }
            }
        }
        // A stop, and the edges of the range, are seen a little beside their places.
        for piece in clips[number].time?.trimmed(to: own).time.pieces ?? [] {
            see(max(.zero, piece.content.start - ClipTime.margin))
            see(piece.content.end + ClipTime.margin)
        }
        return TimeRange(from: first, to: max(first, last))
    }

    /// Counts the content of a clip from `start` on.
    private mutating func count(clip number: Int, from start: Time) {
        let mixedUntil = clips[number].mixedUntil
        clips[number].mixedUntil = mixedUntil.map { $0 - start }
        if var time = clips[number].time {
            for index in time.pieces.indices { time.pieces[index].contentStart -= start }
            time.earliest = time.earliest.map { $0 - start }
            time.latest = time.latest.map { $0 - start }
            clips[number].time = time
            return
        }
        for index in instructions.indices {
            instructions[index] = instructions[index].mapClips { use in
                guard use.clip == number else { return use }
                var use = use
                use.content.contentStart -= start
                return use
            }
        }
    }

    /// The files of its own and of the drafts in it, without what stands for a draft.
    public var allFiles: [MediaFile] { files.filter { $0.draft == nil } + (drafts ?? []).flatMap(\.allFiles) }

    // MARK: Frames

    /// The frame whose picture is the last one before a content time; the first one before all of
    /// them.
    public func frame(before time: Time) -> Int {
        min(frameCount - 1, time.frame(before: frameRate))
    }

    /// The frame that is shown at a content time.
    public func frame(at time: Time) -> Int {
        min(frameCount - 1, max(0, (time + Time.frameTolerance).frameIndex(rate: frameRate)))
    }
}

extension Time {
    /// The last frame that begins before this time; a time at its beginning, but for rounding, is
    /// not after it.
    fileprivate func frame(before rate: Rational) -> Int {
        max(0, (self - Time.frameTolerance - Time(flicks: 1)).frameIndex(rate: rate))
    }
}

extension Composition {
    /// The frames that a clip needs which shows a stretch of the composition; not empty.
    fileprivate func frames(seenIn content: TimeRange, isMixed: Bool) -> Range<Int> {
        var first = min(frameCount - 1, content.start.frame(before: frameRate))
        let last = min(frameCount - 1, content.end.frame(before: frameRate) + (isMixed ? 1 : 0))
        // What an effect carries from frame to frame begins where its run does.
        for run in sequentialFrames() where run.contains(first) { first = run.lowerBound }
        return first..<max(first, last) + 1
    }
}

// MARK: - Alpha

extension Composition {
    /// The same of the whole. What shows a draft goes by that, so that a frame is the same whatever
    /// else its part shows.
    var isOpaque: Bool { isTransparent != true || instructions.allSatisfy { $0.coversCanvas(clips, files, size) } }
}

extension Instruction {
    /// The main track leaves nothing of the canvas free.
    fileprivate func coversCanvas(_ clips: [CompositionClip], _ files: [MediaFile], _ size: Canvas.Size) -> Bool {
        self.clips.allSatisfy { use in
            let clip = clips[use.clip]
            if use.place != nil { return clip.backdrop?.isOpaque == true }
            guard use.generator == nil, let file = clip.file, let video = files[file].info.video, !video.hasAlpha
            else { return false }
            // Where the shapes differ a fitted picture has bars beside it.
            return clip.mode != .fit || video.width * size.height == video.height * size.width
        }
    }
}

extension Slice {
    /// Every pixel of every frame is opaque, as far as that can be said without its files: the
    /// background shows nowhere, or is there.
    public var isOpaque: Bool {
        isTransparent != true || instructions.allSatisfy { $0.coversCanvas(clips, files, size) }
    }
}
