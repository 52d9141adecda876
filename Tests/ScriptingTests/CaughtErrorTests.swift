import TestSupport
import Testing

@testable import Scripting

/// What a script catches reads like what it does not catch.
@Suite struct CaughtErrorTests {
    /// What `script`, on line 5, prints last.
    private func printed(_ script: String) -> String {
        let environment = TestEnvironment()
        _ = try? run(twoClips + "\n\n" + script + "\nreturn draft", environment: environment)
        // Files are named by their whole paths here.
        return (environment.lines.last ?? "").replacing(/[^ ‘]*cutroom-test-[^\/]*\//, with: "")
    }

    @Test func `a caught error reads like an uncaught one`() {
        for (script, message) in ErrorTests.cases + SpellingTests.cases {
            // Those raise what is no text.
            guard !script.hasPrefix("error({"), !script.hasPrefix("error(set"), script != "error()" else { continue }
            let line = printed("local _, caught = pcall(function() \(script) end) print(caught)")
            #expect(line.hasSuffix("edit.lua:5: \(message)"), "\(script): \(line)")
        }
    }

    @Test(arguments: [
        "select(2, xpcall(f, function(m) return m end))", "select(2, coroutine.resume(coroutine.create(f)))",
        "select(2, pcall(coroutine.wrap(f)))", "select(3, pcall(pcall, f))",
        "select(2, pcall(draft.transaction, draft, f))",
    ])
    func `whatever catches it`(way: String) {
        let line = printed("local f = function() drfat.x = 1 end print(\(way))")
        #expect(line.hasSuffix("edit.lua:5: there is no variable ‘drfat’; did you mean ‘draft’?"), "\(line)")
    }

    @Test func `what pcall gives is as ever`() throws {
        try run(
            """
            \(twoClips)
            local ok, a, b = pcall(function(...) return ... end, 1, nil)
            assert(ok and a == 1 and b == nil and select("#", pcall(function() end)) == 1)
            local caught = { pcall(error) }
            assert(caught[1] == false and caught[2] == nil)
            local thing = {}
            assert(select(2, pcall(error, thing)) == thing and select(2, pcall(error, "words", 0)) == "words")
            assert(not pcall(pcall))
            local co = coroutine.wrap(function() return pcall(function() return coroutine.yield(1) + 1 end) end)
            assert(co() == 1 and select(2, co(2)) == 3)
            local nested = coroutine.create(function() draft:add_clip(coroutine.yield("path")) end)
            assert(select(2, coroutine.resume(nested)) == "path" and coroutine.resume(nested, "a.mp4") and #draft.clips == 3)
            local function deep() return 1 + deep() end
            local ok, message = pcall(deep)
            assert(not ok and message:find("stack overflow"), message)
            return draft
            """)
    }
}
