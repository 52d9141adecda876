import Draft
import Values

/// Functions of time become keyframes before the Lua state is gone: workers never run Lua.
extension Session {
    /// A draft that does not validate is left as it is; its problems are the better message.
    func sampled(_ state: DraftState) throws(ScriptError) -> Draft {
        let draft = state.draft
        do {
            for id in draft.pluginIDs { _ = try pluginEffects(with: id) }
        } catch {
            throw ScriptError(.unreadable, "\(error)", file: source.name)
        }
        guard draft.hasFunctions, let lua, draft.validate(catalog).isEmpty else { return named(draft) }
        var failure: ScriptError?
        do {
            let sampled = try draft.replacingFunctions(catalog) {
                (function: Int, seconds: Double, object: String) throws(Problem) -> [Double] in
                do throws(ScriptError) {
                    return try sample(lua, function, seconds)
                } catch {
                    var error = error
                    error.object = "\(object), at \(Value.number(seconds).forPeople) s"
                    failure = error
                    throw Problem(object, error.message)
                }
            }
            return named(sampled)
        } catch {
            if let failure { throw failure }
            if let problem = error as? Problem {
                var error = ScriptError(problem)
                error.file = error.file ?? source.name
                throw error
            }
            throw ScriptError(.rule, "\(error)", file: source.name)
        }
    }

    /// Functions and tables of numbers give choices as indices, which must not leave the script.
    private func named(_ draft: Draft) -> Draft { draft.namingChoices { catalog.effect($0) } }

    /// A colour's function has a companion that gives numbers where it gives texts. Errors name the
    /// function itself.
    private func sample(_ lua: LuaState, _ function: Int, _ seconds: Double) throws(ScriptError) -> [Double] {
        if let companion = companions[function], let numbers = try? lua.sample(companion, at: seconds) {
            return numbers
        }
        return try lua.sample(function, at: seconds)
    }
}
