import Values

/// The options of a draft as a whole that lie beside its canvas.
public struct DraftOptions: Sendable {
    public var timeRange: TimeRange?
    public var backgroundDuration: Time?
    public var loudness = Loudness()

    init() {}

    /// `time_range`, `duration`, `loudness`, `true_peak`.
    public init(reading fields: inout FieldReader, origin: Origin?) throws(Problem) {
        try Self.options.read(&self, from: &fields)
        if loudness != Loudness() { loudness.origin = origin }
    }
}
