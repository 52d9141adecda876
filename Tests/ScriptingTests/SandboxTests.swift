import Draft
import Foundation
import TestSupport
import Testing

@testable import Scripting

@Suite struct SandboxTests {
    @Test(arguments: [
        ("os.execute('rm -rf /')", "processes: os.execute"), ("io.popen('ls')", "processes: io.popen"),
        ("os.exit(0)", "processes: os.exit"),
        ("os.getenv('HOME')", "the environment: os.getenv"), ("os.time()", "the clock"), ("os.clock()", "the clock"),
        ("os.date()", "the clock"), ("os.remove('x')", "files: os.remove"), ("os.rename('x', 'y')", "files: os.rename"),
        ("os.tmpname()", "files: os.tmpname"), ("io.open('/etc/passwd')", "files: io.open"),
        ("io.lines('/etc/passwd')", "files: io.lines"),
        ("io.write('x')", "files: io.write"), ("io.stdout:write('x')", "files: io.stdout"),
        ("dofile('/etc/passwd')", "files: dofile"),
        ("loadfile('/etc/passwd')", "files: loadfile"), ("debug.getregistry()", "the debug library"),
        ("debug.sethook()", "the debug library"),
        ("debug.getinfo(1)", "the debug library"), ("package.loadlib('x.so', '*')", "the package library"),
        ("package.path = '/tmp/?.lua'", "the package library"), ("string.dump(print)", "Lua's own inside"),
        ("collectgarbage('stop')", "Lua's own inside"), ("warn('@on')", "Lua's own inside"),
        ("os.setlocale('')", "Lua's own inside"),
    ])
    func `what a script may not do is refused by name`(statement: String, what: String) {
        let error = failure("local x = 1\n\(statement)\n")
        #expect(error?.code == .forbidden)
        #expect(error?.line == 2)
        #expect(error?.file == "edit.lua")
        #expect(error?.message.hasPrefix("the script has no access to \(what)") == true, "\(String(describing: error))")
        #expect(error?.message.contains("is not available") == true)
    }

    @Test func `the real libraries cannot be reached another way`() throws {
        try run(
            """
            assert(getmetatable("") == false)
            assert(getmetatable(os) == false)
            assert(not pcall(setmetatable, os, {}))
            assert(rawget(os, "execute") == nil and rawget(io, "open") == nil and rawget(debug, "sethook") == nil)
            assert(rawget(_G, "jit") == nil)
            for name in pairs(_G) do
              local known = { _G = 1, _VERSION = 1, assert = 1, collectgarbage = 1, coroutine = 1, debug = 1, dofile = 1, error = 1,
                getmetatable = 1, io = 1, ipairs = 1, load = 1, loadfile = 1, math = 1, next = 1, os = 1, package = 1, pairs = 1,
                pcall = 1, print = 1, rawequal = 1, rawget = 1, rawlen = 1, rawset = 1, require = 1, select = 1, setmetatable = 1,
                string = 1, table = 1, tonumber = 1, tostring = 1, type = 1, utf8 = 1, warn = 1, xpcall = 1 }
              assert(known[name], name)
            end
            \(twoClips) return draft
            """)
    }

    @Test func `a script cannot reach the host through what it overwrites`() throws {
        let result = try run(
            """
            local cutroom = require "cutroom"
            type, tostring, error, setmetatable, rawget, xpcall, pcall, ipairs = nil, nil, nil, nil, nil, nil, nil, nil
            table.pack, table.unpack, table.concat, table.sort = nil, nil, nil, nil
            string.rep, string.find = nil, nil
            local draft = cutroom.draft("a.mp4")
            draft:transaction(function() draft:add_clip("b.mp4") end)
            for key in pairs { b = 1, a = 2 } do print(key) end
            return draft
            """)
        #expect(result.draft.clips.count == 2)
    }

    // MARK: Code from elsewhere

    @Test func `bytecode is not loaded`() throws {
        let error = failure("assert(load('\\27Lua', 'x', 'b'))")
        #expect(error?.message.contains("attempt to load a binary chunk") == true)
        try run(
            "assert(load('return 1 + 1')() == 2); assert(load('return x', 'n', 't', { x = 3 })() == 3)\n\(twoClips) return draft"
        )
        let file = failure(#"return require "compiled""#, files: ["compiled.lua": "\u{1b}Lua"])
        #expect(file?.code == .forbidden)
        #expect(file?.message == "is compiled Lua; only text is run")
        #expect(failure("\u{1b}LuaS")?.code == .forbidden)
    }

    @Test func `modules come from below the script's folder`() throws {
        let environment = TestEnvironment()
        let result = try run(
            """
            local intro = require "parts.intro"
            assert(intro == require "parts.intro")
            return intro(require "cutroom")
            """,
            files: [
                "parts/intro.lua": "print(...)\nreturn function(cutroom) return cutroom.draft(\"a.mp4\") end"
            ], environment: environment)
        #expect(result.draft.clips.count == 1)
        #expect(environment.lines == ["parts.intro"])
    }

    @Test(arguments: ["..secret", "/etc/passwd", "parts/intro", ".", "", "a..b", "x\\0", "ä"])
    func `a module's name cannot lead elsewhere`(name: String) {
        let error = failure("require \"\(name)\"")
        #expect(error?.code == .forbidden || error?.code == .runtime, "\(String(describing: error))")
        #expect(error?.line == 1)
    }

    @Test func `a link out of the folder is refused`() throws {
        try TemporaryFolder.with { folder in
            try folder.write("return 1", to: "secret.lua")
            try folder.write("require 'inside'", to: "edits/edit.lua")
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("edits/inside.lua"), withDestinationPath: folder.file("secret.lua"))
            let error = #expect(throws: ScriptError.self) {
                try Script.run(path: folder.file("edits/edit.lua"), environment: TestEnvironment())
            }
            #expect(error?.code == .forbidden)
            #expect(error?.message == "the module ‘inside’ leads out of the script's folder")
        }
    }

    @Test func `a missing module, a loop of modules and an error in one have their place`() {
        let missing = failure("\nrequire 'nothing'")
        #expect(
            missing?.description
                == "edit.lua:2: there is no module ‘nothing’: ‘nothing.lua’ is not in the script's folder")
        let loop = failure("require 'one'", files: ["one.lua": "require 'two'", "two.lua": "\nrequire 'one'"])
        #expect(loop?.description == "two.lua:2: ‘one’ requires itself")
        let broken = failure("require 'broken'", files: ["broken.lua": "x = 1\nlocal = 2"])
        #expect(broken?.description == "broken.lua:2: a name is missing before ‘=’")
        let failing = failure("require 'failing'", files: ["failing.lua": "\n\nlocal x = nil + 1"])
        #expect(failing?.description == "failing.lua:3: one side of the calculation is nothing, but must be a number")
        #expect(failing?.traceback == ["failing.lua:3: in the main part", "edit.lua:1: in the main part"])
    }

    // MARK: The same script, the same draft

    @Test func `random numbers and the order of keys are the same in every run`() throws {
        let text = """
            local t = {}
            for i = 1, 50 do t["key" .. i * 7919 % 1000] = i end
            t[3] = "x"; t[1.5] = "y"; t[-1] = "z"
            local seen = {}
            for key, value in pairs(t) do seen[#seen + 1] = key .. "=" .. value end
            print(table.concat(seen, " "))
            print(math.random(1000000), math.random(), math.random(5, 6))
            math.randomseed(42)
            print(math.random(1000000))
            \(twoClips) return draft
            """
        let (first, second) = (TestEnvironment(), TestEnvironment())
        try run(text, environment: first)
        try run(text, environment: second)
        #expect(first.lines == second.lines)
        #expect(first.lines[0].hasPrefix("-1=z 1.5=y 3=x key109=11 "))
        #expect(failure("math.randomseed()")?.message == "math.randomseed needs a number; without a call the seed is 0")
    }

    @Test func `pairs keeps what Lua promises of it`() throws {
        try run(
            """
            local t = { 1, 2, 3, x = 1, y = 2 }
            for key in pairs(t) do t[key] = nil end
            assert(next(t) == nil)
            local custom = setmetatable({}, { __pairs = function() return function(_, i) if i < 2 then return i + 1 end end, nil, 0 end })
            local count = 0
            for i in pairs(custom) do count = count + i end
            assert(count == 3)
            assert(not pcall(pairs, nil))
            \(twoClips) return draft
            """)
        #expect(
            failure("\nfor _ in pairs(nil) do end")?.description
                == "edit.lua:2: ‘pairs’ wants a table as its argument 1, but was given nothing")
    }

    @Test func `print reaches the environment`() throws {
        let environment = TestEnvironment()
        try run(
            "print('a', 1, nil, true, 2.5)\nprint()\nprint('\\xff')\n\(twoClips) print(draft, draft.clips[1]) return draft",
            environment: environment)
        #expect(environment.lines == ["a\t1\tnil\ttrue\t2.5", "", "\u{fffd}", "draft\tclip 1 (opening)"])
    }
}
