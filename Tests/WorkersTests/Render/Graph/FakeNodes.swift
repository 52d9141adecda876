import Composition
import Draft
import Media

@testable import Workers

/// A node whose frame n is a picture of luma n (0 for negative numbers), made once and shared by
/// all who ask; it notes who asked for what.
final class FlatNode: Node {
    static let size = Canvas.Size(width: 16, height: 18)

    private let shown: (Int) -> Bool
    private let isOwned: Bool
    private(set) var asked: [Int] = []
    private(set) var closed = 0
    private(set) var pictures: [Int: Picture] = [:]

    /// - Parameters:
    ///   - isOwned: hands its pictures on as the receiver's own.
    ///   - shown: whether it shows something in a frame.
    init(isOwned: Bool = false, _ shown: @escaping (Int) -> Bool = { _ in true }) {
        self.isOwned = isOwned
        self.shown = shown
    }

    func frame(_ number: Int) throws -> Surface? {
        asked.append(number)
        guard shown(number) else { return nil }
        let picture = try pictures[number] ?? .flat(number)
        pictures[number] = picture
        return Surface(picture, isOwned: isOwned)
    }

    func close() { closed += 1 }

    /// No picture has been written to.
    var isIntact: Bool {
        pictures.allSatisfy { number, picture in picture.luma.allSatisfy { $0 == UInt8(clamping: number) } }
    }
}

extension Picture {
    /// A canvas picture of one grey.
    static func flat(_ luma: Int, _ size: Canvas.Size = FlatNode.size) throws -> Picture {
        let picture = try Picture(width: size.width, height: size.height, format: .yuv420p)
        for plane in 0..<3 {
            let rows = picture.size(ofPlane: plane).height
            picture.plane(plane).update(
                repeating: plane == 0 ? UInt8(clamping: luma) : 128, count: picture.stride(plane) * rows)
        }
        return picture
    }

    /// Row by row, without the rows' padding.
    var luma: [UInt8] { (0..<height).flatMap { row in (0..<width).map { plane(0)[row * stride(0) + $0] } } }
}

extension Switch<Surface> {
    /// One input in some runs of frames.
    convenience init(_ input: any Node<Surface>, in runs: Range<Int>...) {
        self.init()
        for run in runs { add(input, for: run) }
    }
}

extension PaintedLayer {
    /// Paints the layer alone onto a picture.
    func paint(onto picture: Picture) {
        let canvas = LayerCanvas(picture)
        paint(onto: canvas)
        canvas.finish()
    }
}
