import Delivery
import Values

/// The picture that a draft makes. What is nil follows the first clip.
public struct Canvas: Hashable, Sendable {
    public struct Size: Hashable, Sendable, Codable, CustomStringConvertible {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }

        public var description: String { "\(width)×\(height)" }
    }

    /// Even numbers, 16 … 8192.
    public var size: Size?
    /// The longest side allowed where ``size`` is nil: the first clip's picture keeps its shape and
    /// is never enlarged.
    public var longerSide: Int?
    /// Frames per second, 1 … 240.
    public var frameRate: Rational?
    /// nil: nothing was said. It is black then, and where the draft lies in another one there is
    /// none.
    public var wishedBackground: Color?
    /// 8-bit BT.709, or 10-bit HDR of BT.2020 (ITU-R BT.2100).
    public var color = ColorSystem.sdr

    public init(size: Size? = nil, frameRate: Rational? = nil, background: Color? = nil) {
        self.size = size
        self.frameRate = frameRate
        wishedBackground = background
    }

    public var background: Color {
        get { wishedBackground ?? .black }
        set { wishedBackground = newValue }
    }

    /// Whether something of what lies below shows through the background where another draft shows
    /// this one.
    public var isTransparent: Bool { wishedBackground.map { $0.alpha < 255 } ?? true }

    public static let sizeRange = PictureBounds.sides
    public static let frameRateRange = PictureBounds.frameRates

    /// What is wrong with a frame rate; nil where nothing is. Parts beyond 32 bits would not fit a
    /// file's time base.
    static func problem(ofFrameRate rate: Rational) -> String? {
        if !frameRateRange.contains(rate) {
            return "‘fps’ is \(Value.text(of: rate.doubleValue)), but must lie between 1 and 240 frames per second"
        }
        if max(rate.numerator, rate.denominator) > 100_000_000 {
            return "‘fps’ is \(rate), but must be a fraction of numbers up to 100000000"
        }
        return nil
    }

    /// The largest even size of shape `aspectWidth:aspectHeight` whose longer side is at most
    /// `maximum`.
    public static func size(aspectWidth: Double, aspectHeight: Double, maximum: Int) -> Size {
        let longest = maximum & ~1
        let scale = Double(longest) / max(aspectWidth, aspectHeight)
        func even(_ x: Double) -> Int { min(longest, max(2, Int((x / 2).rounded()) * 2)) }
        return Size(width: even(aspectWidth * scale), height: even(aspectHeight * scale))
    }

    /// The size with nothing open: as wished, else the first clip's, made even; 1280×720 without
    /// clips. Not larger than ``longerSide``.
    public func resolvedSize(first: VideoStreamInfo?) -> Size {
        if let size { return size }
        let (width, height) = first.map { ($0.width, $0.height) } ?? (1280, 720)
        let bound = min(longerSide ?? 4096, 4096)
        let scale = min(1, Double(bound) / Double(max(width, height, 1)))
        func even(_ x: Int) -> Int { max(16, min(bound & ~1, Int((Double(x) * scale / 2).rounded()) * 2)) }
        return Size(width: even(width), height: even(height))
    }

    /// Returns the requested frame rate, or the first clip's (``Rational/nominalFrameRate``); 30
    /// for an image.
    public func resolvedFrameRate(first: VideoStreamInfo?) -> Rational {
        if let frameRate { return frameRate }
        guard let first, first.frameRate > .zero else { return Rational(30) }
        return first.frameRate.nominalFrameRate
    }
}
