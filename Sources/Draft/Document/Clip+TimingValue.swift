import Values

/// A clip's timing in scripts and documents.
extension Clip {
    /// The speed at which a range of `length` takes `wished`, with its stops and in all its passes.
    func speed(lasting wished: Time, _ length: Time, _ fields: FieldReader) throws(Problem) -> Rational {
        let stops = timing.freezes.reduce(Time.zero) { $0 + min($1.duration, .longest) }
        let passes = Rational(Int64(timing.passes))
        let played = wished - stops.scaled(by: passes)
        guard played > .zero else {
            throw fields.problem(
                "‘duration’ is \(wished.forPeople) s, but its stops alone last \(stops.scaled(by: passes).forPeople) s")
        }
        return Rational(length.flicks, played.flicks) * passes
    }

    fileprivate static let freezeForm = "{ at, seconds } or a list of them, such as { { 1, 0.5 }, { 3, 2 } }"
}

extension FieldReader {
    /// `{ at, seconds }`, or a list of them.
    func freezes(_ value: Value) throws(Problem) -> [Clip.Freeze] {
        guard case .array(let items) = value else { throw wrong("freeze", Clip.freezeForm, value) }
        var isList = false
        if case .array? = items.first { isList = true }
        var found: [Clip.Freeze] = []
        for item in isList ? items : items.isEmpty ? [] : [value] {
            guard case .array(let parts) = item, parts.count == 2 else {
                throw wrong("freeze", Clip.freezeForm, item)
            }
            let freeze = Clip.Freeze(at: try time(parts[0], "freeze"), for: try time(parts[1], "freeze"))
            guard freeze.place >= .zero, freeze.duration > .zero else { throw problem(Clip.problem(of: freeze)) }
            found.append(freeze)
        }
        return found
    }
}

extension Clip.Freeze {
    var value: Value { .array([.string(place.description), .string(duration.description)]) }
}
