import Values

/// A key of a choice that changes with time. Each choice holds until the next key; the first one
/// holds before its key as well.
public struct ChoiceKey: Hashable, Sendable, Codable {
    public var time: Time
    /// The id of an enumeration's value.
    public var choice: String

    public init(time: Time, choice: String) {
        (self.time, self.choice) = (time, choice)
    }
}

extension [ChoiceKey] {
    /// Returns the choice at a time.
    public func choice(at time: Time) -> String {
        (last { $0.time <= time } ?? first)?.choice ?? ""
    }

    /// Returns the keys that decide the choice within `range`, or one text where only one choice is
    /// shown there.
    public func settled(in range: TimeRange) -> ParameterValue {
        let begin = lastIndex { $0.time <= range.start } ?? startIndex
        let end = Swift.max(firstIndex { $0.time >= range.end } ?? endIndex, Swift.min(begin + 1, endIndex))
        let part = Array(self[begin..<end])
        return part.allSatisfy { $0.choice == part[0].choice } ? .text(part[0].choice) : .choices(part)
    }
}

extension Draft {
    /// Returns the draft with the names of choices in place of their indices, in drafts inside it
    /// as well.
    ///
    /// An index depends on the plugin's version: a document with indices shows something else once
    /// the plugin inserts a choice. Values that are not valid indices stay; validation refuses
    /// them.
    /// - Parameter effect: the descriptor of an effect by its id.
    public func namingChoices(_ effect: (String) -> EffectDescriptor?) -> Draft {
        var result = self
        result.changeUses { use in
            use.changePlugin { plugin in
                guard let descriptor = effect(plugin.effectID) else { return }
                for parameter in descriptor.parameters where parameter.kind == .enum {
                    plugin.parameters[parameter.id] = plugin.parameters[parameter.id].map(parameter.namingChoices)
                }
            }
        }
        return result
    }
}

extension ParameterDescriptor {
    fileprivate func namingChoices(_ value: ParameterValue) -> ParameterValue {
        func name(_ numbers: [Double]) -> String? {
            guard numbers.count == 1, let index = Int(exactly: numbers[0]), choices.indices.contains(index) else {
                return nil
            }
            return choices[index]
        }
        switch value {
        case .numbers(.constant(let numbers)): return name(numbers).map(ParameterValue.text) ?? value
        case .numbers(.keyframes(let keys)):
            let named = keys.compactMap { key in name(key.value).map { ChoiceKey(time: key.time, choice: $0) } }
            return named.count == keys.count ? .choices(named) : value
        case .numbers(.function), .choices, .text, .path: return value
        }
    }
}
