import Delivery
import Draft
import Foundation
import Hashing
import Values

/// A composition cut into jobs: segments of the picture, runs of the sound and the sound that is
/// encoded from them, each with the key that its bytes are cached under. Decided by the draft, its
/// media and plugins, the container and the versions; never by the number of workers.
public struct RenderPlan: Sendable, Codable {
    public var composition: Composition
    /// Pixels of the file's pictures, where they are smaller than the canvas on which they are
    /// made.
    public var scaledSize: Canvas.Size?
    public var container: ExportSettings.Container
    public var indexFirst: Bool
    /// nil for a file with sound only.
    public var video: VideoEncoding?
    /// The picture's average in bits per second, where one is asked for: `video`'s quality is then
    /// where a search for it begins.
    public var bitRate: Int?
    /// nil where nothing sounds and the file has a picture, or can have no sound.
    public var audio: AudioEncoding?
    public var segments: [Segment]
    /// The stretches in which something is heard; what lies between them is silent.
    public var runs: [Run]
    /// The key of the sound that is encoded from the runs.
    public var soundKey: String?
    /// True where an audio filter may make another sound each time: no other render uses it.
    public var isSoundUncertain: Bool?

    /// The frames between two key frames that the script asks for: cuts lie at multiples of it.
    /// nil: they follow content.
    public var keyFrameInterval: Int?

    /// True of what an editor plays: see ``init(previewing:catalog:libraries:)``. nil: it is a
    /// file's.
    public var isPreview: Bool?

    public struct Segment: Sendable, Codable, Hashable {
        public var index: Int
        public var firstFrame: Int
        public var frameCount: Int
        /// SHA-256 over everything that decides the segment's bytes: two segments of one key have
        /// the same.
        public var key: String
        /// True where an effect may make another picture each time: no other render uses the
        /// segment.
        public var isUncertain: Bool?
        /// The index of the first segment of the same key, where that is another one.
        public var twin: Int?
        /// True for the first of several segments of one key.
        public var isShownAgain: Bool?
    }

    /// A stretch of the sound that is mixed by itself.
    public struct Run: Sendable, Codable, Hashable {
        public var index: Int
        public var firstSample: Int
        public var sampleCount: Int
        /// SHA-256 over everything that decides the run's samples: two runs of one key have the
        /// same.
        public var key: String
        /// True where a filter may make another sound each time: no other render uses the run.
        public var isUncertain: Bool?
        /// The index of the first run of the same key, where that is another one.
        public var twin: Int?
    }

    /// The whole mix, ready to be cut; nil where the file has no sound.
    var schedule: SoundSchedule?

    private enum CodingKeys: CodingKey {
        case composition, scaledSize, container, indexFirst, video, bitRate, audio, segments, runs, soundKey
        case isSoundUncertain, keyFrameInterval, isPreview, libraries
    }

    /// What encodes and decodes: part of every key.
    public var libraries: String

    /// - Parameter libraries: the versions of the media libraries that will do the work.
    /// - Throws: every problem of the draft, or of its export settings in this container.
    public init(
        _ draft: Draft, catalog: Catalog, container: ExportSettings.Container = .mp4, libraries: String
    ) throws(Problems) {
        composition = try Composition(draft, catalog: catalog)
        let problems = draft.exportProblems(in: container, catalog)
        guard problems.isEmpty else { throw Problems(problems) }
        var draft = draft
        draft.export = draft.export.fitted(to: container)
        self.container = container
        self.libraries = libraries
        indexFirst = draft.export.networkUse
        if container == .gif {
            video = .beforePalette
        } else if !container.isSoundOnly, let codec = draft.export.videoCodec(in: container, color: composition.color) {
            video = VideoEncoding(codec, draft.export.video, composition)
            bitRate = codec.searchRange == nil ? nil : draft.export.video.bitRate
            keyFrameInterval = codec.hasKeyFrames ? draft.export.video.keyFrameInterval : nil
        }
        if let codec = draft.export.audioCodec(in: container), !composition.sound.isEmpty || container.isSoundOnly {
            audio = AudioEncoding(codec, of: draft, catalog)
        }
        (segments, runs) = ([], [])
        soundKey = nil
        try cut()
        try cutSound()
    }

    /// - Parameter seconds: of sound between two marks.
    mutating func cutSound(seconds: Double = Double(SoundSegmentation.usualSeconds)) throws(Problems) {
        guard let audio, let sampleCount, let schedule = soundSchedule else { return }
        self.schedule = schedule
        runs = []
        var first: [String: Int] = [:]
        for (index, samples) in SoundSegmentation(schedule, seconds: seconds).runs().enumerated() {
            let part = schedule.part(samples)
            let key = try contentKey(of: part.withoutNames, "mix", libraries)
            let isUncertain = part.isUncertain
            let twin = isUncertain ? nil : first[key]
            if twin == nil { first[key] = index }
            runs.append(
                Run(
                    index: index, firstSample: samples.lowerBound, sampleCount: samples.count, key: key,
                    isUncertain: isUncertain ? true : nil, twin: twin))
        }
        isSoundUncertain = runs.contains { $0.isUncertain == true } ? true : nil
        let content = SoundContent(
            runs: runs.map { SoundContent.Run(key: $0.key, firstSample: $0.firstSample) }, sampleCount: sampleCount,
            loudness: composition.loudness, encoding: audio)
        soundKey = try contentKey(of: content, "sound", libraries)
    }

    /// What decides the bytes of the encoded sound.
    private struct SoundContent: Encodable {
        struct Run: Encodable {
            var key: String
            var firstSample: Int
        }

        var runs: [Run]
        var sampleCount: Int
        var loudness: LoudnessTarget?
        var encoding: AudioEncoding
    }

    /// The same plan with another constant quality.
    public func with(quality: Double) throws(Problems) -> RenderPlan {
        var plan = self
        plan.video?.quality = quality
        try plan.cut()
        return plan
    }

    /// The same plan for smaller pictures. They are made on the whole canvas, and scaled before
    /// they are encoded: nothing but their size is another.
    /// - Parameter factor: of width and height, more than 0 and at most 1. Both are rounded to even
    ///   numbers.
    /// - Throws: where that is smaller than the codec can encode.
    public func scaled(by factor: Double) throws(Problems) -> RenderPlan {
        func even(_ side: Int) -> Int { Int((Double(side) * factor / 2).rounded()) * 2 }
        let size = Canvas.Size(width: even(composition.size.width), height: even(composition.size.height))
        let least = video?.codec.smallestSide ?? Canvas.sizeRange.lowerBound
        guard min(size.width, size.height) >= least else {
            throw Problems([
                Problem(
                    "export",
                    "of \(composition.size) it would leave \(size), but \(video?.codec.rawValue ?? "a picture") needs at least \(least)×\(least)"
                )
            ])
        }
        var plan = self
        plan.scaledSize = size == composition.size ? nil : size
        try plan.cut()
        return plan
    }

    /// Pixels of the file's pictures.
    public var pictureSize: Canvas.Size { scaledSize ?? composition.size }

    mutating func cut() throws(Problems) {
        guard let video else { return }
        let cuts =
            isPreview == true
            ? composition.previewFrames() : composition.segmentFrames(keyFrameInterval: keyFrameInterval)
        segments = []
        segments.reserveCapacity(cuts.count)
        var first: [String: Int] = [:]
        for (index, frames) in cuts.enumerated() {
            let slice = Slice(composition, frames: frames)
            let key = try contentKey(
                of: SegmentContent(
                    slice: slice.withoutNames, encoding: video, scaledSize: scaledSize, peak: tonePeak), "segment",
                libraries)
            let isUncertain = slice.isUncertain
            let twin = isUncertain ? nil : first[key]
            if let twin { segments[twin].isShownAgain = true } else { first[key] = index }
            segments.append(
                Segment(
                    index: index, firstFrame: frames.lowerBound, frameCount: frames.count, key: key,
                    isUncertain: isUncertain ? true : nil, twin: twin))
        }
    }

    /// What decides a segment's bytes.
    private struct SegmentContent: Encodable {
        var slice: Slice
        var encoding: VideoEncoding
        var scaledSize: Canvas.Size?
        var peak: Int?
    }

    /// See ``SegmentJob/peak``.
    private var tonePeak: Int? {
        composition.color.isHDR && video?.color.isHDR == false ? composition.peak : nil
    }

    /// Samples at the sound's rate: exactly as long as the frames.
    public var sampleCount: Int? {
        audio.map { composition.duration.rounded(rate: Rational(Int64($0.sampleRate))) }
    }

    public func segmentJob(_ index: Int, output: String) -> SegmentJob? {
        guard let video, segments.indices.contains(index) else { return nil }
        let segment = segments[index]
        let frames = segment.firstFrame..<segment.firstFrame + segment.frameCount
        return SegmentJob(
            slice: Slice(composition, frames: frames), firstFrame: segment.firstFrame, scaledSize: scaledSize,
            peak: tonePeak, encoding: video, output: output)
    }

    /// The whole mix; nil where the file has no sound.
    public var soundMix: SoundMix? {
        guard let audio, let sampleCount else { return nil }
        return composition.soundMix(sampleCount: sampleCount, channels: audio.channels, sampleRate: audio.sampleRate)
    }

    /// The whole mix and, where something sounds on past the end, as much of that as a limiter
    /// looks at.
    private var soundSchedule: SoundSchedule? {
        guard var mix = soundMix else { return nil }
        mix.sampleCount += SoundMix.lookAhead(mix.sampleRate)
        mix.isMeasured = composition.loudness == nil ? nil : true
        return SoundSchedule(mix)
    }

    public func mixJob(_ index: Int, output: String) -> MixJob? {
        guard runs.indices.contains(index), let schedule = schedule ?? soundSchedule else {
            return nil
        }
        let run = runs[index]
        return MixJob(schedule.part(run.firstSample..<run.firstSample + run.sampleCount), output: output)
    }

    /// The plan as JSON with sorted keys: equal plans are equal bytes.
    public var json: String { prettyJSON(self) + "\n" }
}

/// JSON for people and programs: sorted keys, so that equal values are equal bytes.
/// - Parameter snakeCase: for values whose keys are names of Swift properties: `frame_rate` for
///   `frameRate`.
public func prettyJSON(_ value: some Encodable, snakeCase: Bool = false) -> String {
    let encoder = JSONEncoder()
    if snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
}
