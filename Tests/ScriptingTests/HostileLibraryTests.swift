import Draft
import Foundation
import TestSupport
import Testing

@testable import Scripting

/// Every function that a script can reach, called with tables whose metamethods never end, with
/// functions that never return, with long texts and extreme numbers: the limits end each of them.
/// The functions are listed at run time, so that none is forgotten.
@Suite struct HostileLibraryTests {
    /// - Parameter first: the cases before it are stepped over, which takes instructions too.
    private static func limits(first: Int) -> ScriptLimits {
        ScriptLimits(
            memory: 16 << 20, instructions: 150_000 + 20 * first, time: .seconds(120), wallTime: .seconds(120))
    }

    /// Calls the functions case by case from number `first` on and prints each number before its
    /// call.
    private static func script(first: Int, randomCases: Int, seed: UInt64) -> String {
        """
        local unpack, pcall, print, format = table.unpack, pcall, print, string.format
        local metamethods = { "index", "newindex", "call", "concat", "eq", "lt", "le", "tostring", "pairs", "close", "unm", "add",
          "sub", "mul", "div", "mod", "pow", "idiv", "band", "shl", "name" }
        local function forever() while true do end end
        local values = {}
        -- getmetatable is a function of C that gives a metatable's __metatable: a metamethod that is no instruction of Lua.
        for _, constant in ipairs { "", "x", 1, math.maxinteger, true, false, print } do
          for _, has_length in ipairs { false, true } do
            local meta = { __metatable = constant, __len = has_length and getmetatable or nil }
            for _, name in ipairs(metamethods) do meta["__" .. name] = getmetatable end
            values[#values + 1] = setmetatable({}, meta)
          end
          values[#values + 1] = setmetatable({ 3, 1, 2, 5, 4 }, { __metatable = constant, __index = getmetatable })
        end
        local looping = {}
        for _, name in ipairs(metamethods) do looping["__" .. name] = forever end
        values[#values + 1] = setmetatable({ 3, 1, 2 }, looping)
        looping.__len = forever
        values[#values + 1] = setmetatable({}, looping)
        local itself = {}
        itself.__index = setmetatable(itself, itself)
        values[#values + 1] = itself
        local chain = { "x", "y", "z" }
        for i = 1, 100 do chain = setmetatable({}, { __index = chain }) end
        values[#values + 1] = chain
        local list = {}
        for i = 1, 500 do list[i] = i * 7919 % 501 end
        for _, value in ipairs { list, getmetatable, forever, rawequal, rawlen, tostring, table.concat, coroutine.wrap(forever),
          coroutine.wrap(coroutine.yield), coroutine.create(forever), coroutine.create(coroutine.yield), string.gmatch("aaa", ""),
          ("a"):rep(5000), ("a-"):rep(30) .. "b", ("Xi16"):rep(200), "%s%99.99f%q", "return ...", "(a*)*", "", "1e308", "c999999999",
          0, 1, -1, 2, 1e15, 1 << 40, math.maxinteger, math.mininteger, math.huge, 0 / 0, true, {} } do
          values[#values + 1] = value
        end

        local functions, seen = {}, {}
        local function collect(path, library)
          if seen[library] then return end
          seen[library] = true
          for name, value in pairs(library) do
            if type(value) == "function" then functions[#functions + 1] = { path .. name, value } end
            if type(value) == "table" then collect(path .. name .. ".", value) end
          end
        end
        collect("", _G)
        collect("cutroom.", require "cutroom")

        local state
        local function random(n)
          state = (state * 6364136223846793005 + 1442695040888963407)
          return (state >> 33) % n + 1
        end
        local number = 0
        local function try(index, ...)
          number = number + 1
          if number <= \(first) then return end
          print(format("%d %s", number, functions[index][1]))
          pcall(functions[index][2], ...)
        end
        for index = 1, #functions do
          for _, value in ipairs(values) do
            if number >= \(first) then try(index, value, "", 1, math.maxinteger) else number = number + 1 end
          end
          for round = 1, \(randomCases) do
            if number >= \(first) then
              state = \(seed) ~ (index << 20) ~ round
              for i = 1, 5 do random(2) end
              local arguments, count = {}, random(4)
              for i = 1, count do arguments[i] = values[random(#values)] end
              try(index, unpack(arguments, 1, count))
            else
              number = number + 1
            end
          end
        end
        print("done " .. #functions)
        """
    }

    /// Runs until every case was called, over as many sessions as there are cases that reach a
    /// limit.
    private static func callAll(randomCases: Int, seed: UInt64) throws -> Int {
        var first = 0
        var functions = 0
        while functions == 0 {
            let environment = Listener()
            let text = script(first: first, randomCases: randomCases, seed: seed)
            let source = ScriptSource(name: "edit.lua", folder: "/tmp", text: text)
            let isOver = DispatchSemaphore(value: 0)
            let limits = limits(first: first)
            let thread = Thread {
                let session = Session(
                    source: source, parameters: [:], limits: limits, environment: environment)
                do throws(ScriptError) { _ = try session.run() } catch { environment.end = error }
                isOver.signal()
            }
            thread.stackSize = 16 << 20
            thread.start()
            guard isOver.wait(timeout: .now() + 120) == .success else {
                Issue.record("seed \(seed): the limits do not end case \(environment.last)")
                return 0
            }
            let words = environment.last.split(separator: " ")
            if words.first == "done" {
                functions = Int(words[1]) ?? 0
            } else {
                let last = try #require(words.first.flatMap { Int($0) }, "\(environment.end as Any)")
                try #require(last > first, "seed \(seed): \(environment.last), \(environment.end as Any)")
                #expect(environment.end?.code == .limit, "seed \(seed): \(environment.last), \(environment.end as Any)")
                first = last
            }
        }
        return functions
    }

    /// Keeps the last line that was printed. Used by one thread at a time.
    private final class Listener: ScriptEnvironment, @unchecked Sendable {
        var last = ""
        var end: ScriptError?
        func probe(_ file: DraftFile) -> Catalog.Entry { .unreadable("it is not there") }
        func effects() throws -> [EffectDescriptor] { [] }
        func log(_ line: String) {
            // A case may call print itself.
            if line.hasPrefix("done ") || line.first?.isNumber == true, line.contains(" ") { last = line }
        }
    }

    @Test func `the limits end every function of every library`() throws {
        #expect(try Self.callAll(randomCases: 5, seed: 1) > 80)
    }

    @Suite struct Sweep {
        @Test func `the limits end every function with random arguments`() throws {
            let seed = Seed.announced(for: "hostile library calls", cases: 500) & 0xFFFF_FFFF
            #expect(try HostileLibraryTests.callAll(randomCases: 500, seed: seed) > 80)
        }
    }

    // MARK: The table library's own loops

    @Test func `sorting, joining and moving are as in Lua`() throws {
        try run(
            """
            local function is_sorted(list, less)
              for i = 2, #list do if less(list[i], list[i - 1]) then return false end end
              return true
            end
            local function less(a, b) return a < b end
            for _, length in ipairs { 0, 1, 2, 3, 10, 99, 100, 101, 1000, 5000 } do
              for kind = 1, 5 do
                local list, sum = {}, 0
                for i = 1, length do
                  list[i] = kind == 1 and i or kind == 2 and -i or kind == 3 and i % 7 or kind == 4 and math.random(1000) or 5
                  sum = sum + list[i]
                end
                table.sort(list)
                assert(is_sorted(list, less), length .. " " .. kind)
                table.sort(list, function(a, b) return a > b end)
                assert(is_sorted(list, function(a, b) return a > b end))
                for i = 1, length do sum = sum - list[i] end
                assert(sum == 0 and #list == length)
              end
            end
            local words = { "pear", "apple", "fig" }
            table.sort(words)
            assert(table.concat(words, ", ") == "apple, fig, pear" and table.concat(words, "-", 2, 3) == "fig-pear")
            assert(table.concat({}, ",") == "" and table.concat({ 1, 2.5, "x" }) == "12.5x" and table.concat(words, ",", 3, 2) == "")
            assert(not pcall(table.sort, { 1, "x" }) and not pcall(table.sort, { 3, 1, 2, 4 }, function() return true end))
            table.insert(words, "kiwi") table.insert(words, 1, "date")
            assert(table.concat(words, " ") == "date apple fig pear kiwi")
            assert(table.remove(words) == "kiwi" and table.remove(words, 1) == "date" and table.remove({}) == nil)
            assert(table.remove(words, 4) == nil and not pcall(table.remove, words, 6) and not pcall(table.insert, words, 9, 1))
            assert(not pcall(table.insert, words) and not pcall(table.insert, words, 1, 2, 3))
            local moved = table.move({ 1, 2, 3 }, 1, 3, 2)
            assert(table.concat(moved, ",") == "1,1,2,3" and table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), ",") == "2,3,3")
            assert(table.concat(table.move({ 1, 2, 3 }, 1, 3, 1, {}), ",") == "1,2,3")
            assert(select("#", table.unpack({ 1, nil, 3 }, 1, 3)) == 3 and select("#", table.unpack({}, 2, 1)) == 0)
            assert(select(3, table.unpack({ 1, 2, 3 })) == 3 and not pcall(table.unpack, {}, 1, 1e8))
            local proxy = setmetatable({}, { __index = function(_, i) return i * 10 end, __len = function() return 3 end })
            assert(table.concat(proxy, ",") == "10,20,30" and table.pack(table.unpack(proxy)).n == 3)
            for i, value in ipairs({ 7, 8 }) do assert(value == i + 6) end
            for place, code in utf8.codes("aä") do assert(code == (place == 1 and 97 or 228)) end
            assert(math.random(3) <= 3 and string.format("%5.1f", 2.25) == "  2.2" and ("x"):upper() == "X")
            \(twoClips) return draft
            """)
    }

    @Test func `a text of any length that is raised is read in steps`() {
        let error = failure("error(('edit.lua:1: '):rep(200000) .. 'end', 0)")
        #expect(error?.code == .runtime)
        #expect((error?.message.utf8.count ?? .max) <= 65_536)
    }
}
