/// A step of the picture's graph, which makes frame n of its output from frames of its inputs.
///
/// **Pull.** A frame is made on request, and its node requests frames of the inputs meanwhile:
/// nothing flows by itself, and all of it happens on one thread, except that a ``FileSource``
/// decodes ahead. Frames are counted as the slice counts them; a number may be negative. A node
/// answers nil for a frame that it does not show, which lies outside the slice or in a gap. The
/// same frame has the same content whenever it is asked for.
///
/// **What a node asks for.** When asked for frame n, a node asks each input for frame n, once, the
/// lowest picture first. Two kinds ask for more: a ``WindowCache`` asks for the frames around n, in
/// rising order and each once, and a ``StateKeeper`` makes the frames that it missed before it
/// makes frame n. So a node may be asked for frames in any order. One that depends on the order
/// stands behind a keeper, which promises it the frames in the order of its own time.
///
/// **Who may write.** A ``Surface`` says whether its picture is the receiver's own. A node writes
/// into an own picture, and copies a shared one before it does. A node that keeps a picture which
/// it hands on (a cache, a converter, a decoder) hands it on as shared. Outputs of other types are
/// good until their node is asked again, and read only unless their node says otherwise.
///
/// **Opening and closing.** With the first frame that a node makes it opens what is costly: a
/// decoder, a plugin's instance, a table. ``close()`` lets go of it. The graph closes a node when
/// no later frame of the slice shows it. An effect that catches up may ask for such a node once
/// more: it opens anew, and is closed again when the slice has gone on to its next instruction.
///
/// **Failing.** An error ends the slice. A node that threw is only closed after that.
protocol Node<Output>: AnyObject {
    associatedtype Output

    /// The node's frame `number`; nil where it shows nothing.
    func frame(_ number: Int) throws -> Output?

    /// Lets go of everything that was opened and kept; the owner of the inputs closes them.
    func close()
}

extension Node {
    func close() {}
}
