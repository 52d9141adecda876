import Media

/// The picture that a source delivers now, as a node: it is the same for all frames that are asked
/// for until the next one comes.
final class LiveSource: Node {
    var picture: Picture?

    func frame(_ number: Int) -> Surface? { picture.map { Surface($0, isOwned: false) } }
}
