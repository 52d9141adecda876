import Draft

/// Functions of time become keyframes before the Lua state is gone: workers never run Lua.
extension Session {
    /// A draft that does not validate is left as it is; its problems are the better message.
    func sampled(_ state: DraftState) throws(ScriptError) -> Draft {
        let draft = state.draft
        do {
            for id in draft.pluginEffects { _ = try pluginEffects(with: id) }
        } catch {
            throw ScriptError(.unreadable, "\(error)", file: source.name)
        }
        guard draft.hasFunctions, let lua, draft.validate(catalog).isEmpty else { return draft }
        var failure: ScriptError?
        do {
            return try draft.replacingFunctions(catalog) {
                (function: Int, seconds: Double, object: String) throws(Problem) -> [Double] in
                do throws(ScriptError) {
                    return try lua.sample(function, at: seconds)
                } catch {
                    var error = error
                    error.message = "\(object), at \(Value.number(seconds).forPeople) s: \(error.message)"
                    failure = error
                    throw Problem(object, error.message)
                }
            }
        } catch {
            if let failure { throw failure }
            if let problem = error as? Problem {
                throw ScriptError(.rule, "\(problem.object): \(problem.message)", file: source.name)
            }
            throw ScriptError(.rule, "\(error)", file: source.name)
        }
    }
}
