import Draft

/// An upright rectangle of whole pixels; half open.
struct TitleArea: Hashable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    static let nothing = TitleArea(left: .max, top: .max, right: .min, bottom: .min)
    var isEmpty: Bool { left >= right || top >= bottom }
    var width: Int { isEmpty ? 0 : right - left }
    var height: Int { isEmpty ? 0 : bottom - top }

    func union(_ other: TitleArea) -> TitleArea {
        TitleArea(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    func intersection(_ other: TitleArea) -> TitleArea {
        let area = TitleArea(
            left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
            bottom: min(bottom, other.bottom))
        return area.isEmpty ? .nothing : area
    }

    /// So many pixels on each side, for ``grown(by:)``.
    static func around(_ pixels: Int) -> TitleArea {
        TitleArea(left: pixels, top: pixels, right: pixels, bottom: pixels)
    }

    /// Larger on each side by what ``Draft/Title/Shadow/reach`` says; not to be asked of nothing.
    func grown(by reach: TitleArea) -> TitleArea {
        TitleArea(
            left: left - reach.left, top: top - reach.top, right: right + reach.right, bottom: bottom + reach.bottom)
    }
}

extension Title.Shadow {
    /// Pixels of one of the three boxes that stand for the normal distribution (W3C, *Filter
    /// Effects Module Level 1*).
    var boxWidth: Int { Int((blur / 2 * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down)) }

    var shift: (x: Int, y: Int) { (Int(offset.x.rounded()), Int(offset.y.rounded())) }

    /// By how much text and shadow may lie apart, on each side.
    var reach: TitleArea {
        let spread = boxWidth * 3 / 2 + 2
        let (x, y) = (abs(shift.x), abs(shift.y))
        return TitleArea(left: spread + x, top: spread + y, right: spread + x, bottom: spread + y)
    }
}
