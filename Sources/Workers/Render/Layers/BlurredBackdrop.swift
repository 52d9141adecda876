import CKernels
import Draft
import Media
import Values

/// A clip's own picture behind it: it fills the canvas, blurred.
///
/// It is blurred small, where that costs little, and enlarged to the canvas.
final class BlurredBackdrop: Node {
    /// The canvas is so many times as wide as what is blurred.
    private static let reduction = 8
    /// The standard deviation as a share of the canvas' longer side.
    private static let strength = 0.02

    private let content: any Node<LayerPicture>
    private let size: Canvas.Size
    private let color: ColorSystem
    private var last: (pixels: ObjectIdentifier, picture: LayerPicture, made: Picture)?

    init(_ content: any Node<LayerPicture>, _ size: Canvas.Size, _ color: ColorSystem) {
        (self.content, self.size, self.color) = (content, size, color)
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let picture = try content.frame(number) else { return nil }
        if let last, last.pixels == picture.identity, picture.isKept {
            return Surface(last.made, isOwned: false)
        }
        let made = try draw(picture)
        last = (picture.identity, picture, made)
        return Surface(made, isOwned: false)
    }

    func close() { last = nil }

    private func draw(_ picture: LayerPicture) throws -> Picture {
        let small = Canvas.Size(
            width: max(2, size.width / Self.reduction), height: max(2, size.height / Self.reduction))
        let sigma = Self.strength * Double(max(small.width, small.height))
        // Pixels beside the canvas are blurred into it, so that its edges do not darken.
        let margin = Int((3 * sigma).rounded(.up))
        let placed = Placement().placed(
            at: .zero, on: small, picture: (picture.width, picture.height), pixelAspect: picture.pixelAspect,
            mode: .fill)
        func line(_ count: Int, _ start: Double, _ length: Double, _ source: Double, _ shown: Double) -> SampleLine {
            let scale = shown / length
            return SampleLine(
                count: count + 2 * margin, scale: scale,
                first: source + (0.5 - Double(margin) - start) * scale - 0.5)
        }
        let blurred = try PremultipliedPicture(
            picture, across: line(small.width, placed.left, placed.width, placed.sourceLeft, placed.sourceWidth),
            down: line(small.height, placed.top, placed.height, placed.sourceTop, placed.sourceHeight),
            isTransposed: false, color: color)
        try blurred.blur(sigma)
        let (across, down) = (
            Double(small.width) / Double(size.width), Double(small.height) / Double(size.height)
        )
        let large = try PremultipliedPicture(
            enlarging: blurred,
            across: SampleLine(count: size.width, scale: across, first: Double(margin) + 0.5 * across - 0.5),
            down: SampleLine(count: size.height, scale: down, first: Double(margin) + 0.5 * down - 0.5))
        let result = try Picture(width: size.width, height: size.height, format: color.pictureFormat)
        large.floats.write(to: result, CK_CHROMA_MEAN)
        return result
    }
}
