/// A clip's timing in scripts and documents.
extension Clip {
    static let timingNames = ["freeze", "loop", "ping_pong", "frames"]

    /// Reads everything but a speed that is one number.
    mutating func readTiming(_ fields: inout FieldReader) throws(Problem) {
        switch fields.value("speed") {
        case .array?, .function?:
            timing.speed = try fields.animated("speed")
            if let problem = timing.speed.flatMap(Clip.problem(ofCurve:)) { throw fields.problem(problem) }
        default: break
        }
        if let value = fields.value("freeze") { timing.freezes = try Self.freezes(value, fields) }
        timing.loop = try fields.int("loop")
        if let loop = timing.loop, !Timing.loopRange.contains(loop) { throw fields.problem(Self.problem(ofLoop: loop)) }
        timing.isPingPong = try fields.bool("ping_pong") ?? false
        timing.frames = try fields.choice("frames", FrameMixing.self, otherNames: .frameMixing) ?? .nearest
    }

    /// `{ at, seconds }`, or a list of them.
    private static func freezes(_ value: Value, _ fields: FieldReader) throws(Problem) -> [Freeze] {
        guard case .array(let items) = value else { throw fields.wrong("freeze", freezeForm, value) }
        var isList = false
        if case .array? = items.first { isList = true }
        var found: [Freeze] = []
        for item in isList ? items : items.isEmpty ? [] : [value] {
            guard case .array(let parts) = item, parts.count == 2 else {
                throw fields.wrong("freeze", freezeForm, item)
            }
            let freeze = Freeze(at: try fields.time(parts[0], "freeze"), for: try fields.time(parts[1], "freeze"))
            guard freeze.place >= .zero, freeze.duration > .zero else { throw fields.problem(problem(of: freeze)) }
            found.append(freeze)
        }
        return found
    }

    private static let freezeForm = "{ at, seconds } or a list of them, such as { { 1, 0.5 }, { 3, 2 } }"

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

    func writeTiming(to writer: inout FieldWriter) {
        writer.put("speed", timing.speed?.value)
        if !timing.freezes.isEmpty {
            writer.put(
                "freeze",
                .array(
                    timing.freezes.map { .array([.string($0.place.description), .string($0.duration.description)]) }))
        }
        writer.put("loop", timing.loop)
        if timing.isPingPong { writer.put("ping_pong", .bool(true)) }
        if timing.frames != .nearest { writer.put("frames", timing.frames.rawValue) }
    }
}
