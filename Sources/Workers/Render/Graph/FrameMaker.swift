/// What makes single frames of a plugin's effect, without regard to what it made before.
protocol FrameMaker<Output>: AnyObject {
    associatedtype Output

    /// The effect's output at a moment; nil where an input shows nothing.
    func make(_ moment: Moment) throws -> Output?

    /// As ``Node/close()``. What is opened again has seen nothing.
    func close()
}
