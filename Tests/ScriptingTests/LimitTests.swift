import Draft
import Testing
import Values

@testable import Scripting

@Suite struct LimitTests {
    /// Small limits, so that the tests are quick; time is the wide one here.
    static let small = ScriptLimits(memory: 8 << 20, instructions: 3_000_000, time: .seconds(60))

    @Test(arguments: [
        "while true do end",
        "local function f() return f() end f()",
        "repeat until false",
        "for i = 1, math.huge do end",
        "local t = setmetatable({}, { __index = function(t, k) return t[k + 1 - 1] end }) while true do local x = rawget(t, 1) end",
        // In a coroutine, and in one made by another.
        "coroutine.wrap(function() while true do end end)()",
        "local forever = function() while true do end end coroutine.wrap(function() local x <close> = setmetatable({}, { __close = forever }) forever() end)()",
        "local co = coroutine.create(function() coroutine.wrap(function() while true do end end)() end) while true do coroutine.resume(co) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        // Swallowing the error.
        "while true do pcall(function() while true do end end) end",
        "local function f() pcall(f) while true do end end f()",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
        "xpcall(function() local x = nil + 1 end, function() while true do end end)",
        "local t <close> = setmetatable({}, { __close = function() while true do end end })",
        "pcall(error, setmetatable({}, { __tostring = function() while true do end end })) while true do end",
        "error(setmetatable({}, { __tostring = function() while true do end end }))",
        "table.sort({ 3, 1, 2, 5, 4 }, function(a, b) while true do end end)",
        "string.gsub('aaa', 'a', function() while true do end end)",
        "local cutroom = require 'cutroom' local d = cutroom.draft() d:transaction(function() while true do end end)",
        "local cutroom = require 'cutroom' local d = cutroom.draft() while true do pcall(d.transaction, d, function() while true do end end) end",
        "while true do pcall(string.rep, 'x', 1 << 40) end",
        "load('while true do end')()",
        // Inside C, where no hook fires.
        "string.find(('a'):rep(60), ('a-'):rep(30) .. 'b')",
        "string.match(('a'):rep(40), ('a*'):rep(20) .. 'b')",
        "for _ in string.gmatch(('a'):rep(60), ('a?'):rep(60) .. ('a'):rep(60) .. 'b') do end string.gsub(('x'):rep(60), ('x-'):rep(40) .. '$y', '')",
        "while true do pcall(string.find, ('a'):rep(60), ('a-'):rep(30) .. 'b') end",
        // Loops in C over metamethods that are functions of C.
        "table.concat(setmetatable({}, { __metatable = '', __index = getmetatable }), '', 1, math.maxinteger)",
        "table.move(setmetatable({}, { __metatable = 1, __index = getmetatable }), 1, 9000000, 1, setmetatable({}, { __newindex = rawlen }))",
        "string.gsub(('a'):rep(4000000), '', setmetatable({}, { __index = rawget }))",
        // Lua's compiler.
        "local text = (' '):rep(3200000) load(text)",
    ])
    func `an endless loop ends`(script: String) {
        let error = failure(script, limits: Self.small)
        #expect(error?.code == .limit, "\(String(describing: error))")
        #expect(error?.message == "the script runs more instructions than it may; is there an endless loop?")
        #expect(error?.file == (script.hasPrefix("load") ? "(load)" : "edit.lua"))
    }

    @Test(arguments: [
        "while true do print(('x'):rep(100000)) end", "while true do pcall(print, ('x'):rep(100000)) end",
    ])
    func `what a script prints is bounded`(script: String) {
        let error = failure(script, limits: ScriptLimits(memory: 64 << 20, instructions: 3_000_000, time: .seconds(60)))
        let isCaught = script.contains("pcall")
        #expect(
            error?.message.contains(isCaught ? "more instructions" : "prints more than 8 MB") == true, "\(error as Any)"
        )
    }

    @Test func `a message of any length is cut`() {
        let error = failure("error(('x'):rep(5000000))", limits: ScriptLimits(memory: 64 << 20))
        #expect((60_000...70_000).contains(error?.message.utf8.count ?? 0))
    }

    @Test func `the place of an endless loop is named`() {
        let error = failure(
            "local x = 1\nlocal function spin()\n  while true do\n    x = x + 1\n  end\nend\nspin()", limits: Self.small
        )
        #expect(error?.line == 3 || error?.line == 4)
        #expect(error?.traceback.last == "edit.lua:7: in the main part")
        #expect(error?.traceback.first?.hasSuffix("in spin") == true)
    }

    @Test(arguments: [
        ("local t = {}\nlocal function fill()\n  for i = 1, 1e9 do t[i] = i end\nend\nfill()", 3),
        ("\n\nlocal s = ('x'):rep(1 << 30)", 3), ("local s = 'x'\nwhile true do\n  s = s .. s\nend", 3),
        ("local t = {}\nfor i = 1, 1e9 do\n  t[i] = { i }\nend", 3),
        ("\ncoroutine.wrap(function()\n  local s = ('x'):rep(1 << 30)\nend)()", 2),
    ])
    func `the line at which memory ends is named`(script: String, line: Int) {
        let error = failure(script, limits: ScriptLimits(memory: 8 << 20, instructions: .max, time: .seconds(60)))
        #expect(error?.code == .limit && error?.message == "the script needs more memory than it may use")
        #expect(error?.file == "edit.lua" && error?.line == line, "\(String(describing: error))")
    }

    @Test func `a script that runs too long ends`() {
        let error = failure(
            "\nwhile true do end", limits: ScriptLimits(memory: 8 << 20, instructions: .max, time: .milliseconds(200)))
        #expect(error?.description == "edit.lua:2: the script runs longer than it may; is there an endless loop?")
    }

    @Test func `a script that runs too long by the wall clock ends`() {
        let limits = ScriptLimits(
            memory: 8 << 20, instructions: .max, time: .seconds(600), wallTime: .milliseconds(200))
        #expect(
            failure("\nwhile true do end", limits: limits)?.description
                == "edit.lua:2: the script has been running for 0.2 s, which is its limit; is there an endless loop? "
                + "--script-timeout gives it longer")
        // Copies of large texts are few instructions.
        let copies = ScriptLimits(
            memory: 256 << 20, instructions: .max, time: .seconds(600), wallTime: .milliseconds(50))
        #expect(
            failure("local s = ('x'):rep(1 << 25) while true do local t = s .. s end", limits: copies)?.code == .limit)
    }

    @Test(arguments: [
        "local t = {} while true do t[#t + 1] = {} end",
        "local s = 'x' while true do s = s .. s end",
        "string.rep('x', 1 << 40)",
        "local s = ('x'):rep(1 << 20) local t = {} for i = 1, 1 << 20 do t[i] = s .. i end",
        "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
        "local t = {} while true do coroutine.resume(coroutine.create(function() while true do t[#t + 1] = {} end end)) end",
        "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
        "table.concat(setmetatable({}, { __index = type }), '', 1, 1 << 40)",
        "return table.unpack(setmetatable({}, { __index = function(t, i) return ('x'):rep(100000) .. i end }), 1, 1000)",
        "string.gsub(('x'):rep(100000), 'x', ('y'):rep(100000))",
    ])
    func `a memory bomb ends`(script: String) {
        let limits = ScriptLimits(memory: 8 << 20, instructions: 100_000_000, time: .seconds(60))
        let error = failure(script, limits: limits)
        #expect(error?.code == .limit || error?.message.contains("too large") == true, "\(String(describing: error))")
        if error?.code == .limit { #expect(error?.message == "the script needs more memory than it may use") }
    }

    @Test func `garbage does not count`() throws {
        try run("for i = 1, 2000 do local s = ('x'):rep(100000) .. i end\n\(twoClips) return draft", limits: Self.small)
    }

    @Test func `deep recursion is an error with a short traceback`() {
        let error = failure("local function f(n) return 1 + f(n + 1) end\nf(1)", limits: ScriptLimits())
        #expect(error?.code == .runtime)
        #expect(error?.message.contains("stack overflow") == true)
        #expect(error?.line == 1)
        #expect((error?.traceback.count ?? 0) <= 21)
    }

    @Test(arguments: [
        "setmetatable({}, { __gc = function() while true do end end })",
        "string.rep('', 1 << 50)", "assert(#string.rep('', 1 << 50, '') == 0) error('done')",
        "table.move({}, 1, 1 << 60, 2)",
        "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
        "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
        "table.sort(setmetatable({}, { __len = function() return 1 << 30 end }))",
    ])
    func `what would run for ever inside C does not start`(script: String) {
        let error = failure(script, limits: Self.small)
        #expect(error != nil)
        #expect(error?.code != .limit)
    }

    @Test func `time in the environment is not counted`() throws {
        final class Slow: ScriptEnvironment {
            let inner = TestEnvironment()
            func probe(_ file: DraftFile) -> Catalog.Entry {
                let end = ContinuousClock.now + .milliseconds(300)
                while ContinuousClock.now < end {}
                return inner.probe(file)
            }
            func effects() throws -> [EffectDescriptor] { try inner.effects() }
            func log(_ line: String) {}
        }
        let source = ScriptSource(name: "edit.lua", folder: "/tmp", text: "\(twoClips) return draft")
        let limits = ScriptLimits(time: .milliseconds(250))
        let session = Session(source: source, parameters: [:], limits: limits, environment: Slow())
        #expect(try session.run().draft.clips.count == 2)
    }

    @Test(arguments: [
        "while true do end", "while true do pcall(function() while true do end end) end",
        "(('x'):rep(30) .. 'y'):find(('x*'):rep(30) .. 'z')",
    ])
    func `a script that is not wanted any more stops`(script: String) {
        final class Impatient: ScriptEnvironment {
            var questions = 0
            var isCancelled: Bool {
                questions += 1
                return questions > 3
            }
            func probe(_ file: DraftFile) -> Catalog.Entry { .unreadable("") }
            func effects() throws -> [EffectDescriptor] { [] }
            func log(_ line: String) {}
        }
        let source = ScriptSource(name: "edit.lua", folder: "/tmp", text: script)
        let environment = Impatient()
        let session = Session(source: source, parameters: [:], limits: ScriptLimits(), environment: environment)
        let error = #expect(throws: ScriptError.self) { try session.run() }
        #expect(error?.code == .cancelled && environment.questions == 4, "\(String(describing: error))")
    }

    @Test func `drafts have limits too`() {
        let clips = failure("\(twoClips) while true do draft:add_clip('a.mp4') end", limits: ScriptLimits(items: 500))
        #expect(clips?.code == .limit)
        #expect(clips?.message == "a draft holds at most 500 clips")
        let drafts = failure("local cutroom = require 'cutroom' while true do cutroom.draft() end")
        #expect(drafts?.message == "a script makes at most 1000 drafts")
        let titles = failure(
            "\(twoClips) local text = ('x'):rep(90000) while true do draft:add_title(text) end", limits: Self.small)
        #expect(titles?.code == .limit)
    }

    @Test func `thousands of calls leave nothing behind`() throws {
        let source = ScriptSource(name: "edit.lua", folder: "/tmp", text: "")
        let environment = TestEnvironment()
        let session = Session(source: source, parameters: [:], limits: ScriptLimits(), environment: environment)
        let lua = try LuaState(limits: ScriptLimits(time: .seconds(300)), mainFile: "edit.lua") {
            (call: LuaCall) throws(ScriptError) -> Value in try session.answer(call)
        }
        let text = """
            local cutroom = require "cutroom"
            local draft = cutroom.draft("a.mp4")
            local f = function(t) return t end
            for i = 1, 1000 do
              draft.clips[1].volume = f
              local ok, message = pcall(function() draft.clips[1].speed = 0 end)
              assert(not ok and message == "edit.lua:6: clip 1: the speed is 0, but must lie between 0.01 and 100")
              assert(draft.clips[1].volume == f and #draft.clips == 1)
            end
            return draft
            """
        _ = try lua.run(text, name: "edit.lua")
        let once = lua.memory
        for _ in 1...3 { _ = try lua.run(text, name: "edit.lua") }
        #expect(lua.memory < once + 100_000)
    }
}
