import Draft
import Foundation
import Hashing

/// A composition cut into jobs: N segments of the picture and the whole sound, each with the key that its bytes are cached
/// under. Decided by the draft and the media alone, never by the number of workers.
public struct RenderPlan: Sendable, Codable {
    public var composition: Composition
    public var container: ExportSettings.Container
    public var indexFirst: Bool
    /// nil for a file with sound only.
    public var video: VideoEncoding?
    /// nil where nothing sounds and the file has a picture.
    public var audio: AudioEncoding?
    public var segments: [Segment]
    public var soundKey: String?

    public struct Segment: Sendable, Codable, Hashable {
        public var index: Int
        public var firstFrame: Int
        public var frameCount: Int
        /// SHA-256 over everything that decides the segment's bytes.
        public var key: String
    }

    /// - Parameter libraries: the versions of the media libraries that will do the work.
    /// - Throws: every problem of the draft.
    public init(
        _ draft: Draft, catalog: Catalog, container: ExportSettings.Container = .mp4, libraries: String
    ) throws(Problems) {
        composition = try Composition(draft, catalog: catalog)
        self.container = container
        indexFirst = draft.export.networkUse
        video = container == .m4a ? nil : VideoEncoding(draft.export.video, composition)
        audio = composition.sound.isEmpty && container != .m4a ? nil : AudioEncoding(draft.export.audio, composition)
        segments = []
        soundKey = nil
        if let video {
            for (index, frames) in composition.segmentFrames().enumerated() {
                let slice = Slice(composition, frames: frames)
                let job = SegmentJob(slice: slice, encoding: video, output: "")
                segments.append(Segment(
                    index: index, firstFrame: frames.lowerBound, frameCount: frames.count,
                    key: cacheKey(job, "segment", libraries, slice.sources)))
            }
        }
        if let job = soundJob(output: "") { soundKey = cacheKey(job, "sound", libraries, job.sources) }
    }

    /// Samples at the sound's rate: exactly as long as the frames.
    public var sampleCount: Int? {
        audio.map { composition.duration.rounded(rate: Rational(Int64($0.sampleRate))) }
    }

    public func segmentJob(_ index: Int, output: String) -> SegmentJob? {
        guard let video, segments.indices.contains(index) else { return nil }
        let segment = segments[index]
        let frames = segment.firstFrame..<segment.firstFrame + segment.frameCount
        return SegmentJob(slice: Slice(composition, frames: frames), encoding: video, output: output)
    }

    public func soundJob(output: String) -> SoundJob? {
        guard let audio, let sampleCount else { return nil }
        var numbers: [Int: Int] = [:]
        var sources: [Source] = []
        let spans = composition.sound.map { span in
            var span = span
            if numbers[span.source] == nil {
                numbers[span.source] = sources.count
                sources.append(composition.sources[span.source])
            }
            span.source = numbers[span.source] ?? 0
            return span
        }
        return SoundJob(spans: spans, sources: sources, sampleCount: sampleCount, encoding: audio, output: output)
    }

    /// The plan as JSON with sorted keys: equal plans are equal bytes.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = (try? encoder.encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// A hash over a job that does not depend on where its files lie, only on what they are.
private func cacheKey(_ job: some Encodable, _ kind: String, _ libraries: String, _ sources: [Source]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = String(decoding: (try? encoder.encode(job)) ?? Data(), as: UTF8.self)
    for source in sources.sorted(by: { $0.path.utf8.count > $1.path.utf8.count }) {
        guard let quoted = try? encoder.encode(source.path) else { continue }
        let identity = source.info.identity
        text = text.replacingOccurrences(
            of: String(decoding: quoted, as: UTF8.self), with: "\"\(identity.digest):\(identity.size):\(identity.modified)\"")
    }
    return SHA256.hash("cutroom \(kind) \(Engine.version) \(libraries)\n\(text)".utf8)
}
