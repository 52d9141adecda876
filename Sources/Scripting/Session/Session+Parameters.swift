import Foundation
import Values

/// `cutroom.params`: what the script declares, what `--set` gives, and whether both fit.
extension Session {
    /// `cutroom.params { name = { type = …, default = …, … }, … }`: the values by name.
    func declareParameters(_ call: LuaCall) throws -> Value {
        guard case .object(let declarations) = call.argument(0) else {
            throw call.error(
                "cutroom.params wants a table such as { title = { type = \"string\", default = \"Hello\" } }")
        }
        var values: [String: Value] = [:]
        var missing: ScriptError?
        for (name, declaration) in declarations.sorted(by: { $0.key < $1.key }) {
            guard !parameters.contains(where: { $0.name == name }) else {
                throw call.error("the parameter ‘\(name)’ is declared twice")
            }
            var parameter = try ScriptParameter(name: name, declaration, call.origin)
            if let texts = given[name] {
                parameter.value = try parameter.value(of: texts, call.origin)
            } else if parameter.initial == .null {
                var error = ScriptError(
                    isDescribing ? .result : .parameter, noValue(parameter, beside: declarations), at: call.origin)
                error.isAboutNames = true
                guard isDescribing else { throw error }
                missing = missing ?? error
            } else {
                parameter.value = parameter.kind.seen(parameter.initial, in: source.folder)
            }
            values[name] = parameter.value
            parameters.append(parameter)
        }
        if let missing { throw missing }
        return .object(values)
    }

    /// - Parameter declarations: those of the same call.
    private func noValue(_ parameter: ScriptParameter, beside declarations: [String: Value]) -> String {
        let name = parameter.name
        let others = given.keys.filter { other in
            declarations[other] == nil && !parameters.contains { $0.name == other }
        }
        let how = "give \(parameter.isList ? "one or more" : "one") with --set \(name)=…"
        guard let near = nearestName(to: name, in: others) else {
            let unknown = others.sorted().map { "‘\($0)’" }.joined(separator: ", ")
            let besides = others.isEmpty ? "" : ", and no parameter here is called \(unknown)"
            return "the parameter ‘\(name)’ has no value; \(how)\(besides)"
        }
        return
            "the parameter ‘\(name)’ has no value, and there is no parameter ‘\(near)’ (--set \(near)=…); did you mean --set \(name)=…?"
    }

    /// At the end of a run, when everything that will be declared is.
    func refuseUnknownParameters() throws(ScriptError) {
        let names = parameters.map(\.name)
        guard let unknown = given.keys.filter({ !names.contains($0) }).min() else { return }
        let hint = names.isEmpty ? "; the script declares none" : suggestion(for: unknown, in: names)
        var error = ScriptError(
            .parameter, "--set \(unknown): there is no parameter ‘\(unknown)’\(hint)", file: source.name)
        error.isAboutNames = true
        throw error
    }

    func unknownParameter(_ call: LuaCall) -> ScriptError {
        let name = call.name(0)
        return call.error(
            "the script declares no parameter ‘\(name)’\(suggestion(for: name, in: parameters.map(\.name)))")
    }
}

extension ScriptParameter {
    fileprivate init(name: String, _ declaration: Value, _ origin: Origin) throws {
        let object = "parameter ‘\(name)’"
        guard case .object = declaration else {
            throw Problem(
                object,
                "is \(declaration.forPeople), but must be a table such as { type = \"string\", default = \"Hello\" }",
                origin: origin)
        }
        var fields = try FieldReader(declaration, object: object, origin: origin)
        guard let kind = try fields.choice("type", Kind.self, otherNames: .parameterTypes) else {
            throw fields.problem("needs a ‘type’: \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.init(
            name: name, kind: kind, isList: try fields.bool("list") ?? false, help: try fields.string("help") ?? "",
            initial: fields.value("default") ?? .null,
            choices: try fields.list("choices") ?? [], minimum: try fields.number("min"),
            maximum: try fields.number("max"),
            value: .null)
        try fields.finish(otherNames: .parameter)
        for choice in choices {
            if let reason = kind.refusal(of: choice) { throw fields.problem("one of its choices \(reason)") }
        }
        guard initial != .null else { return }
        if isList {
            guard case .array(let items) = initial else {
                throw fields.problem("its default is \(initial.forPeople), but must be a list, as it is one itself")
            }
            for (index, item) in items.enumerated() {
                if let reason = refusal(of: item) { throw fields.problem("item \(index + 1) of its default \(reason)") }
            }
        } else if let reason = refusal(of: initial) {
            throw fields.problem("its default \(reason)")
        }
    }

    /// Why the value, or a list's item, does not fit; nil where it does.
    private func refusal(of value: Value) -> String? {
        if let reason = kind.refusal(of: value) { return reason }
        if !choices.isEmpty, !choices.contains(value) {
            return
                "is \(value.forPeople)\(suggestion(for: value.text ?? "", in: choices.map { $0.text ?? $0.forPeople }))"
        }
        if case .number(let number) = value {
            if let minimum, number < minimum {
                return "is \(value.forPeople), but must be at least \(Value.number(minimum).forPeople)"
            }
            if let maximum, number > maximum {
                return "is \(value.forPeople), but must be at most \(Value.number(maximum).forPeople)"
            }
        }
        return nil
    }

    /// The value that texts from outside mean.
    fileprivate func value(of texts: [String], _ origin: Origin) throws(ScriptError) -> Value {
        guard !isList else {
            var items: [Value] = []
            for text in texts { items.append(try value(of: text, origin)) }
            return .array(items)
        }
        guard texts.count == 1, let text = texts.first else {
            throw ScriptError(
                .parameter, "--set \(name) is given \(texts.count) times, but the parameter has one value", at: origin)
        }
        return try value(of: text, origin)
    }

    private func value(of text: String, _ origin: Origin) throws(ScriptError) -> Value {
        func refuse(_ reason: String) -> ScriptError {
            ScriptError(.parameter, "--set \(name): the value \(reason)", at: origin)
        }
        let value: Value
        switch kind {
        case .string: value = .string(text)
        case .color, .path: value = kind.seen(.string(text), in: FileManager.default.currentDirectoryPath)
        case .number, .integer:
            guard let number = Double(text), number.isFinite else {
                throw refuse("is ‘\(text)’, but must be \(kind.wanted)")
            }
            value = .number(number)
        case .boolean:
            switch text.lowercased() {
            case "true", "yes", "on", "1": value = true
            case "false", "no", "off", "0": value = false
            default: throw refuse("is ‘\(text)’, but must be true or false")
            }
        }
        if text.utf8.contains(0) { throw refuse("has a zero byte in it") }
        if let reason = refusal(of: value) { throw refuse(reason) }
        return value
    }
}

extension ScriptParameter.Kind {
    fileprivate var wanted: String {
        switch self {
        case .string: "a text"
        case .number: "a number"
        case .integer: "a whole number"
        case .boolean: "true or false"
        case .color: Color.wanted
        case .path: "a path"
        }
    }

    /// A value, or each of a list, as the script sees it.
    /// - Parameter folder: where a relative path starts.
    fileprivate func seen(_ value: Value, in folder: String) -> Value {
        switch (self, value) {
        case (_, .array(let items)): .array(items.map { seen($0, in: folder) })
        case (.path, .string(let path)): .string(absolutePath(path, in: folder))
        case (.color, .string(let text)): .string(Color.spelled(text))
        default: value
        }
    }

    fileprivate func refusal(of value: Value) -> String? {
        if case (.color, .string(let text)) = (self, value), Color(text) == nil { return Color.refusal(of: text) }
        let fits =
            switch (self, value) {
            case (.string, .string), (.boolean, .bool): true
            case (.path, .string(let path)): !path.isEmpty
            case (.number, .number(let number)): number.isFinite
            case (.integer, .number(let number)): number == number.rounded() && number.magnitude < 1e15
            case (.color, .string(let text)): Color(text) != nil
            default: false
            }
        return fits ? nil : "is \(value.forPeople), but must be \(wanted)"
    }
}
