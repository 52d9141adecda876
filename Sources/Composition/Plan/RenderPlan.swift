import Draft
import Foundation
import Hashing

/// A composition cut into jobs: N segments of the picture and the whole sound, each with the key that its bytes are cached
/// under. Decided by the draft, its media and plugins, the container and the versions; never by the number of workers.
public struct RenderPlan: Sendable, Codable {
    public var composition: Composition
    /// Pixels of the file's pictures, where they are smaller than the canvas on which they are made.
    public var scaledSize: Canvas.Size?
    public var container: ExportSettings.Container
    public var indexFirst: Bool
    /// nil for a file with sound only.
    public var video: VideoEncoding?
    /// The picture's average in bits per second, where one is asked for: `video`'s quality is then where a search for it begins.
    public var bitRate: Int?
    /// nil where nothing sounds and the file has a picture, or can have no sound.
    public var audio: AudioEncoding?
    public var segments: [Segment]
    public var soundKey: String?
    /// True where an audio filter may make another sound each time: no other render uses it.
    public var isSoundUncertain: Bool?

    /// The frames between two key frames that the script asks for: cuts lie at multiples of it.
    /// nil: they follow content.
    public var keyFrameInterval: Int?

    /// True of what an editor plays: see ``init(previewing:catalog:libraries:)``. nil: it is a file's.
    public var isPreview: Bool?

    public struct Segment: Sendable, Codable, Hashable {
        public var index: Int
        public var firstFrame: Int
        public var frameCount: Int
        /// SHA-256 over everything that decides the segment's bytes: two segments of one key have the same.
        public var key: String
        /// True where an effect may make another picture each time: no other render uses the segment.
        public var isUncertain: Bool?
        /// The index of the first segment of the same key, where that is another one.
        public var twin: Int?
        /// True for the first of several segments of one key.
        public var isShownAgain: Bool?
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
        segments = []
        soundKey = nil
        try cut()
        try nameSound()
    }

    mutating func nameSound() throws(Problems) {
        if let job = soundJob(output: "") {
            soundKey = try contentKey(of: job.withoutNames, "sound", libraries)
            isSoundUncertain = job.isUncertain ? true : nil
        }
    }

    /// The same plan with another constant quality.
    public func with(quality: Double) throws(Problems) -> RenderPlan {
        var plan = self
        plan.video?.quality = quality
        try plan.cut()
        return plan
    }

    /// The same plan for smaller pictures. They are made on the whole canvas, and scaled before they are encoded: nothing but their size
    /// is another.
    /// - Parameter factor: of width and height, more than 0 and at most 1. Both are rounded to even numbers.
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

    public func soundJob(output: String) -> SoundJob? {
        guard let audio, let sampleCount else { return nil }
        return composition.soundJob(sampleCount: sampleCount, audio, output: output)
    }

    /// The plan as JSON with sorted keys: equal plans are equal bytes.
    public var json: String { prettyJSON(self) + "\n" }
}

/// JSON for people and programs: sorted keys, so that equal values are equal bytes.
/// - Parameter snakeCase: for values whose keys are names of Swift properties: `frame_rate` for `frameRate`.
public func prettyJSON(_ value: some Encodable, snakeCase: Bool = false) -> String {
    let encoder = JSONEncoder()
    if snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
}
