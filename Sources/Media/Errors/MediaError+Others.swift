extension MediaError {
    /// What somebody throws who gives samples as a reader does, and knows better why there are none.
    public static func failed(_ operation: String) -> MediaError {
        MediaError(.cancelled, operation, path: nil, reason: "that failed")
    }
}
