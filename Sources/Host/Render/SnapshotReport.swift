import Draft

/// What became of one snapshot.
struct SnapshotReport: Encodable {
    /// Seconds of the final timeline at which the frame begins to be shown.
    var time: Double
    var path: String?
    var error: String?

    var forPeople: String { Time(seconds: time)?.forPeople ?? "\(time)" }
}
