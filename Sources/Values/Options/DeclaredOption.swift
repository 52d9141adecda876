/// An option of an object, declared once. Reading, writing, checks, suggestions, the values that
/// scripts see, the schema of documents and the tables of the manual come from this declaration;
/// ``OptionTable`` does each of them.
package struct DeclaredOption<Object: Sendable>: Sendable {
    package typealias Read = @Sendable (inout Object, inout FieldReader) throws(Problem) -> Void

    package let name: String
    package private(set) var form: OptionForm
    /// Takes the option's value, where it is given.
    package let read: Read
    /// Returns the value as a document has it; nil where there is none.
    package let value: @Sendable (Object, FieldWriter) -> Value?
    /// Returns whether a document has to say it.
    package let differs: @Sendable (_ object: Object, _ plain: Object) -> Bool
    /// What other tools call it, separated by spaces.
    package var otherNames: String
    /// The default in the manual's words, where the value of a plain object does not say it.
    package var usually: String?
    /// One line for the manual, in Markdown.
    package var help: String

    /// The objects that have the option.
    package private(set) var uses = ObjectUse.all
    /// The value of an object that was not given the option, where that is not the value of a plain
    /// one.
    package private(set) var unset: (@Sendable (Object) -> Value?)?
    /// Access to a value that may change with time.
    package private(set) var animation: Animation?

    /// What is said where a script adds the option as an effect.
    package private(set) var effectAdvice: String?

    package struct Animation: Sendable {
        package var range: ClosedRange<Double>?
        package let get: @Sendable (Object) -> Animated?
        package let set: @Sendable (inout Object, Animated) -> Void
    }

    /// - Parameters:
    ///   - also: what other tools call it, separated by spaces.
    ///   - usually: the default in the manual's words.
    package init(
        _ name: String, _ form: OptionForm, also: String = "", usually: String? = nil, _ help: String,
        read: @escaping Read, value: @escaping @Sendable (Object, FieldWriter) -> Value?,
        differs: @escaping @Sendable (_ object: Object, _ plain: Object) -> Bool = { _, _ in true }
    ) {
        (self.name, self.form, self.help) = (name, form, help)
        (self.read, self.value, self.differs) = (read, value, differs)
        (otherNames, self.usually) = (also, usually)
    }

    // MARK: Variations

    /// Returns the option for some of the objects that share the table.
    package func only(for uses: ObjectUse) -> DeclaredOption {
        var option = self
        option.uses = uses
        return option
    }

    /// Returns the option with another value for objects that were not given it.
    package func unset(_ value: @escaping @Sendable (Object) -> Value?) -> DeclaredOption {
        var option = self
        option.unset = value
        return option
    }

    /// Returns the option with a form of its own.
    package func shaped(_ form: OptionForm) -> DeclaredOption {
        var option = self
        option.form = form
        return option
    }

    /// Returns the option with a sentence for scripts that add it as an effect.
    package func advisingEffects(_ sentence: String) -> DeclaredOption {
        var option = self
        option.effectAdvice = sentence
        return option
    }

    package func animating(
        in range: ClosedRange<Double>?, _ get: @escaping @Sendable (Object) -> Animated?,
        _ set: @escaping @Sendable (inout Object, Animated) -> Void
    ) -> DeclaredOption {
        var option = self
        option.animation = Animation(range: range, get: get, set: set)
        return option
    }

    /// Returns the option of an object as one of what contains it.
    package func lifted<Outer: Sendable>(
        _ get: @escaping @Sendable (Outer) -> Object, _ set: @escaping @Sendable (inout Outer, Object) -> Void
    ) -> DeclaredOption<Outer> {
        let (read, value, differs) = (read, value, differs)
        var option = DeclaredOption<Outer>(
            name, form, also: otherNames, usually: usually, help,
            read: { (outer, fields) throws(Problem) in
                var object = get(outer)
                try read(&object, &fields)
                set(&outer, object)
            }, value: { value(get($0), $1) }, differs: { differs(get($0), get($1)) })
        (option.uses, option.effectAdvice) = (uses, effectAdvice)
        if let unset { option.unset = { unset(get($0)) } }
        if let animation {
            option.animation = DeclaredOption<Outer>.Animation(
                range: animation.range, get: { animation.get(get($0)) },
                set: { outer, value in
                    var object = get(outer)
                    animation.set(&object, value)
                    set(&outer, object)
                })
        }
        return option
    }

    package func lifted<Outer: Sendable>(_ path: WritableKeyPath<Outer, Object> & Sendable) -> DeclaredOption<Outer> {
        lifted({ $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }
}
