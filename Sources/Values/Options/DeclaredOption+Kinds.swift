/// The usual kinds of options.
extension DeclaredOption {
    /// An option that is one part of the object.
    /// - Parameters:
    ///   - read: takes the value of the option of that name; nil where it is not given.
    ///   - value: what a document has of the part.
    package static func part<Part: Equatable & Sendable>(
        _ name: String, _ form: OptionForm, _ path: WritableKeyPath<Object, Part> & Sendable, also: String = "",
        usually: String? = nil, _ help: String,
        read: @escaping @Sendable (inout FieldReader, String) throws(Problem) -> Part?,
        value: @escaping @Sendable (Part, FieldWriter) -> Value?
    ) -> DeclaredOption {
        DeclaredOption(
            name, form, also: also, usually: usually, help,
            read: { (object, fields) throws(Problem) in
                if let part = try read(&fields, name) { object[keyPath: path] = part }
            }, value: { value($0[keyPath: path], $1) }, differs: { $0[keyPath: path] != $1[keyPath: path] })
    }

    package static func text(
        _ name: String, _ path: WritableKeyPath<Object, String?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .text, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.string(name) },
            value: { text, _ in text.map(Value.string) })
    }

    package static func file(
        _ name: String, _ path: WritableKeyPath<Object, String?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .path, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.path(name) },
            value: { path, writer in path.map { .string(writer.written(path: $0)) } })
    }

    package static func flag(
        _ name: String, _ path: WritableKeyPath<Object, Bool> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .flag, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.bool(name) }, value: { flag, _ in .bool(flag) })
    }

    /// A length of time that is not negative.
    package static func length(
        _ name: String, _ path: WritableKeyPath<Object, Time> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .seconds, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.length(name) },
            value: { time, _ in .string(time.description) })
    }

    package static func range(
        _ name: String, _ path: WritableKeyPath<Object, TimeRange?> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .timeRange, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.range(name) },
            value: { range, _ in range.map(\.value) })
    }

    /// A number that may change with time. Its range is checked with the draft, because the values
    /// of a function are known only then.
    package static func animated(
        _ name: String, _ path: WritableKeyPath<Object, Animated> & Sendable, in range: ClosedRange<Double>? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .animated(.number(range)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.animated(name) },
            value: { animated, _ in animated.value }
        ).animating(in: range, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// The same where most objects have none: an object has `usual` then.
    package static func animated(
        _ name: String, _ path: WritableKeyPath<Object, Animated?> & Sendable, in range: ClosedRange<Double>,
        unset usual: Double, also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .animated(.number(range)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in
                try fields.animated(name).map { $0 == .constant(usual) ? nil : $0 }
            }, value: { animated, _ in animated?.value }
        ).animating(in: range, { $0[keyPath: path] }, { $0[keyPath: path] = $1 }).unset { _ in .number(usual) }
    }

    package static func number(
        _ name: String, _ path: WritableKeyPath<Object, Double> & Sendable, in range: ClosedRange<Double>,
        _ unit: String, also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .number(range), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.number(name, range, unit) },
            value: { number, _ in .number(number) })
    }

    package static func number(
        _ name: String, _ path: WritableKeyPath<Object, Double?> & Sendable, in range: ClosedRange<Double>,
        _ unit: String, also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .number(range), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.number(name, range, unit) },
            value: { number, _ in number.map(Value.number) })
    }

    package static func color(
        _ name: String, _ path: WritableKeyPath<Object, Color> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .color, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.color(name) },
            value: { color, _ in .string(color.description) })
    }

    package static func color(
        _ name: String, _ path: WritableKeyPath<Object, Color?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> DeclaredOption {
        part(
            name, .color, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.color(name) },
            value: { color, _ in color.map { .string($0.description) } })
    }

    /// - Parameter choices: what other tools call the choices.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Object, Choice> & Sendable, _ choices: OtherNames? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .choice(Choice.allCases.map(\.rawValue)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.choice(name, Choice.self, otherNames: choices) },
            value: { choice, _ in .string(choice.rawValue) })
    }

    package static func choice<Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Object, Choice?> & Sendable, _ choices: OtherNames? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .choice(Choice.allCases.map(\.rawValue)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.choice(name, Choice.self, otherNames: choices) },
            value: { choice, _ in choice.map { .string($0.rawValue) } })
    }
}
