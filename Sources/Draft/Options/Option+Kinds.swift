/// The usual kinds of options.
extension Option {
    /// An option that is one part of the object.
    /// - Parameters:
    ///   - read: takes the value of the option of that name; nil where it is not given.
    ///   - value: what a document has of the part.
    static func part<Part: Equatable & Sendable>(
        _ name: String, _ form: OptionForm, _ path: WritableKeyPath<Object, Part> & Sendable, also: String = "",
        usually: String? = nil, _ help: String,
        read: @escaping @Sendable (inout FieldReader, String) throws(Problem) -> Part?,
        value: @escaping @Sendable (Part, FieldWriter) -> Value?
    ) -> Option {
        Option(
            name, form, also: also, usually: usually, help,
            read: { (object, fields) throws(Problem) in
                if let part = try read(&fields, name) { object[keyPath: path] = part }
            }, value: { value($0[keyPath: path], $1) }, differs: { $0[keyPath: path] != $1[keyPath: path] })
    }

    static func text(
        _ name: String, _ path: WritableKeyPath<Object, String?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .text, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.string(name) },
            value: { text, _ in text.map(Value.string) })
    }

    static func file(
        _ name: String, _ path: WritableKeyPath<Object, String?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .path, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.path(name) },
            value: { path, writer in path.map { .string(writer.written(path: $0)) } })
    }

    static func flag(
        _ name: String, _ path: WritableKeyPath<Object, Bool> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .flag, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.bool(name) }, value: { flag, _ in .bool(flag) })
    }

    /// A length of time that is not negative.
    static func length(
        _ name: String, _ path: WritableKeyPath<Object, Time> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .seconds, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.length(name) },
            value: { time, _ in .string(time.description) })
    }

    static func range(
        _ name: String, _ path: WritableKeyPath<Object, TimeRange?> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .timeRange, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.range(name) },
            value: { range, _ in range.map(\.value) })
    }

    /// A number that may change with time. Its range is checked with the draft, because the values
    /// of a function are known only then.
    static func animated(
        _ name: String, _ path: WritableKeyPath<Object, Animated> & Sendable, in range: ClosedRange<Double>? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .animated(.number(range)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.animated(name) },
            value: { animated, _ in animated.value }
        ).animating(in: range, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// The same where most objects have none: an object has `usual` then.
    static func animated(
        _ name: String, _ path: WritableKeyPath<Object, Animated?> & Sendable, in range: ClosedRange<Double>,
        unset usual: Double, also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .animated(.number(range)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in
                try fields.animated(name).map { $0 == .constant(usual) ? nil : $0 }
            }, value: { animated, _ in animated?.value }
        ).animating(in: range, { $0[keyPath: path] }, { $0[keyPath: path] = $1 }).unset { _ in .number(usual) }
    }

    static func number(
        _ name: String, _ path: WritableKeyPath<Object, Double> & Sendable, in range: ClosedRange<Double>,
        _ unit: String, also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .number(range), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.number(name, range, unit) },
            value: { number, _ in .number(number) })
    }

    static func number(
        _ name: String, _ path: WritableKeyPath<Object, Double?> & Sendable, in range: ClosedRange<Double>,
        _ unit: String, also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .number(range), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.number(name, range, unit) },
            value: { number, _ in number.map(Value.number) })
    }

    static func color(
        _ name: String, _ path: WritableKeyPath<Object, Color> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .color, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.color(name) },
            value: { color, _ in .string(color.description) })
    }

    static func color(
        _ name: String, _ path: WritableKeyPath<Object, Color?> & Sendable, also: String = "", usually: String? = nil,
        _ help: String
    ) -> Option {
        part(
            name, .color, path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.color(name) },
            value: { color, _ in color.map { .string($0.description) } })
    }

    /// - Parameter choices: what other tools call the choices.
    static func choice<Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Object, Choice> & Sendable, _ choices: OtherNames? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .choice(Choice.allCases.map(\.rawValue)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.choice(name, Choice.self, otherNames: choices) },
            value: { choice, _ in .string(choice.rawValue) })
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Object, Choice?> & Sendable, _ choices: OtherNames? = nil,
        also: String = "", usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .choice(Choice.allCases.map(\.rawValue)), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.choice(name, Choice.self, otherNames: choices) },
            value: { choice, _ in choice.map { .string($0.rawValue) } })
    }

    static func track(
        _ name: String, _ path: WritableKeyPath<Object, TrackChoice?> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .either([.whole(1...10_000), .text]), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.track(name) }, value: { track, _ in track?.value })
    }

    /// The effects of a clip's own.
    static func effects(
        _ name: String, _ path: WritableKeyPath<Object, [Effect]> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> Option {
        part(
            name, .list(.reference("effect")), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in
                guard let list = try fields.list(name) else { return nil }
                var effects: [Effect] = []
                for (index, item) in list.enumerated() {
                    effects.append(
                        try Effect(
                            readingOwn: item, object: "\(fields.object), effect \(index + 1)", origin: fields.origin,
                            folder: fields.folder))
                }
                return effects
            }, value: { effects, writer in .array(effects.map { $0.value(in: writer.folder) }) })
    }
}

extension TimeRange {
    /// `[start, duration]`, exact.
    var value: Value { .array([.string(start.description), .string(duration.description)]) }
}
