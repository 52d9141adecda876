/// One broken rule of a draft: which object, what was found and what would be right, in one
/// sentence.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// For people: `clip 2 (opening)`, `effect 1 (lut)`, `draft`.
    public var object: String
    /// The rule, what was found and what would be right, without a final full stop.
    public var message: String
    /// Where a script or document made the object.
    public var origin: Origin?

    public init(_ object: String, _ message: String, origin: Origin? = nil) {
        self.object = object
        self.message = message
        self.origin = origin
    }
}

extension Problem: CustomStringConvertible {
    /// `edit.lua:12: clip 2 (opening): the speed is 0, but must lie in 1/100 … 100`
    public var description: String { (origin.map { "\($0): " } ?? "") + "\(object): \(message)" }
}

/// Several problems at once, as validation reports them.
public struct Problems: Error, Sendable, CustomStringConvertible {
    public var all: [Problem]

    public init(_ all: [Problem]) { self.all = all }

    public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// A place in a script or document.
public struct Origin: Hashable, Sendable, Codable, CustomStringConvertible {
    public var file: String
    /// From 1; nil where only the file is known.
    public var line: Int?

    public init(file: String, line: Int? = nil) {
        self.file = file
        self.line = line
    }

    public var description: String { line.map { "\(file):\($0)" } ?? file }

    /// The one further down where both are in one file, which of two changes is the later one
    /// nearly always; else the first.
    package static func later(_ one: Origin?, _ other: Origin?) -> Origin? {
        guard let one else { return other }
        guard let other, let line = one.line, let otherLine = other.line, one.file == other.file else { return one }
        return otherLine > line ? other : one
    }
}
