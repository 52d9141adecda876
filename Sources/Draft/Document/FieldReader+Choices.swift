import Values

extension FieldReader {
    /// Keys with the names of choices.
    func choices(_ items: [Value], _ key: String) throws(Problem) -> [ChoiceKey] {
        var names: [String] = []
        let keys = try keyframes(items, key) { (value) throws(Problem) in
            guard case .string(let name) = value else { throw wrong(key, "the name of a choice in each key", value) }
            names.append(name)
            return []
        }
        return zip(keys, names).map { ChoiceKey(time: $0.time, choice: $1) }
    }
}
