import Draft
import Foundation

/// What a script asks of the world: the host answers through worker processes, a test from memory.
public protocol ScriptEnvironment {
    /// What is in a file, of which the path is absolute, or why it cannot be read. Asked once for
    /// each file.
    func probe(_ file: DraftFile) -> Catalog.Entry
    /// Every effect of every plugin that was found. Asked at most once, and only where a script
    /// uses a plugin.
    func effects() throws -> [EffectDescriptor]
    /// An effect that ``effects()`` does not have, from a library that is opened only where it is
    /// asked for; nil where there is none. Asked once for each id.
    func effect(_ id: String) throws -> EffectDescriptor?
    /// The ids that ``effect(_:)`` knows, for “did you mean”.
    var otherEffects: [String] { get }
    /// The families that are drawn in the place of fonts which the workers lack.
    func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String]
    /// Returns what of titles lies outside their canvases.
    func overhangs(of titles: Set<PlacedTitle>) throws -> [PlacedTitle: PlacedTitle.Overhang]
    /// What an analyser finds in a file.
    /// - Parameters:
    ///   - grid: the frames that it is to see.
    ///   - catalog: has what is known of the files and the plugin.
    /// - Throws: ``ScriptError`` without a place where the plugin or the file is at fault.
    func analyse(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) throws -> AnalysisTrack
    /// Called with each file that decides what the script does, before it is read: the script, its
    /// modules, documents that it opens. Absolute; it need not be there.
    func reads(_ path: String)
    /// A line that the script printed.
    func log(_ line: String)
    /// Whether the script is to stop. Called often while it runs, on its thread.
    var isCancelled: Bool { get }
}

extension ScriptEnvironment {
    public func effect(_ id: String) throws -> EffectDescriptor? { nil }
    public var otherEffects: [String] { [] }
    public func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] { [:] }
    public func overhangs(of titles: Set<PlacedTitle>) throws -> [PlacedTitle: PlacedTitle.Overhang] { [:] }
    public func analyse(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) throws -> AnalysisTrack {
        throw ScriptError(.rule, "there is nobody here to analyse a file")
    }
    public func reads(_ path: String) {}
    public var isCancelled: Bool { false }
}

/// The limits at which a script is stopped.
public struct ScriptLimits: Hashable, Sendable {
    /// Bytes that Lua may hold at one time, and that the script's drafts may hold.
    public var memory: Int
    /// Instructions of Lua's virtual machine and steps of its libraries, sampling of functions
    /// included.
    public var instructions: Int
    /// Processor time of the script, less what the environment takes.
    public var time: Duration
    /// Wall-clock time of the script, less what the environment takes.
    public var wallTime: Duration
    /// Entries in one list of a draft.
    public var items: Int

    public init(
        memory: Int = 256 << 20, instructions: Int = 2_000_000_000, time: Duration = .seconds(10),
        wallTime: Duration = .seconds(60), items: Int = Draft.maximumEntries
    ) {
        self.memory = memory
        self.instructions = instructions
        self.time = time
        self.wallTime = wallTime
        self.items = items
    }
}

/// What a script made.
public struct ScriptResult: Sendable {
    /// Functions of time are replaced by keyframes where the draft validates; where it does not,
    /// they are left as they are.
    public var draft: Draft
    /// Every file that the script named, and the plugins' effects where it used one.
    public var catalog: Catalog
    /// The parameters that the script declared, with their values, by name.
    public var parameters: [ScriptParameter]
}

/// Lua scripts, run in a sandbox.
public enum Script {
    /// Runs a script.
    /// - Parameters:
    ///   - path: the script's file. Messages name it as it is given here, and its folder is where
    ///     paths start from.
    ///   - text: what is in the script, where the file is not to be read: it came from elsewhere.
    ///   - parameters: the values that the script's `cutroom.params` declares, as texts; several
    ///     for a list.
    ///   - clock: shows another thread how long the script has been running.
    /// - Returns: the draft that the script returns. It may still break rules that only show on the
    ///   whole: see ``Draft/Draft/validate(_:)``.
    /// - Throws: the first error, with file and line. A script that reaches a limit ends; one that
    ///   held Lua in C all the same, in its garbage collector for example, shows on the clock.
    public static func run(
        path: String, text: Data? = nil, parameters: [String: [String]] = [:], limits: ScriptLimits = ScriptLimits(),
        clock: ScriptClock = ScriptClock(), environment: some ScriptEnvironment
    ) throws(ScriptError) -> ScriptResult {
        let source = try ScriptSource(path: path, data: text)
        let session = Session(source: source, parameters: parameters, limits: limits, environment: environment)
        session.clock = clock
        return try session.run()
    }

    /// Runs a script and returns the parameters that it declares.
    ///
    /// It runs as always, because it may compute what it declares, and to its end, because it may
    /// declare more. A parameter that has no value ends it once those of its call are known, and so
    /// does any error: what is declared until then is the result.
    /// - Parameters: as of ``run(path:text:parameters:limits:clock:environment:)``.
    /// - Throws: an error before anything was declared, and a parameter's value that does not fit.
    public static func describe(
        path: String, text: Data? = nil, parameters: [String: [String]] = [:], limits: ScriptLimits = ScriptLimits(),
        clock: ScriptClock = ScriptClock(), environment: some ScriptEnvironment
    ) throws(ScriptError) -> ScriptDescription {
        let source = try ScriptSource(path: path, data: text)
        let session = Session(source: source, parameters: parameters, limits: limits, environment: environment)
        session.clock = clock
        return try session.describe()
    }
}
