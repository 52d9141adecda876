import Draft

/// What became of one snapshot.
package struct SnapshotReport: Encodable {
    /// Seconds of the final timeline at which the frame begins to be shown.
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
