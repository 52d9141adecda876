/// The maker of a plugin effect's frames, each by itself: a ``StateKeeper`` sees to their order.
protocol FrameMaker<Output>: AnyObject {
    associatedtype Output

    /// The effect's output at a moment; nil where an input shows nothing.
    func make(_ moment: Moment) throws -> Output?

    /// Closes it as ``Node/close()`` does. What is opened again has seen nothing.
    func close()
}
