import CLua
import Values

/// What a script asks of the host, with the place it asks from.
struct LuaCall {
    var operation: String
    var arguments: [Value]
    var origin: Origin
}

/// A sandboxed Lua state. All of Lua's own calls are on the C side; see `CLua.h`.
final class LuaState {
    private var pointer: OpaquePointer?
    private let handler: (LuaCall) throws(ScriptError) -> Value
    fileprivate let isCancelled: () -> Bool
    private let wallTime: Duration
    /// The file that is named where Lua knows none.
    private let mainFile: String
    /// Every chunk's name, for finding the place in an error's text.
    private var sources: [String]
    /// The chunks' texts by their names, for what Lua says of a line.
    private var texts: [String: String] = [:]
    /// What the handler threw, by its text: the text alone travels through Lua.
    private var thrown: [String: ScriptError] = [:]
    /// The last entry that was asked for and is not there, for the error that its use is.
    var missed: MissedEntry?

    init(
        limits: ScriptLimits, mainFile: String, isCancelled: @escaping () -> Bool = { false },
        handler: @escaping (LuaCall) throws(ScriptError) -> Value
    ) throws(ScriptError) {
        self.handler = handler
        self.isCancelled = isCancelled
        self.mainFile = mainFile
        sources = [mainFile, "(load)"]
        wallTime = limits.wallTime
        var wished = cl_limits(
            memory: max(limits.memory, 0), instructions: UInt64(max(limits.instructions, 0)),
            seconds: limits.time / .seconds(1), wall_seconds: limits.wallTime / .seconds(1),
            is_cancelled: { context in
                context.map { Unmanaged<LuaState>.fromOpaque($0).takeUnretainedValue().isCancelled() } ?? false
            })
        var failure = cl_failure()
        let prelude = Prelude.text
        pointer = cl_open(
            &wished, answerLua, Unmanaged.passUnretained(self).toOpaque(), prelude, prelude.utf8.count, &failure)
        guard pointer != nil else { throw error(failure) }
    }

    deinit { cl_close(pointer) }

    /// Bytes that Lua holds.
    var memory: Int { cl_memory(pointer) }

    /// A module's name and text, so that errors in it find their place.
    func addSource(_ name: String, _ text: String) {
        sources.append(name)
        texts[name] = text
    }

    /// Runs a script and returns what the prelude made of its result.
    func run(_ text: String, name: String) throws(ScriptError) -> Value {
        texts[name] = text
        var result = cl_value()
        var failure = cl_failure()
        guard cl_run(pointer, text, text.utf8.count, name, &result, &failure) == CL_OK else { throw error(failure) }
        return Value(result)
    }

    /// What function number `function` returns at `seconds`.
    func sample(_ function: Int, at seconds: Double) throws(ScriptError) -> [Double] {
        var failure = cl_failure()
        var count = 0
        var numbers = [Double](repeating: 0, count: 16)
        guard cl_sample(pointer, Int32(function), seconds, &numbers, numbers.count, &count, &failure) == CL_OK else {
            throw error(failure)
        }
        return Array(numbers[..<count])
    }

    /// Runs `body` without counting its time against the script.
    func withoutClock<Result>(_ body: () throws -> Result) rethrows -> Result {
        cl_pause(pointer)
        defer { cl_resume(pointer) }
        return try body()
    }

    // MARK: Calls from Lua

    /// Fills the reply to one call. Never throws: an error is a reply too.
    fileprivate func answer(_ call: cl_call, _ reply: UnsafeMutablePointer<cl_reply>) {
        let operation = String(cString: call.operation)
        let file = call.file.map { String(cString: $0) } ?? mainFile
        let arguments = UnsafeBufferPointer(start: call.arguments, count: call.count).map(Value.init)
        let value: Value
        do throws(ScriptError) {
            value =
                operation == CL_EXPLAIN
                ? explained(arguments, at: Origin(file: file, line: call.line > 0 ? Int(call.line) : nil))
                : try handler(
                    LuaCall(
                        operation: operation, arguments: arguments,
                        origin: Origin(file: file, line: call.line > 0 ? Int(call.line) : nil)))
        } catch {
            let text = error.description
            if thrown.count > 1000 { thrown.removeAll() }
            thrown[text] = error
            reply.pointee.failed = true
            value = .string(text)
        }
        if !value.write(to: &reply.pointee.value, allocate: { cl_allocate(pointer, $0) }) {
            reply.pointee.failed = true
            reply.pointee.value = cl_value()
        }
    }

    // MARK: Errors from Lua

    private func error(_ failure: cl_failure) -> ScriptError {
        let text =
            failure.status == CL_WALL ? ScriptError.overtime(wallTime) : innermost(String(cString: failure.message))
        let traceback = String(cString: failure.traceback).split(separator: "\n").map(String.init)
        if var known = thrown[text], failure.status == CL_RUNTIME {
            known.traceback = traceback
            return known
        }
        let code: ScriptError.Code =
            switch failure.status {
            case CL_SYNTAX: .syntax
            case CL_RUNTIME: .runtime
            case CL_CANCELLED: .cancelled
            default: .limit
            }
        if code == .syntax || code == .runtime, let found = place(in: text) {
            if code == .syntax, let names = LuaMessage.ofNames(found.message) {
                return ScriptError(
                    code, names.sentence, file: found.file, line: names.line ?? found.line, traceback: traceback)
            }
            let message =
                code == .syntax ? LuaMessage.ofSyntax(found.message, line: line(found.line, of: found.file)) : nil
            return ScriptError(
                code, message ?? found.message, file: found.file, line: found.line, traceback: traceback)
        }
        let file = String(cString: failure.file)
        let line = failure.line > 0 ? Int(failure.line) : nil
        return ScriptError(code, text, file: file.isEmpty ? mainFile : file, line: line, traceback: traceback)
    }

    /// Answers `CL_EXPLAIN`. The handler's own error is a sentence already.
    /// - Parameter origin: where the script is.
    private func explained(_ arguments: [Value], at origin: Origin) -> Value {
        guard arguments.count == 2, case .string(let text) = arguments[0], case .string(let names) = arguments[1]
        else { return .null }
        let inner = innermost(text)
        var result = inner
        if thrown[inner] == nil {
            let found = place(in: inner)
            let isMissed = found.map { missed?.origin == Origin(file: $0.file, line: $0.line) } ?? false
            let message = LuaMessage.forPeople(
                found?.message ?? inner, names: names.split(separator: "\n").map(String.init),
                missed: isMissed ? missed : nil, line: found.flatMap { line($0.line, of: $0.file) })
            if let found, let named = LuaMessage.ofNames(found.message) {
                result = "\(found.file):\(named.line ?? found.line): \(named.sentence)"
            } else if let found {
                result = "\(found.file):\(found.line): \(message)"
            } else {
                // What a function of Lua's says to the prelude, which has called it for the script.
                result = inner.hasPrefix("[cutroom]:") ? "\(origin): \(message)" : message
            }
        }
        return result == text ? .null : .string(result)
    }

    /// A coroutine puts its caller's place before the error's own; the innermost one is where it
    /// happened.
    private func innermost(_ text: String) -> String {
        var text = text
        while thrown[text] == nil, let outer = place(in: text), place(in: outer.message) != nil { text = outer.message }
        return text
    }

    /// Lua begins an error's text with `file:line: `.
    private func place(in text: String) -> (file: String, line: Int, message: String)? {
        for name in sources {
            for prefix in [name, Self.shortened(name)] where text.hasPrefix(prefix + ":") {
                let rest = text.dropFirst(prefix.count + 1)
                guard let colon = rest.firstIndex(of: ":"), let line = Int(rest[..<colon]) else { continue }
                let message = rest[rest.index(after: colon)...].drop { $0 == " " }
                return (name, line, String(message))
            }
        }
        return nil
    }

    private func line(_ number: Int, of file: String) -> String? {
        let lines = texts[file]?.split(separator: "\n", maxSplits: number, omittingEmptySubsequences: false) ?? []
        return number >= 1 && number <= lines.count ? String(lines[number - 1]) : nil
    }

    /// A chunk's name in Lua's messages, which have room for 59 bytes of it (`LUA_IDSIZE`).
    private static func shortened(_ name: String) -> String {
        name.utf8.count < 60 ? name : "..." + String(decoding: name.utf8.suffix(56), as: UTF8.self)
    }
}

/// The C side's way to a ``LuaState``.
private func answerLua(
    _ context: UnsafeMutableRawPointer?, _ call: UnsafePointer<cl_call>?, _ reply: UnsafeMutablePointer<cl_reply>?
) {
    guard let context, let call, let reply else { return }
    Unmanaged<LuaState>.fromOpaque(context).takeUnretainedValue().answer(call.pointee, reply)
}
