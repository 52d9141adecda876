import Draft

/// Recognises `.cube` look-up tables (Adobe's Cube LUT Specification 1.0): text with a `LUT_3D_SIZE` line.
enum CubeFile {
    /// nil for a file that is not named `.cube`.
    static func probe(path: String, pulse: @escaping Pulse) throws(MediaError) -> MediaInfo? {
        guard path.lowercased().hasSuffix(".cube") else { return nil }
        let interrupter = Interrupter(pulse)
        try interrupter.check("read", path: path)
        let file = try InputFile(path: path, interrupter: interrupter)
        // The size stands before the first of the table's rows; only a title and comments come before it.
        let head = try file.bytes(at: 0, count: min(Int(file.size), 64 << 10))
        let keywords = head.split(whereSeparator: { $0 == 10 || $0 == 13 }).map { line in
            String(decoding: line.drop { $0 == 32 || $0 == 9 }.prefix { $0 > 32 }, as: UTF8.self)
        }
        guard keywords.contains("LUT_3D_SIZE") else {
            let reason =
                keywords.contains("LUT_1D_SIZE")
                ? "it is a one-dimensional table (LUT_1D_SIZE); a three-dimensional one is needed"
                : "it has no LUT_3D_SIZE line, so it is not a .cube look-up table"
            throw MediaError(
                keywords.contains("LUT_1D_SIZE") ? .unsupported : .notMedia, "read", path: path, reason: reason)
        }
        return MediaInfo(kind: .cube, format: "cube", identity: try file.identity())
    }
}
