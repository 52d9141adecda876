extension Array {
    /// Every `step`th element, the first among them: what of a sweep's cases stays in `make test`.
    /// - Parameter step: at least 1; 1 gives all elements.
    public func every(_ step: Int) -> [Element] {
        stride(from: startIndex, to: endIndex, by: step).map { self[$0] }
    }
}
