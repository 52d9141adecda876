extension Loudness {
    init(reading fields: inout FieldReader, origin: Origin?) throws(Problem) {
        self.init(
            integrated: try Self.level(&fields, "loudness", Self.integratedRange, "LUFS"),
            truePeak: try Self.level(&fields, "true_peak", Self.truePeakRange, "dBTP"))
        if integrated != nil || truePeak != nil { self.origin = origin }
    }

    private static func level(
        _ fields: inout FieldReader, _ key: String, _ range: ClosedRange<Double>, _ unit: String
    ) throws(Problem) -> Double? {
        guard let level = try fields.number(key) else { return nil }
        guard range.contains(level) else {
            let bounds = "\(Value.text(of: range.lowerBound)) and \(Value.text(of: range.upperBound)) \(unit)"
            throw fields.problem("‘\(key)’ is \(Value.text(of: level)), but must lie between \(bounds)")
        }
        return level
    }

    func write(to writer: inout FieldWriter) {
        writer.put("loudness", integrated)
        writer.put("true_peak", truePeak)
    }
}

/// The options of a draft as a whole that lie beside its canvas.
public struct DraftOptions: Sendable {
    public var timeRange: TimeRange?
    public var backgroundDuration: Time?
    public var loudness: Loudness

    /// `time_range`, `duration`, `loudness`, `true_peak`.
    public init(reading fields: inout FieldReader, origin: Origin?) throws(Problem) {
        timeRange = try fields.range("time_range")
        backgroundDuration = try fields.time("duration")
        if let duration = backgroundDuration, duration <= .zero {
            throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
        }
        loudness = try Loudness(reading: &fields, origin: origin)
    }
}
