import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The editor's page, in a browser.
    @Suite(.enabled(if: Chromium.isPresent, Chromium.absence)) struct EditorPageTests {
        @Test func playsAndShowsTheExportsPicture() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip("\(try Footage.pattern)")
                draft:add_title("Hello", { size = 24 })
                """)
            let bench = try EditorBench(studio)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            try browser.press(" ")
            try browser.wait("video.currentTime > 1")
            #expect(try browser.number("video.getVideoPlaybackQuality().totalVideoFrames") > 15)
            #expect(try browser.text("document.querySelector('.stage').dataset.picture") == "preview")
            try browser.press("k")
            try bench.waitForExactPicture()
            let frame = Int(try browser.number("Number(document.querySelector('.stage').dataset.frame)"))
            // The last picture may be a little older than the clock.
            #expect(frame >= 27)
            #expect(try bench.exactPixels() == bench.coverPixels(frame))
            #expect(browser.complaints == [])
            bench.end()
        }

        @Test func goesByKeys() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip("\(try Footage.indexed)", { range = { 0, 1 } })
                draft:add_clip("\(try Footage.indexed)", { range = { 2, 1 } })
                """)
            let bench = try EditorBench(studio)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            for (key, modifiers, frame) in [
                ("End", 0, 59), ("ArrowLeft", 0, 58), ("ArrowUp", 0, 30), ("ArrowUp", 0, 0), ("ArrowRight", 0, 1),
                ("ArrowRight", Chromium.shift, 31), ("ArrowDown", 0, 59), ("Home", 0, 0), (".", 0, 1), (",", 0, 0),
            ] {
                try browser.press(key, modifiers: modifiers)
                #expect(
                    try browser.number("Number(document.querySelector('.time').dataset.frame)") == Double(frame),
                    "\(key)")
            }
            try bench.fill(".time", "1:05")
            try bench.waitForExactPicture(35)
            try browser.press("i")
            for _ in 0..<9 { try browser.press("ArrowRight") }
            try browser.press("o")
            // The range between in and out is played in a loop, and nothing else is shown.
            try browser.evaluate(
                "seen = [], document.querySelector('.stage').addEventListener('picture', ({ detail }) => seen.push(detail.frame))"
            )
            try browser.press("l")
            try browser.wait("seen.filter((frame) => frame < 38).length > 5 && seen.some((frame) => frame > 41)")
            try browser.press("j")
            try browser.wait("seen.length > 3 && seen.at(-1) < seen.at(-2)")
            try browser.press("k")
            #expect(try browser.number("Math.min(...seen)") >= 35)
            try bench.waitForExactPicture()
            #expect(browser.complaints == [])
            bench.end()
        }

        @Test func showsWhatTheScriptHasBecome() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\"\(try Footage.pattern)\")")
            let bench = try EditorBench(studio)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            for _ in 0..<5 { try browser.press("ArrowRight") }
            try bench.waitForExactPicture(5)
            let first = try bench.exactPixels()

            let shown = "document.querySelector('.stage').dataset.revision"
            var revision = try browser.text(shown)
            try studio.script(
                """
                draft:add_clip("\(try Footage.pattern)")
                draft:add_title("Changed", { size = 24, color = "#ff0000" })
                """)
            try browser.wait("\(shown) != '\(revision)'")
            let second = try bench.exactPixels()
            #expect(second != first)
            #expect(try second == bench.coverPixels(5))
            #expect(try browser.number("Number(document.querySelector('.time').dataset.frame)") == 5)

            // Errors are shown with their places, and the last valid picture stays.
            try studio.script("draft:add_clip(\"\(try Footage.pattern)\", { speed = 0 })")
            try browser.wait("!document.querySelector('#problems').hidden")
            let words = try browser.text("document.querySelector('#problems').textContent")
            #expect(words.contains("speed") && words.contains("edit.lua:3"), "\(words)")
            #expect(try bench.exactPixels() == second)

            revision = try browser.text(shown)
            try studio.script("draft:add_clip(\"\(try Footage.pattern)\")")
            try browser.wait("document.querySelector('#problems').hidden && \(shown) != '\(revision)'")
            #expect(try bench.exactPixels() == first)
            #expect(browser.complaints == [])
            bench.end()
        }
    }
}
