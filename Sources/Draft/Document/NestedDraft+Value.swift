import Values

/// A draft in a document of another one: the same tree without a version.
extension NestedDraft {
    /// Where a clip or a layer has its draft.
    public static let key = "draft"

    /// - Parameters:
    ///   - object: what shows it.
    ///   - level: how many drafts that lies in.
    convenience init(
        reading tree: Value, object: String, origin: Origin?, folder: String?, level: Int
    ) throws(Problem) {
        guard level < Self.deepest else {
            throw Problem(
                object, "lies in \(level) drafts, and at most \(Self.deepest) may lie in one another", origin: origin)
        }
        let draft: Draft
        do throws(Problems) {
            draft = try Draft(reading: tree, origin: origin ?? Origin(file: ""), folder: folder, level: level + 1)
        } catch {
            guard var first = error.all.first else { throw Problem(object, "its draft cannot be read", origin: origin) }
            first.object = DraftPlace.name(object, inside: first.object == "document" ? "draft" : first.object)
            if error.all.count > 1 { first.message += " (and \(error.all.count - 1) more)" }
            throw first
        }
        self.init(draft)
    }

    static func refuseFiles(beside table: [String: Value], _ object: String, _ origin: Origin?) throws(Problem) {
        guard let other = ["media", "image", "source"].first(where: { table[$0] != nil }) else { return }
        throw Problem(object, "has a ‘draft’ and ‘\(other)’; leave one of them out", origin: origin)
    }
}

extension Clip {
    /// A clip that shows a draft.
    /// - Parameters:
    ///   - value: the options in the full form: those of a video's clip.
    ///   - duration: that of the draft where it is known, so that ‘duration’ may be given for
    ///     ‘speed’.
    public init(
        _ nested: NestedDraft, isLayer: Bool = false, reading value: Value, object: String, origin: Origin? = nil,
        folder: String?, duration: Time? = nil
    ) throws(Problem) {
        if let track = value.fields["audio_track"], track != .null {
            throw Problem(object, "has an ‘audio_track’, but a draft has one sound; leave it out", origin: origin)
        }
        try self.init(
            path: "", isImage: false, isLayer: isLayer, reading: value, object: object, origin: origin, folder: folder,
            mediaDuration: duration)
        if case .media(let range) = content { content = .draft(nested, range: range) }
    }
}
