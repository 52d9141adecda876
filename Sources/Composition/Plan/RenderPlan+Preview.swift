import Delivery
import Draft
import Values

/// What an editor plays: the whole timeline, whatever part of it is rendered, in parts that a
/// browser takes as they are.
extension RenderPlan {
    /// - Parameters: as of ``init(_:catalog:container:libraries:)``.
    ///   - longestSide: pixels that neither side of the pictures exceeds. They are made on the
    ///     whole canvas, as those of a file are, and scaled before they are encoded.
    public init(
        previewing draft: Draft, catalog: Catalog, libraries: String, longestSide: Int = 960
    ) throws(Problems) {
        var draft = draft
        draft.timeRange = nil
        // The file's own settings say nothing about what is shown; its form of sound stays.
        draft.export.video = ExportSettings.Video()
        draft.export.audio.codec = nil
        draft.export.audio.bitRate = nil
        composition = try Composition(draft, catalog: catalog)
        (container, indexFirst, isPreview) = (.mp4, true, true)
        self.libraries = libraries
        let side = max(composition.size.width, composition.size.height)
        if side > longestSide {
            func even(_ length: Int) -> Int { max(16, (length * longestSide + side) / (2 * side) * 2) }
            scaledSize = Canvas.Size(width: even(composition.size.width), height: even(composition.size.height))
        }
        // Fast, and without pictures that wait for later ones, so that a part's first picture is at
        // its time zero. A browser shows SDR.
        video = VideoEncoding(codec: .h264, quality: 21, keyFrameInterval: 250, preset: "ultrafast", color: .sdr)
        if !composition.sound.isEmpty { audio = AudioEncoding(.flac, of: draft, catalog) }
        (segments, runs) = ([], [])
        soundKey = nil
        try cut()
        try cutSound()
    }

    /// A piece of a preview's sound: a file of its own.
    public struct SoundPiece: Hashable, Sendable {
        /// SHA-256 over everything that decides its bytes.
        public var key: String
        public var firstSample: Int
        public var samples: Int
    }

    /// Seconds of sound in a piece.
    private static let pieceSeconds = 4

    public var pieceSamples: Int { (audio?.sampleRate ?? 48_000) * Self.pieceSeconds }

    /// The sound in pieces, in order; none where nothing sounds.
    public func soundPieces() throws(Problems) -> [SoundPiece] {
        guard let soundKey, let sampleCount else { return [] }
        var pieces: [SoundPiece] = []
        for first in stride(from: 0, to: sampleCount, by: pieceSamples) {
            let content = PieceContent(sound: soundKey, firstSample: first, pieceSamples: pieceSamples)
            pieces.append(
                SoundPiece(
                    key: try contentKey(of: content, "sound piece", libraries), firstSample: first,
                    samples: min(pieceSamples, sampleCount - first)))
        }
        return pieces
    }

    private struct PieceContent: Encodable {
        var sound: String
        var firstSample: Int
        var pieceSamples: Int
    }
}
