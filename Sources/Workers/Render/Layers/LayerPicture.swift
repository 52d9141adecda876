import Draft
import Media

/// A layer's picture before it is placed: as large as its content.
struct LayerPicture {
    enum Pixels {
        /// RGBA with straight alpha.
        case rgba(Picture)
        /// In the canvas' own colours, opaque where the format has no alpha.
        case canvas(Picture)
        /// R′G′B′ as the canvas encodes it, with straight alpha.
        case floats(FloatPicture)
    }

    var pixels: Pixels
    /// The width of a pixel for a height of 1.
    var pixelAspect = 1.0
    /// Its memory becomes another picture's.
    var isReused = false

    var width: Int {
        switch pixels {
        case .rgba(let picture), .canvas(let picture): picture.width
        case .floats(let floats): floats.width
        }
    }
    var height: Int {
        switch pixels {
        case .rgba(let picture), .canvas(let picture): picture.height
        case .floats(let floats): floats.height
        }
    }
}

extension VideoStreamInfo {
    /// The width of a pixel for a height of 1, of a picture of a size that shows the stream.
    func pixelAspect(width: Int, height: Int) -> Double {
        Double(self.width) / Double(max(1, self.height)) * Double(height) / Double(max(1, width))
    }

    /// The size of the stream's pictures as layers have them in the canvas' colours: their own, in
    /// even numbers, and no larger than `limit` allows.
    func layerSize(within limit: Canvas.Size?) -> Canvas.Size {
        let (w, h) = (Double(max(1, width)), Double(max(1, height)))
        let bound = limit.map { min(1, Double($0.width) / w, Double($0.height) / h) } ?? 1
        func even(_ side: Double) -> Int { max(2, Int((side * bound / 2).rounded()) * 2) }
        return Canvas.Size(width: min(16384, even(w)), height: min(16384, even(h)))
    }
}
