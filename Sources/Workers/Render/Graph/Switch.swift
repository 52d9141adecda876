/// A node that shows one of several inputs, a run of frames each, and nothing in the gaps between.
///
/// It is what an effect acts on: the input that the instruction of a frame puts before it, and nil
/// where the effect does not act.
final class Switch<Output>: Node {
    private(set) var inputs = FrameRuns<any Node<Output>>()

    /// For the builder alone, in the order of frames.
    func add(_ input: any Node<Output>, for frames: Range<Int>) { inputs.add(input, for: frames) }

    func frame(_ number: Int) throws -> Output? { try inputs[number]?.frame(number) }
}
