/// The options of one kind of object, in the order in which they are read.
package struct OptionTable<Object: Sendable>: Sendable {
    /// The object that was given no option.
    package let plain: Object
    package let options: [DeclaredOption<Object>]

    /// - Precondition: no two options that one object may have share a name.
    package init(plain: Object, _ options: [DeclaredOption<Object>]) {
        for (index, option) in options.enumerated() {
            precondition(
                !options[..<index].contains { $0.name == option.name && !$0.uses.isDisjoint(with: option.uses) },
                "two options are called \(option.name)")
        }
        (self.plain, self.options) = (plain, options)
    }

    // MARK: Names

    package var names: [String] { options.map(\.name) }

    /// Returns the names of what some of the objects have.
    package func names(of uses: ObjectUse) -> [String] {
        options.filter { !$0.uses.isDisjoint(with: uses) }.map(\.name)
    }

    /// Returns what other tools call the options. The name of an option is never another one's.
    /// - Parameters:
    ///   - more: what is called otherwise here and is no option, with what others call it.
    ///   - sentences: what is said of the names beside it.
    package func otherNames(
        _ more: KeyValuePairs<String, String> = [:], saying sentences: KeyValuePairs<String, String> = [:]
    ) -> OtherNames {
        OtherNames(options.map { ($0.name, $0.otherNames) } + more.map { ($0, $1) }, saying: sentences.map { ($0, $1) })
            .without(names)
    }

    /// Returns what is said to those who add an option as an effect.
    package var effectAdvice: OtherNames {
        OtherNames([], saying: options.compactMap { option in option.effectAdvice.map { ($0, option.name) } })
    }

    // MARK: Documents and scripts

    /// Reads what the object of `fields` has, and refuses what it lacks and others of its kind
    /// have.
    package func read(_ object: inout Object, from fields: inout FieldReader) throws(Problem) {
        for option in options {
            if !option.uses.isDisjoint(with: fields.use) {
                try option.read(&object, &fields)
            } else if let lack = fields.lack, option.uses.contains(lack.of), !lack.names.contains(option.name) {
                guard fields.given([option.name]).isEmpty else {
                    throw fields.problem(lack.refusal(of: option.name))
                }
                fields.ignoreNull([option.name])
            }
        }
    }

    /// Writes what is not as a plain object has it.
    /// - Parameter plain: that object; nil: the table's own.
    package func write(
        _ object: Object, to writer: inout FieldWriter, as uses: ObjectUse = .all, unlike plain: Object? = nil
    ) {
        let plain = plain ?? self.plain
        for option in options where !option.uses.isDisjoint(with: uses) && option.differs(object, plain) {
            writer.put(option.name, option.value(object, writer))
        }
    }

    /// Returns what a script reads where an option was not given, by the names of the options; null
    /// where that is nothing.
    /// - Parameter plain: the object of which only what cannot be left out counts.
    package func unsetValues(of plain: Object? = nil, as uses: ObjectUse = .all) -> [String: Value] {
        var values: [String: Value] = [:]
        for option in options where !option.uses.isDisjoint(with: uses) {
            values[option.name] = unsetValue(of: option, plain) ?? .null
        }
        return values
    }

    package func unsetValue(of option: DeclaredOption<Object>, _ plain: Object? = nil) -> Value? {
        if let unset = option.unset { return unset(plain ?? self.plain) }
        return option.value(self.plain, FieldWriter()).map(option.form.shown)
    }

    // MARK: Values that change with time

    /// Calls `change` with the name of every value that may change with time, and the value.
    package func changeValues(of object: inout Object, _ change: (String, inout Animated) throws -> Void) rethrows {
        for option in options {
            guard let animation = option.animation, var value = animation.get(object) else { continue }
            try change(option.name, &value)
            animation.set(&object, value)
        }
    }

    /// Calls `report` with the options whose values leave their ranges.
    package func checkRanges(of object: Object, _ report: (_ name: String, Animated, ClosedRange<Double>) -> Void) {
        for option in options {
            guard let animation = option.animation, let range = animation.range, let value = animation.get(object)
            else { continue }
            report(option.name, value, range)
        }
    }
}

extension FieldReader {
    /// What the object lacks that another object of its kind has.
    package struct Lack {
        /// The object's kind in sentences.
        package var what: String
        /// The object that has it.
        package var of: ObjectUse
        /// The names that another option of the object has.
        package var names: Set<String> = []

        package init(what: String, of: ObjectUse, names: Set<String> = []) {
            (self.what, self.of, self.names) = (what, of, names)
        }

        package func refusal(of name: String) -> String {
            "\(what) has no ‘\(name)’" + (name == "range" ? "; its ‘duration’ is how long it is shown, in seconds" : "")
        }
    }
}
