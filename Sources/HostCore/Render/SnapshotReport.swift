import Values

/// The result of one snapshot.
package struct SnapshotReport: Encodable {
    /// The time in seconds on the final timeline at which the frame starts.
    package var time: Double
    package var path: String?
    package var error: String?

    package init(time: Double, path: String? = nil, error: String? = nil) {
        self.time = time
        self.path = path
        self.error = error
    }

    package var forPeople: String { Time(seconds: time)?.forPeople ?? "\(time)" }
}
