import Values

/// A draft that another one shows, as it was when it was put in.
///
/// It is shared by everything that shows it, and found by its identity where finding out about it
/// costs something.
public final class NestedDraft: Sendable {
    public let draft: Draft
    /// How many drafts lie in one another, this one among them.
    public let depth: Int
    /// The clips, sounds and effects in it, and in the drafts in it as often as they are shown.
    public let entryCount: Int

    /// The most drafts that may lie in one another, the one that is rendered not among them: each
    /// keeps pictures of its canvas.
    public static let deepest = 8
    /// A draft that shows more entries than this by way of the drafts in it is a mistake, not an
    /// edit.
    public static let maximumEntries = 100_000

    public init(_ draft: Draft) {
        self.draft = draft
        let nested = draft.nestedDrafts
        depth = 1 + (nested.map(\.depth).max() ?? 0)
        entryCount = nested.reduce(draft.clips.count + draft.audio.count + draft.effects.count) { sum, inner in
            min(sum, Int.max / 2) + min(inner.entryCount, Int.max / 2)
        }
    }

    /// What keeps it out of any draft; nil: nothing.
    public var refusal: String? {
        if depth > Self.deepest {
            return
                "has \(depth) drafts in one another, but at most \(Self.deepest) may be; put what the innermost ones show into the draft "
                + "around them"
        }
        if entryCount > Self.maximumEntries {
            return
                "shows more than \(Self.maximumEntries) clips, sounds and effects by way of the drafts in it; repeat less"
        }
        return nil
    }
}

extension NestedDraft: Hashable {
    public static func == (a: NestedDraft, b: NestedDraft) -> Bool { a === b || a.draft == b.draft }
    public func hash(into hasher: inout Hasher) { hasher.combine(draft) }
}

extension Draft {
    /// The drafts that its clips and layers show, in the order of ``places``.
    public var nestedDrafts: [NestedDraft] {
        clips.compactMap(\.nested) + effects.compactMap { $0.layer?.clip.nested }
    }

    /// The draft that the clip or the layer at a place shows.
    func nested(at place: DraftPlace) -> NestedDraft? {
        switch place {
        case .clip(let index): clips[index].nested
        case .effect(let index): effects[index].layer?.clip.nested
        default: nil
        }
    }

    /// Lets `change` put other drafts in the place of those that clips and layers show.
    mutating func changeNested(_ change: (Draft, DraftPlace) throws -> Draft) rethrows {
        for index in clips.indices { try clips[index].changeNested { try change($0, .clip(index)) } }
        for index in effects.indices {
            guard case .layer(var layer) = effects[index].kind, layer.clip.nested != nil else { continue }
            try layer.clip.changeNested { try change($0, .effect(index)) }
            effects[index].kind = .layer(layer)
        }
    }
}

extension Clip {
    /// A clip of the main track, or a layer's, that shows a draft.
    public init(_ nested: NestedDraft, range: TimeRange? = nil, id: String? = nil) {
        self.init(path: "", content: .draft(nested, range: range), id: id)
    }

    /// The draft that it shows.
    public var nested: NestedDraft? { if case .draft(let nested, _) = content { nested } else { nil } }

    fileprivate mutating func changeNested(_ change: (Draft) throws -> Draft) rethrows {
        guard case .draft(let nested, let range) = content else { return }
        let changed = try change(nested.draft)
        if changed != nested.draft { content = .draft(NestedDraft(changed), range: range) }
    }
}
