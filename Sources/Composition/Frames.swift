import Values

extension Time {
    /// The first frame whose middle lies at or after this time.
    func frame(middleFrom rate: Rational) -> Int {
        let index = frameIndex(rate: rate)
        return Time(middleOfFrame: index, rate: rate) >= self ? index : index + 1
    }
}

extension TimeRange {
    /// The frames that show this stretch of output time: those whose middle lies in it.
    public func frames(rate: Rational) -> Range<Int> {
        let first = start.frame(middleFrom: rate)
        return first..<max(first, end.frame(middleFrom: rate))
    }
}

extension Composition {
    /// The frames that show `range` of output time.
    func frames(in range: TimeRange) -> Range<Int> { range.frames(rate: frameRate) }
}
