import Draft
import Values

/// Drafts in drafts. A draft is shown as it is when it is put into another one, and does not change
/// after that: so neither can two places disagree about it, nor can it come to contain itself.
extension Session {
    /// The number of the draft that an argument is; nil where it is something else.
    static func draftNumber(_ value: Value) -> Int? {
        guard case .object(let fields) = value, fields.count == 1, case .number(let number)? = fields["draft"] else {
            return nil
        }
        return Int(exactly: number)
    }

    /// The draft that a clip or a layer is to show; nil where the argument is none.
    /// - Parameters:
    ///   - holder: the draft that it is put into; nil: one that is being made.
    ///   - object: what shows it.
    func nested(_ value: Value, in holder: Int?, _ object: String, _ call: LuaCall) throws -> NestedDraft? {
        guard let number = Self.draftNumber(value) else { return nil }
        guard drafts.indices.contains(number) else { throw call.error("there is no such draft") }
        if let holder { try refuseCycle(number, in: holder, object, call) }
        if let open = drafts[number].openTransaction {
            throw Problem(
                object,
                "cannot show a draft of which a transaction is open, which begins at \(open); commit or cancel it first",
                origin: call.origin)
        }
        let nested = drafts[number].shown?.nested ?? NestedDraft(drafts[number].draft)
        if var problem = nested.problems(catalog).first {
            let isRefused = nested.refusal != nil
            problem.object = isRefused ? object : DraftPlace.name(object, inside: problem.object)
            problem.origin = isRefused ? call.origin : problem.origin ?? call.origin
            throw problem
        }
        return drafts[number].show(at: call.origin)
    }

    /// Refuses to put a draft into itself, or into one that lies in it.
    private func refuseCycle(_ number: Int, in holder: Int, _ object: String, _ call: LuaCall) throws(Problem) {
        if number == holder {
            throw Problem(
                object, "would show the draft that it lies in; a draft cannot contain itself", origin: call.origin)
        }
        guard let held = drafts[holder].shown, drafts[number].draft.contains(held.nested) else { return }
        throw Problem(
            object,
            "would show a draft that contains this one (see \(held.origin)); a draft cannot contain itself",
            origin: call.origin)
    }

    /// Refuses to change a draft that another one shows.
    func refuseChange(_ call: LuaCall, _ draft: Int) throws {
        guard let shown = drafts[draft].shown, !Self.reading.contains(call.operation) else { return }
        if ["add_clip", "add_layer"].contains(call.operation), let number = Self.draftNumber(call.argument(1)),
            drafts.indices.contains(number)
        {
            let list: ListName = call.operation == "add_clip" ? .clips : .effects
            try refuseCycle(number, in: draft, "\(list.singular) \(drafts[draft].contents[list].count + 1)", call)
        }
        throw Problem(
            "draft",
            "was put into another draft at \(shown.origin), which shows it as it was then, so it cannot change any more; finish it before, or "
                + "make it in a function, anew for each place", origin: call.origin)
    }

    /// The operations that leave a draft as it is.
    private static let reading: Set = [
        "clip", "audio_clip", "effect", "count", "find", "get", "name", "draft_get", "apply_effects", "remove_effects",
        "validate", "color_functions", "assign_list",
    ]

    /// A clip, or a layer's, that shows a draft.
    func readNested(
        _ nested: NestedDraft, isLayer: Bool = false, _ options: Value, setting property: String? = nil,
        _ object: String, _ origin: Origin
    ) throws -> Clip {
        try refuseUnknownEffects(options, object, origin)
        let options = try typed(clip: options, setting: property, object, origin)
        let duration = nested.duration(catalog) ?? .zero
        let clip = try Clip(
            nested, isLayer: isLayer, reading: try form.full(clip: options, object, origin), object: object,
            origin: origin, folder: source.folder, duration: duration)
        let range = clip.sourceRange(mediaDuration: duration)
        if range.isEmpty {
            throw Problem(object, Clip.emptiness(of: range, "its draft", lasting: duration), origin: origin)
        }
        try checkLooks(of: clip, object, origin)
        return clip
    }
}

extension Draft {
    /// Some clip or layer shows it, or a draft that contains it.
    fileprivate func contains(_ nested: NestedDraft) -> Bool {
        nestedDrafts.contains { $0 === nested || $0.depth > nested.depth && $0.draft.contains(nested) }
    }
}
