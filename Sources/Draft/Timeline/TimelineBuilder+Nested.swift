import Delivery
import Values

/// Drafts in this one: what is wrong with them, how long they are, what they show and give to hear.
extension TimelineBuilder {
    /// Describes a draft to the clip that shows it, the way a probe describes a file: moving
    /// pictures, perhaps with sound.
    /// - Returns: nil where it has no timeline.
    mutating func info(of nested: NestedDraft, of clip: Clip, _ object: String) -> MediaInfo? {
        if clip.audioTrack != nil {
            report(
                object, "has an ‘audio_track’, but a draft has one sound; leave it out", clip.origin(of: "audio_track"))
        }
        if let known = nestedInfos[ObjectIdentifier(nested)] { return known }
        if let refusal = nested.refusal {
            report(object, refusal, clip.origin)
            nestedInfos[ObjectIdentifier(nested)] = .some(nil)
            return nil
        }
        var builder = TimelineBuilder(nested.draft, catalog, isNested: true)
        let timeline = builder.build()
        if let timeline { builder.warn(of: timeline) }
        builder.warnOfWholeFiles()
        func told(_ problem: Problem) -> Problem {
            var problem = problem
            problem.object = DraftPlace.name(object, inside: problem.object)
            problem.origin = problem.origin ?? clip.origin
            return problem
        }
        adopt(builder, told)
        warnings += builder.warnings.map(told)
        let info = timeline.map { nested.draft.info($0, catalog) }
        nestedInfos[ObjectIdentifier(nested)] = .some(info)
        return info
    }

    /// How much there is of what a clip of moving pictures shows; nil where that is not known.
    mutating func contentDuration(of clip: Clip) -> Time? {
        guard let nested = clip.nested else { return catalog.info(clip.path)?.duration }
        if let known = nestedInfos[ObjectIdentifier(nested)] { return known?.duration }
        // Its problems are reported where its clip is checked.
        return nested.duration(catalog)
    }

    /// Tells what a draft has for a file of its own, and no other draft has any use for.
    fileprivate mutating func warnOfWholeFiles() {
        if let target = draft.loudness.target {
            warn(
                "draft",
                "has a ‘loudness’ of \(Value.text(of: target.integrated)) LUFS, which is the whole sound's: set it on the draft that is "
                    + "rendered; here it is left out", draft.loudness.origin)
        }
        if draft.export != ExportSettings() {
            warn("draft", "has ‘export’ settings, which count in the draft that is rendered alone", draft.origin)
        }
        for (index, effect) in draft.effects.enumerated() {
            guard case .picture(.subtitles(let subtitles)) = effect.kind, subtitles.form == .track else { continue }
            warn(
                draft.name(of: .effect(index)),
                "is a track of a file, which the draft has that is rendered alone; here it is left out", effect.origin)
        }
    }
}

extension NestedDraft {
    /// How long what it shows is; nil where it has no timeline.
    public func duration(_ catalog: Catalog) -> Time? {
        guard refusal == nil else { return nil }
        var builder = TimelineBuilder(draft, catalog, isNested: true)
        return builder.build()?.rendered.duration
    }

    /// Returns the problems of the nested draft, each with its own object.
    public func problems(_ catalog: Catalog) -> [Problem] {
        if let refusal { return [Problem("draft", refusal, origin: draft.origin)] }
        var builder = TimelineBuilder(draft, catalog, isNested: true)
        _ = builder.build()
        return builder.reported
    }
}

extension Draft {
    /// Describes the draft to another one that shows it, the way a probe describes a file.
    fileprivate func info(_ timeline: Timeline, _ catalog: Catalog) -> MediaInfo {
        let (length, heard) = (timeline.rendered.duration, heardTracks(catalog))
        var video = VideoStreamInfo(
            codec: "draft", width: timeline.size.width, height: timeline.size.height, rotation: 0,
            frameRate: timeline.frameRate, start: .zero, duration: length, bitRate: nil, hasAlpha: false)
        video.hdr = canvas.color.isHDR ? canvas.color : nil
        let audio = AudioStreamInfo(
            codec: "draft", sampleRate: heard.map(\.sampleRate).max() ?? 48_000,
            channels: heard.map(\.channels).max() ?? 2, start: .zero, duration: length, bitRate: nil)
        return MediaInfo(
            kind: .media, format: "draft", identity: FileIdentity(size: 0, modified: 0, digest: "draft"), video: video,
            audio: heard.isEmpty ? nil : audio)
    }
}
