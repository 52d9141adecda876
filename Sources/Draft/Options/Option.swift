/// An option of an object, declared once. Reading, writing, checks, suggestions, the values that
/// scripts see, the schema of documents and the tables of the manual come from this declaration;
/// ``OptionTable`` does each of them.
struct Option<Object: Sendable>: Sendable {
    typealias Read = @Sendable (inout Object, inout FieldReader) throws(Problem) -> Void

    let name: String
    private(set) var form: OptionForm
    /// Takes the option's value, where it is given.
    let read: Read
    /// Returns the value as a document has it; nil where there is none.
    let value: @Sendable (Object, FieldWriter) -> Value?
    /// Returns whether a document has to say it.
    let differs: @Sendable (_ object: Object, _ plain: Object) -> Bool
    /// What other tools call it, separated by spaces.
    var otherNames: String
    /// The default in the manual's words, where the value of a plain object does not say it.
    var usually: String?
    /// One line for the manual, in Markdown.
    var help: String

    /// The objects that have the option.
    private(set) var uses = ObjectUse.all
    /// The value of an object that was not given the option, where that is not the value of a plain
    /// one.
    private(set) var unset: (@Sendable (Object) -> Value?)?
    /// Access to a value that may change with time.
    private(set) var animation: Animation?

    /// What is said where a script adds the option as an effect.
    private(set) var effectAdvice: String?

    struct Animation: Sendable {
        var range: ClosedRange<Double>?
        let get: @Sendable (Object) -> Animated?
        let set: @Sendable (inout Object, Animated) -> Void
    }

    /// - Parameters:
    ///   - also: what other tools call it, separated by spaces.
    ///   - usually: the default in the manual's words.
    init(
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
    func only(for uses: ObjectUse) -> Option {
        var option = self
        option.uses = uses
        return option
    }

    /// Returns the option with another value for objects that were not given it.
    func unset(_ value: @escaping @Sendable (Object) -> Value?) -> Option {
        var option = self
        option.unset = value
        return option
    }

    /// Returns the option with a form of its own.
    func shaped(_ form: OptionForm) -> Option {
        var option = self
        option.form = form
        return option
    }

    /// Returns the option with a sentence for scripts that add it as an effect.
    func advisingEffects(_ sentence: String) -> Option {
        var option = self
        option.effectAdvice = sentence
        return option
    }

    func animating(
        in range: ClosedRange<Double>?, _ get: @escaping @Sendable (Object) -> Animated?,
        _ set: @escaping @Sendable (inout Object, Animated) -> Void
    ) -> Option {
        var option = self
        option.animation = Animation(range: range, get: get, set: set)
        return option
    }

    /// Returns the option of an object as one of what contains it.
    func lifted<Outer: Sendable>(
        _ get: @escaping @Sendable (Outer) -> Object, _ set: @escaping @Sendable (inout Outer, Object) -> Void
    ) -> Option<Outer> {
        let (read, value, differs) = (read, value, differs)
        var option = Option<Outer>(
            name, form, also: otherNames, usually: usually, help,
            read: { (outer, fields) throws(Problem) in
                var object = get(outer)
                try read(&object, &fields)
                set(&outer, object)
            }, value: { value(get($0), $1) }, differs: { differs(get($0), get($1)) })
        (option.uses, option.effectAdvice) = (uses, effectAdvice)
        if let unset { option.unset = { unset(get($0)) } }
        if let animation {
            option.animation = Option<Outer>.Animation(
                range: animation.range, get: { animation.get(get($0)) },
                set: { outer, value in
                    var object = get(outer)
                    animation.set(&object, value)
                    set(&outer, object)
                })
        }
        return option
    }

    func lifted<Outer: Sendable>(_ path: WritableKeyPath<Outer, Object> & Sendable) -> Option<Outer> {
        lifted({ $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }
}

/// The objects that share a table: a clip by what it shows and where it lies. Other objects are all
/// alike.
struct ObjectUse: OptionSet, Sendable {
    let rawValue: Int

    /// Clips of the main track; a draft is media here.
    static let media = ObjectUse(rawValue: 1)
    static let image = ObjectUse(rawValue: 2)
    static let generated = ObjectUse(rawValue: 4)
    /// Layers.
    static let mediaLayer = ObjectUse(rawValue: 8)
    static let imageLayer = ObjectUse(rawValue: 16)
    static let generatedLayer = ObjectUse(rawValue: 32)
    static let colorLayer = ObjectUse(rawValue: 64)

    static let clips: ObjectUse = [.media, .image, .generated]
    static let layers: ObjectUse = [.mediaLayer, .imageLayer, .generatedLayer, .colorLayer]
    static let all: ObjectUse = [.clips, .layers]
    /// Whatever plays a file or a draft, on the main track or as a layer.
    static let playing: ObjectUse = [.media, .mediaLayer]
    /// Whatever has a place on the canvas.
    static let placed: ObjectUse = [.media, .image, .layers]
}
