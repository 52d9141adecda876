import Values

extension Value {
    /// Returns the value of an option as a script sees it, as far as no plugin has a say.
    /// - Parameter key: the option's name; another text for a plugin's parameter.
    public func forScript(key: String) -> Value {
        if case ("transition", .array(let parts)) = (key, self) { return .array(parts.map(\.seconds)) }
        return (OptionForm.exact[key] ?? .text).shown(self)
    }
}

extension OptionForm {
    /// The forms of options that are exact texts in documents, by their names, which mean the same
    /// for all objects.
    fileprivate static let exact: [String: OptionForm] = {
        var forms: [String: OptionForm] = ["factor": .fraction]
        func add<Object>(_ table: OptionTable<Object>) {
            for option in table.options where option.form.isTime || option.form.isFraction {
                forms[option.name] = option.form
            }
        }
        add(Clip.options)
        add(AudioClip.options)
        add(Layer.options)
        add(Title.options)
        add(Subtitles.options)
        add(DraftOptions.options)
        return forms
    }()
}
