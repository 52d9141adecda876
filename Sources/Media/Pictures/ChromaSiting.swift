import CFFmpeg

/// Where a chroma sample lies among the luma samples that it covers: distances from the first of
/// them, in luma samples, 0 … 1. Only directions in which chroma is subsampled count.
struct ChromaSiting: Hashable {
    var x: Double
    var y: Double

    /// The canvas': on the left column, between the rows, as MPEG-2 and H.264 have it by
    /// default.
    static let canvas = ChromaSiting(x: 0, y: 0.5)

    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    /// From a frame's tag; untagged video is sited like the canvas. Source: ITU-T H.264, figure
    /// E-1.
    init(tag: AVChromaLocation) {
        switch tag {
        case AVCHROMA_LOC_CENTER: self.init(x: 0.5, y: 0.5)
        case AVCHROMA_LOC_TOPLEFT: self.init(x: 0, y: 0)
        case AVCHROMA_LOC_TOP: self.init(x: 0.5, y: 0)
        case AVCHROMA_LOC_BOTTOMLEFT: self.init(x: 0, y: 1)
        case AVCHROMA_LOC_BOTTOM: self.init(x: 0.5, y: 1)
        default: self = .canvas
        }
    }

    /// The siting of a picture that is sited like the canvas once it has been turned clockwise and
    /// then mirrored.
    static func beforeTurning(_ degrees: Int, isMirrored: Bool) -> ChromaSiting {
        let x = isMirrored ? 1 - canvas.x : canvas.x
        return switch degrees {
        case 90: ChromaSiting(x: canvas.y, y: 1 - x)
        case 180: ChromaSiting(x: 1 - x, y: canvas.y)
        case 270: ChromaSiting(x: canvas.y, y: x)
        default: ChromaSiting(x: x, y: canvas.y)
        }
    }
}
