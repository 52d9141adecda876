import Values

/// Why a script made no draft, in one sentence with its place.
public struct ScriptError: Error, Hashable, Sendable {
    /// The kind of failure; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// The script, a module or a document that it names cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The text is not Lua.
        public static let syntax = Code(rawValue: "syntax")
        /// Lua stopped, or the script called `error`.
        public static let runtime = Code(rawValue: "runtime")
        /// The memory, instruction or time limit was reached.
        public static let limit = Code(rawValue: "limit")
        /// The environment wanted the script to stop.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The script asked for what no script has: files, processes, the clock, bytecode.
        public static let forbidden = Code(rawValue: "forbidden")
        /// A value given from outside with `--set` does not fit what the script declares.
        public static let parameter = Code(rawValue: "parameter")
        /// A rule of the draft is broken.
        public static let rule = Code(rawValue: "rule")
        /// A plugin failed in what it was to do for the script.
        public static let plugin = Code(rawValue: "plugin")
        /// The script did not return a draft.
        public static let result = Code(rawValue: "result")
    }

    public var code: Code
    /// The object at fault: `clip 2 (opening)`; nil where there is no single one.
    public var object: String?
    /// One sentence without its place, its object and a final full stop.
    public var message: String
    /// The script or module, by the name under which it was run; nil where the failure has no
    /// place.
    public var file: String?
    /// From 1.
    public var line: Int?
    /// The script's functions that were running, the innermost first: `edit.lua:12: in add_clips`.
    public var traceback: [String]
    /// Whether the cause is the set of names given with `--set`, whatever their values are.
    public var isAboutNames = false

    public init(
        _ code: Code, _ message: String, of object: String? = nil, file: String? = nil, line: Int? = nil,
        traceback: [String] = []
    ) {
        self.code = code
        self.object = object
        self.message = message
        self.file = file
        self.line = line
        self.traceback = traceback
    }

    init(_ code: Code, _ message: String, of object: String? = nil, at origin: Origin?) {
        self.init(code, message, of: object, file: origin?.file, line: origin?.line)
    }

    /// What is said of a script that has reached the limit of wall-clock time.
    public static func overtime(_ limit: Duration) -> String {
        let seconds = Value.number(limit / .seconds(1)).forPeople
        return "the script has been running for \(seconds) s, which is its limit; is there an endless loop? "
            + "--script-timeout gives it longer"
    }

    init(_ problem: Problem) {
        self.init(.rule, problem.message, of: problem.object, at: problem.origin)
    }
}

extension ScriptError: CustomStringConvertible {
    /// `edit.lua:12: clip 2 (opening): the speed is 0, but must lie between 0.01 and 100`
    public var description: String {
        // A file that cannot be read is what the sentence is about, and no place.
        if code == .unreadable, line == nil, object == nil, let file { return "‘\(file)’ \(message)" }
        let place = file.map { file in line.map { "\(file):\($0): " } ?? "\(file): " } ?? ""
        return place + (object.map { "\($0): " } ?? "") + message
    }
}
