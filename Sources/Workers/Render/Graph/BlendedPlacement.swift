import CKernels
import Composition
import Media

/// The pictures of a file that moves on the canvas, in slow motion mixed with their neighbours: see
/// ``CanvasPlacement``.
///
/// They are mixed on the canvas, so each picture of the file is converted once, and what has alpha
/// already lies over the background.
final class BlendedPlacement: Node {
    private let source: any MovingSource
    private let file: MediaFile
    private let fit: CanvasFit
    /// Each keeps the picture that it made last; neighbours are not made by the same.
    private var converters: [(converter: CanvasConverter, input: Picture?)] = []

    init(_ source: any MovingSource, of file: MediaFile, _ fit: CanvasFit) {
        self.source = source
        self.file = file
        self.fit = fit
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let pair = try source.neighbours(number) else { return nil }
        let first = try converted(pair.first.picture, beside: pair.second?.picture)
        let share = Int32((pair.share * Double(CK_ONE)).rounded())
        guard let next = pair.second?.picture, share > 0 else { return Surface(first, isOwned: false) }
        let second = try converted(next, beside: pair.first.picture)
        let result = try first.sibling()
        if result.isTenBits {
            ck_dissolve_10(result.kernel, first.kernel, second.kernel, share)
        } else {
            ck_dissolve(result.kernel, first.kernel, second.kernel, share)
        }
        return Surface(result, isOwned: true)
    }

    func close() { converters = [] }

    private func converted(_ picture: Picture, beside other: Picture?) throws -> Picture {
        guard let info = file.info.video else { throw file.hasNoPicture }
        if converters.isEmpty { converters = (0..<2).map { _ in (fit.makeConverter(), nil) } }
        let index =
            converters.firstIndex { $0.input === picture }
            ?? converters.firstIndex { other == nil || $0.input !== other } ?? 0
        converters[index].input = picture
        return try converters[index].converter.convert(picture, info: info)
    }
}
