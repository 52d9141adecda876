import Composition
import Delivery
import Draft

/// Brings the runs of a sound to their level and encodes them in one pass: a limiter and an encoder
/// carry state.
public struct SoundJob: WorkerJob {
    public static let kind = "sound"

    /// A mixed run, and the output sample with which it begins.
    public struct Run: Sendable, Codable, Hashable {
        public var firstSample: Int
        public var sampleCount: Int
        public var part: AssembleJob.Part

        public init(firstSample: Int, sampleCount: Int, part: AssembleJob.Part) {
            (self.firstSample, self.sampleCount, self.part) = (firstSample, sampleCount, part)
        }
    }

    /// In order. Gaps between them are silent; the last one may reach past the end.
    public var runs: [Run]
    /// Samples of the whole sound.
    public var sampleCount: Int
    /// The loudness to which the whole mix is normalised; nil: the mix is not changed.
    public var loudness: LoudnessTarget?
    public var encoding: AudioEncoding
    public var output: String

    public init(
        runs: [Run], sampleCount: Int, loudness: LoudnessTarget?, encoding: AudioEncoding, output: String
    ) {
        (self.runs, self.sampleCount, self.loudness) = (runs, sampleCount, loudness)
        (self.encoding, self.output) = (encoding, output)
    }

    /// The encoded sound, or the runs that are not what their workers wrote.
    public typealias Reply = AssembleJob.Reply
}

extension SoundJob {
    public mutating func mapPaths(_ change: PathChange) {
        for index in runs.indices { runs[index].part.path = change(runs[index].part.path, .joins) }
        output = change(output, .writes)
    }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) { reply.translate(terms) }

    public static var mayRunTwice: Bool { true }

    /// See ``MixJob/cost``.
    public var cost: Int { max(1, sampleCount / encoding.sampleRate) }
}

/// Encodes the whole sound in pieces that are files of their own, each of which begins at its own
/// time zero.
public struct SoundPiecesJob: WorkerJob {
    public static let kind = "sound_pieces"

    /// Its output is what the pieces' names begin with.
    public var sound: SoundJob
    /// The length of each piece except the last, which has the rest.
    public var pieceSamples: Int

    public init(_ sound: SoundJob, pieceSamples: Int) { (self.sound, self.pieceSamples) = (sound, pieceSamples) }

    /// The pieces in order, or the runs that are not what their workers wrote.
    public struct Reply: Sendable, Codable, Hashable {
        public var pieces: [WrittenFile]
        /// Paths.
        public var damaged: [String]

        public init(pieces: [WrittenFile], damaged: [String] = []) { (self.pieces, self.damaged) = (pieces, damaged) }
    }
}

extension SoundPiecesJob {
    public mutating func mapPaths(_ change: PathChange) { sound.mapPaths(change) }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) {
        for index in reply.pieces.indices { reply.pieces[index].path = terms.path(reply.pieces[index].path) }
        reply.damaged = reply.damaged.map(terms.path)
    }

    public var cost: Int { sound.cost }
}

extension RenderPlan {
    /// - Parameter parts: those of the runs, in order.
    public func soundJob(_ parts: [AssembleJob.Part], output: String) -> SoundJob? {
        guard let audio, let sampleCount, parts.count == runs.count else { return nil }
        return SoundJob(
            runs: zip(runs, parts).map { run, part in
                SoundJob.Run(firstSample: run.firstSample, sampleCount: run.sampleCount, part: part)
            }, sampleCount: sampleCount, loudness: composition.loudness, encoding: audio, output: output)
    }
}
