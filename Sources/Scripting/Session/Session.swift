import Draft
import Values

/// One run of a script: the drafts it makes, what is known of their files, and the answers to
/// everything it asks.
///
/// The flow: ``Script/run(path:text:parameters:limits:clock:environment:)`` makes a session; the
/// session opens a ``LuaState`` whose one callback is ``answer(_:)``; when the script has returned,
/// its functions of time are sampled and the state is closed.
final class Session {
    let source: ScriptSource
    /// What `--set` gives, by the parameters' names, in its order.
    let given: [String: [String]]
    let limits: ScriptLimits
    let environment: any ScriptEnvironment

    var clock = ScriptClock()

    var drafts: [DraftState] = []
    var catalog = Catalog()
    /// The plugins' effects, once they have been asked for.
    var knownEffects: [EffectDescriptor]?
    /// The effects that the environment was asked for by id.
    var asked: Set<String> = []
    /// The fonts that the environment was asked for.
    var knownFonts: Set<TitleFont> = []
    var knownTitles: Set<PlacedTitle> = []
    var parameters: [ScriptParameter] = []
    /// Only what the script declares is wanted: a parameter without a value ends the run when all
    /// of its call are known.
    var isDescribing = false
    /// Bytes that the script has put into drafts so far.
    var spent = 0
    /// Bytes that the script has printed so far.
    private var printed = 0
    /// The next item's key.
    private var nextKey = 1
    private(set) var lua: LuaState?
    /// By the numbers of functions that give colours, the functions that the prelude has made of
    /// them.
    private(set) var companions: [Int: Int] = [:]

    /// What the module has, for “did you mean”.
    private static let functionNames = [
        "draft", "open", "probe", "analyse", "params", "map", "smooth", "follow", "steady",
    ]

    /// Bytes that one run may print.
    private static let mostPrinted = 8 << 20

    /// More drafts than this are a mistake.
    static let maximumDrafts = 1000

    init(source: ScriptSource, parameters: [String: [String]], limits: ScriptLimits, environment: any ScriptEnvironment)
    {
        self.source = source
        self.given = parameters
        self.limits = limits
        self.environment = environment
        catalog.names.folder = source.folder
    }

    func run() throws(ScriptError) -> ScriptResult {
        clock.start()
        defer { clock.stop() }
        let lua = try open()
        defer { self.lua = nil }
        let result = try lua.run(source.text, name: source.name)
        let state = try returned(result)
        try refuseUnknownParameters()
        if let open = state.openTransaction {
            throw ScriptError(.result, "the transaction that begins here is neither committed nor cancelled", at: open)
        }
        let draft = try sampled(state)
        return ScriptResult(draft: draft, catalog: catalog, parameters: parameters)
    }

    /// Runs the script for the sake of what it declares.
    func describe() throws(ScriptError) -> ScriptDescription {
        isDescribing = true
        clock.start()
        defer { clock.stop() }
        let lua = try open()
        defer { self.lua = nil }
        do throws(ScriptError) {
            _ = try lua.run(source.text, name: source.name)
        } catch {
            // The parameters declared so far stay valid unless a given value does not fit.
            guard !parameters.isEmpty, ![.parameter, .cancelled].contains(error.code) else { throw error }
            return ScriptDescription(parameters: parameters, end: error)
        }
        try refuseUnknownParameters()
        return ScriptDescription(parameters: parameters, end: nil)
    }

    private func open() throws(ScriptError) -> LuaState {
        let lua = try LuaState(
            limits: limits, mainFile: source.name, isCancelled: { [environment] in environment.isCancelled }
        ) {
            [unowned self] (call: LuaCall) throws(ScriptError) -> Value in try answer(call)
        }
        self.lua = lua
        return lua
    }

    private func returned(_ result: Value) throws(ScriptError) -> DraftState {
        guard case .object(let fields) = result else {
            throw ScriptError(.result, "the script returned no draft", file: source.name)
        }
        if case .number(let number)? = fields["draft"], let index = Int(exactly: number), drafts.indices.contains(index)
        {
            if case .array(let made)? = fields["colors"] {
                for (function, companion) in zip(drafts[index].draft.colorFunctions(catalog), made) {
                    if case .function(let number) = companion { companions[function] = number }
                }
            }
            return drafts[index]
        }
        var found = "nothing"
        if case .string(let type)? = fields["found"], type != "nil" { found = "a \(type)" }
        throw ScriptError(
            .result, "the script must return its draft, but returned \(found); end it with ‘return draft’",
            file: source.name)
    }

    /// Every entry point from Lua.
    func answer(_ call: LuaCall) throws(ScriptError) -> Value {
        do {
            return try perform(call)
        } catch let error as ScriptError {
            throw error
        } catch let problem as Problem {
            throw ScriptError(problem.naming(catalog.names))
        } catch let problems as Problems {
            guard var first = problems.all.first else {
                throw ScriptError(.rule, "the draft is not valid", at: call.origin)
            }
            first.origin = first.origin ?? call.origin
            if problems.all.count > 1 { first.message += " (and \(problems.all.count - 1) more)" }
            throw ScriptError(first)
        } catch {
            throw ScriptError(.runtime, "\(error)", at: call.origin)
        }
    }

    private func perform(_ call: LuaCall) throws -> Value {
        switch call.operation {
        case "log":
            let line = call.arguments.first?.text ?? ""
            printed += line.utf8.count + 1
            guard printed <= Self.mostPrinted else {
                throw call.error("the script prints more than \(Self.mostPrinted >> 20) MB; is there an endless loop?")
            }
            environment.log(line)
            return .null
        case "forbidden": throw Self.forbidden(call)
        case "module": return try module(call)
        case "params": return try declareParameters(call)
        case "words": return .string(call.argument(0).forPeople)
        case "color": return call.argument(0).text.flatMap { Color($0) }?.numbers ?? .null
        case "no_parameter": throw unknownParameter(call)
        case "no_member":
            throw call.error(
                "cutroom has no function ‘\(call.name(0))’\(suggestion(for: call.name(0), in: Self.functionNames, otherNames: .module))"
            )
        case "assign_copy":
            let name = call.name(0)
            throw call.error(
                "what is read of \(name) is a copy, and a change to it would be lost; set the whole of it: \(name) = { … }"
            )
        case "draft": return try makeDraft(call)
        case "open": return try openDocument(call)
        case "probe": return try probe(call)
        case "analyse": return try analyse(call)
        default: return try performOnDraft(call)
        }
    }

    private func performOnDraft(_ call: LuaCall) throws -> Value {
        let index = try draftIndex(call)
        try refuseChange(call, index)
        switch call.operation {
        case "add_clip": return try addClip(call, index, isImage: false)
        case "add_image": return try addClip(call, index, isImage: true)
        case "add_source": return try addSource(call, index)
        case "add_audio": return try addAudio(call, index)
        case "add_effect": return try addEffect(call, index)
        case "add_title": return try addTitle(call, index)
        case "add_layer": return try addLayer(call, index)
        case "add_subtitles": return try addSubtitles(call, index)
        case "clip", "audio_clip", "effect": return try require(call, index)
        case "count": return .number(Double(drafts[index].contents[try list(call)].count))
        case "find": return try find(call, index)
        case "get": return try property(call, index)
        case "set": return try setProperty(call, index)
        case "name": return .string(name(of: try item(call, index), try list(call), in: index))
        case "copy": return try copy(call, index)
        case "remove_clip", "remove_audio", "remove_effect": return try remove(call, index)
        case "move_clip", "move_audio", "move_effect": return try move(call, index)
        case "draft_get": return try draftProperty(call, index)
        case "draft_set": return try setDraftProperty(call, index)
        case "apply_effects", "remove_effects": return try mapTime(call, index)
        case "validate": return try validate(index)
        case "color_functions": return .array(drafts[index].draft.colorFunctions(catalog).map(Value.function))
        case "begin", "commit", "cancel", "finish", "unwind": return try changeTransaction(call, index)
        default: throw call.error("there is no operation ‘\(call.operation)’")
        }
    }

    private func draftIndex(_ call: LuaCall) throws -> Int {
        if call.operation == "assign_list" {
            let list = call.name(0)
            throw call.error("draft.\(list) cannot be assigned to; use the draft's add, move and remove functions")
        }
        guard case .number(let number) = call.argument(0), let index = Int(exactly: number),
            drafts.indices.contains(index)
        else {
            throw call.error("‘\(call.operation)’ needs a draft")
        }
        return index
    }

    func newKey() -> Int {
        defer { nextKey += 1 }
        return nextKey
    }

    private static func forbidden(_ call: LuaCall) -> ScriptError {
        let name = call.name(0)
        let (what, advice) =
            switch name {
            case "os.execute", "io.popen", "os.exit": ("processes", "")
            case "os.getenv": ("the environment", "; pass values with --set and cutroom.params")
            case "os.time", "os.clock", "os.date", "os.difftime":
                ("the clock", "; the same script must make the same video")
            case "collectgarbage", "warn", "string.dump", "os.setlocale": ("Lua's own inside", "")
            case _ where name.hasPrefix("debug."): ("the debug library", "")
            case _ where name.hasPrefix("package."):
                ("the package library", "; ‘require’ loads modules below the script's folder")
            default: ("files", "")
            }
        return ScriptError(
            .forbidden, "the script has no access to \(what): \(name) is not available\(advice)", at: call.origin)
    }
}

extension LuaCall {
    func argument(_ index: Int) -> Value { index < arguments.count ? arguments[index] : .null }

    /// An argument as a name: a text, or what it is instead.
    func name(_ index: Int) -> String { argument(index).text ?? argument(index).forPeople }

    func error(_ message: String) -> ScriptError { ScriptError(.rule, message, at: origin) }

    /// An argument that must be a text.
    func text(_ index: Int, _ what: String) throws(ScriptError) -> String {
        guard let text = argument(index).text else {
            throw error("\(operation) wants \(what), but was given \(argument(index).forPeople)")
        }
        return text
    }
}

extension Value {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var fields: [String: Value] { if case .object(let fields) = self { fields } else { [:] } }
    /// An empty Lua table is an empty list.
    var isTable: Bool { if case .object = self { true } else { self == .array([]) } }
    static func number(_ integer: Int) -> Value { .number(Double(integer)) }
}

extension Color {
    /// Red, green, blue and alpha in 0…1, as plugins' parameters have them.
    fileprivate var numbers: Value { .array([red, green, blue, alpha].map { .number(Double($0) / 255) }) }
}
