import Draft

/// A `.cube` look-up table (Adobe, *Cube LUT Specification 1.0*, 2013): `LUT_3D_SIZE` or
/// `LUT_1D_SIZE`, `DOMAIN_MIN`, `DOMAIN_MAX`, `TITLE` and comments. The older `LUT_3D_INPUT_RANGE`
/// and `LUT_1D_INPUT_RANGE` of DaVinci Resolve are understood.
public struct CubeFile: Sendable {
    public enum Shape: Hashable, Sendable {
        /// A curve for each of red, green, blue, of so many points.
        case curves(Int)
        /// A table with so many points along each side.
        case cube(Int)

        public var rows: Int {
            switch self {
            case .curves(let size): size
            case .cube(let size): size * size * size
            }
        }
    }

    /// Why a text is no look: one sentence without the file's name.
    public struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1; nil where the defect is in no line.
        public var line: Int?
        public var reason: String

        public var description: String { line.map { "line \($0): \(reason)" } ?? reason }
    }

    /// Points along each side of a table.
    public static let sizes = 2...256

    public let shape: Shape
    /// The domain, a bound for each of red, green, blue; below `high`.
    public let low: [Float]
    public let high: [Float]
    /// `shape.rows` triples of red, green, blue, all finite; the index of red runs fastest, then
    /// green, then blue.
    public let values: [Float]
    /// Empty where there is none.
    public let title: String

    public init(text: String) throws(Defect) {
        var reader = CubeReader(keepsValues: true)
        _ = try reader.take(Array(text.utf8), isEnd: true)
        self = try reader.finish()
    }

    /// Reads a file in blocks: what is no table ends it early, however large it is.
    public init(path: String, pulse: @escaping Pulse = { _ in }) throws(MediaError) {
        self = try Self.read(path: path, keepsValues: true, pulse).table
    }

    /// Reads all of the file: a look that is refused is to be refused before anything is rendered.
    /// - Returns: nil for a file that is not named `.cube`.
    static func probe(path: String, pulse: @escaping Pulse) throws(MediaError) -> MediaInfo? {
        guard path.lowercased().hasSuffix(".cube") else { return nil }
        let file = try read(path: path, keepsValues: false, pulse).file
        return MediaInfo(kind: .cube, format: "cube", identity: try file.identity())
    }

    private static func read(
        path: String, keepsValues: Bool, _ pulse: @escaping Pulse
    ) throws(MediaError) -> (table: CubeFile, file: InputFile) {
        let interrupter = Interrupter(pulse)
        try interrupter.check("read", path: path)
        let file = try InputFile(path: path, interrupter: interrupter)
        var reader = CubeReader(keepsValues: keepsValues)
        var rest: [UInt8] = []
        var offset: Int64 = 0
        while true {
            let block = try file.bytes(at: offset, count: 1 << 20)
            offset += Int64(block.count)
            rest += block
            do throws(Defect) {
                rest.removeFirst(try reader.take(rest, isEnd: block.isEmpty))
                if block.isEmpty { return (try reader.finish(), file) }
            } catch {
                throw MediaError(.notMedia, "read", path: path, reason: error.description)
            }
            try interrupter.check("read", path: path)
        }
    }
}

extension CubeFile {
    init(shape: Shape, low: [Float], high: [Float], values: [Float], title: String) {
        (self.shape, self.low, self.high, self.values, self.title) = (shape, low, high, values, title)
    }
}
