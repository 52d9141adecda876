import Draft
import Values

/// What concerns a draft as a whole: time maps, validation and transactions.
extension Session {
    /// A time or a `{ start, duration }`, mapped in the direction that the operation's name says.
    func mapTime(_ call: LuaCall, _ index: Int) throws -> Value {
        let retiming = try known(\.retiming, of: index)
        let isForward = call.operation == "apply_effects"
        var fields = try FieldReader(.object([call.operation: call.argument(1)]), object: "draft", origin: call.origin)
        if case .array = call.argument(1) {
            guard let range = try fields.range(call.operation) else { return .null }
            let mapped = isForward ? retiming.applyEffects(to: range) : retiming.removeEffects(from: range)
            return mapped?.scriptValue ?? .null
        }
        guard let time = try fields.time(call.operation) else {
            throw call.error("\(call.operation) wants a time in seconds or { start, duration }")
        }
        let mapped = isForward ? retiming.applyEffects(to: time) : retiming.removeEffects(from: time)
        return mapped.map { .number($0.seconds) } ?? .null
    }

    /// What is known of a draft's times.
    /// - Throws: the draft's problems, of which one is the reason, where it is not known.
    func known<Known>(_ part: KeyPath<Outline, Known?>, of index: Int) throws(Problems) -> Known {
        if let known = drafts[index].outline(catalog)[keyPath: part] { return known }
        throw Problems(drafts[index].draft.validate(catalog))
    }

    /// The problems, and the warnings.
    func validate(_ index: Int) throws -> Value {
        let draft = drafts[index].draft
        try measureTitles(of: draft)
        func list(_ problems: [Problem], _ severity: Value) -> Value {
            .array(
                problems.map { problem in
                    var fields: [String: Value] = [
                        "object": .string(problem.object), "message": .string(problem.message), "severity": severity,
                    ]
                    fields["file"] = problem.origin.map { .string($0.file) }
                    fields["line"] = problem.origin?.line.map { .number($0) }
                    return .object(fields)
                })
        }
        let warnings = draft.warnings(catalog, in: draft.export.usualContainer)
        return .array([list(draft.validate(catalog), "error"), list(warnings, "warning")])
    }

    // MARK: Transactions

    /// More open transactions than this are a loop without an end.
    private static let maximumDepth = 100

    func changeTransaction(_ call: LuaCall, _ index: Int) throws -> Value {
        let depth = drafts[index].depth
        switch call.operation {
        case "begin":
            guard depth < Self.maximumDepth else { throw call.error("there are \(depth) open transactions already") }
            drafts[index].begin(call.origin)
            return .number(depth + 1)
        case "commit":
            guard depth > 0 else { throw call.error("there is no transaction to commit") }
            drafts[index].commit()
        case "cancel":
            guard depth > 0 else { throw call.error("there is no transaction to cancel") }
            drafts[index].cancel()
        case "finish":
            // The end of draft:transaction: what was begun inside it and left open ends with it.
            let own = try ownDepth(call)
            guard depth >= own else { throw call.error("the transaction was already ended inside its own function") }
            while drafts[index].depth >= own { drafts[index].commit() }
        default:
            let own = try ownDepth(call)
            while drafts[index].depth >= own { drafts[index].cancel() }
        }
        return .null
    }

    /// Which transaction, counted from the outermost, `draft:transaction` has begun.
    private func ownDepth(_ call: LuaCall) throws -> Int {
        guard case .number(let number) = call.argument(1), let depth = Int(exactly: number), depth >= 1 else {
            throw call.error("there is no such transaction")
        }
        return depth
    }
}
