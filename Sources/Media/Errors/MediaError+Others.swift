extension MediaError {
    /// An error for types that supply samples the way a reader does and know why there are none.
    public static func failed(_ operation: String) -> MediaError {
        MediaError(.cancelled, operation, path: nil, reason: "that failed")
    }
}
