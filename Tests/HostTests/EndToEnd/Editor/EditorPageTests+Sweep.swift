import Foundation
import TestSupport
import Testing

extension EndToEnd.EditorPageTests {
    /// All functions of the page, by keyboard and mouse, and its behaviour over a long time.
    @Suite struct Sweep {
        /// A script with an object of each kind, and parameters of each type.
        private static func showcase(_ studio: Studio) throws {
            try studio.folder.write(
                """
                local cutroom = require "cutroom"
                local params = cutroom.params {
                    title = { type = "string", default = "A day out", help = "What is written over the first scene" },
                    size = { type = "number", default = 20, min = 8, max = 48 },
                    lines = { type = "integer", default = 2, min = 1, max = 5 },
                    bold = { type = "boolean", default = true },
                    tint = { type = "color", default = "#e8a33d" },
                    side = { type = "string", default = "left", choices = { "left", "right" } },
                }
                local draft = cutroom.draft { size = { 320, 180 }, fps = 30 }
                draft:add_clip("\(try Footage.pattern)", { range = { 0, 3 } })
                draft:add_clip("\(try Footage.indexed)", { range = { 0.5, 3 }, transition = { "dissolve", 0.5 } })
                draft:add_image("\(try Footage.still)", { duration = 2, transition = { "wipe_left", 0.5 } })
                draft:add_layer("\(try Footage.silent)", { at = 1, range = { 0, 2 }, position = "top_right", scale = 0.4 })
                draft:add_audio("\(try Footage.tone)", { range = { 0, 4 }, volume = 0.2 })
                draft:add_effect("org.cutroom.vignette", { strength = 0.6 })
                draft:add_title(params.title, { size = params.size, color = params.tint, range = { 0.5, 3 } })
                return draft

                """, to: "edit.lua")
        }

        @Test func usesEverythingByKeysAndMouse() throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let bench = try EditorBench(studio, isDark: true)
            let browser = bench.browser
            try bench.waitForExactPicture(0)

            // A click on a clip shows it, with its values at the playhead and its line.
            let scroller = try browser.place(of: ".scroller")
            try bench.fill(".time", "0:20")
            try bench.waitForExactPicture(20)
            let main = try browser.number(
                "[...document.querySelectorAll('.head')].find((head) => head.textContent == 'Main').getBoundingClientRect().top + 30"
            )
            try browser.click(scroller.x + 60, main)
            try browser.wait("document.querySelector('#panel-object').textContent.includes('pattern.mp4')")
            try browser.wait("document.querySelector('#panel-object').textContent.includes('edit.lua:11')")
            try bench.waitUntilRendered()
            try browser.wait("document.querySelector('#panel-object dl + h3 + dl, #panel-object .facts ~ .facts')")

            // The list of objects, by keyboard.
            try browser.evaluate("document.querySelector('.scroller').focus()")
            try browser.press("ArrowRight")
            try browser.wait("document.querySelector('[role=option]').textContent.includes('indexed.mp4')")
            try browser.press("Escape")
            try browser.wait("document.querySelector('.why li') != null")

            // The wheel zooms, the ruler moves the playhead.
            try browser.wheel(scroller.x + 100, main, down: -400, modifiers: Chromium.control)
            try browser.wait(
                "document.querySelector('.sheet').clientWidth > document.querySelector('.scroller').clientWidth + 100")
            try browser.press("\\")
            try browser.wait(
                "document.querySelector('.sheet').clientWidth <= document.querySelector('.scroller').clientWidth")
            let ruler = try browser.place(of: ".ruler")
            let step = ruler.width / 8
            try browser.drag((1...5).map { (ruler.x + Double($0) * step, ruler.y + ruler.height - 8) })
            #expect(try browser.number("Number(document.querySelector('.time').dataset.frame)") > 90)

            // A parameter runs the script again.
            try browser.click("#tab-parameters")
            let revision = try browser.text("document.querySelector('.stage').dataset.revision")
            try bench.fill("#parameter-title", "Changed")
            try browser.wait("document.querySelector('.parameter:has(#parameter-title) .tool').hidden == false")
            try bench.fill(".time", "1:00")
            try browser.wait("document.querySelector('.stage').dataset.revision != '\(revision)'")

            // Media: a click copies the line that adds a file.
            try browser.click("#tab-media")
            try browser.wait("document.querySelectorAll('.media .file').length >= 3")
            try browser.click(".media .file")
            try browser.wait("document.querySelector('#notice').textContent.includes('draft:add_')")

            // An export, and its file.
            try browser.press("e")
            try browser.wait("document.querySelector('#export').open")
            try bench.fill("#export-output", "page.mp4")
            try browser.click("#export form .primary")
            try browser.wait("document.querySelector('#export [data-state=done]') != null", timeout: 120)
            #expect(FileManager.default.fileExists(atPath: studio.file("page.mp4")))
            let address = try browser.text("document.querySelector('#export [data-state=done] a').href")
            #expect(
                try browser.number(
                    "fetch('\(address)').then((answer) => answer.arrayBuffer()).then(({ byteLength }) => byteLength)")
                    == Double(FileManager.default.contents(atPath: studio.file("page.mp4"))?.count ?? 0))
            try browser.press("Escape")

            // The cover is the frame that was chosen.
            try browser.press("c")
            try browser.wait(
                "document.querySelector('#cover').open && document.querySelector('#cover .large').complete")
            try browser.click("#cover form .primary")
            try browser.wait("!document.querySelector('#cover').open")
            #expect(FileManager.default.fileExists(atPath: studio.file("cover.png")))

            try browser.press("?")
            try browser.wait("document.querySelector('#help').open")
            try browser.press("Escape")
            #expect(browser.complaints == [])
            bench.end()
        }

        /// Each state of the page, light and dark, wide and narrow, by the rules of axe-core.
        @Test(.enabled(if: Axe.script != nil, Axe.absence), arguments: [(1280, false), (390, true)])
        func isAccessible(_ width: Int, _ isDark: Bool) throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let bench = try EditorBench(
                studio, width: width, height: width < 500 ? 844 : 720, isDark: isDark, isPhone: width < 500)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            try bench.waitUntilRendered()
            func check(_ state: String) throws {
                let found = try Axe.violations(in: browser)
                #expect(found == [], "\(state) at \(width)")
            }
            try check("at first")
            for tab in ["parameters", "media", "object"] {
                try browser.evaluate("document.querySelector('#tab-\(tab)').click()")
                if tab == "media" { try browser.wait("document.querySelector('.media .file') != null") }
                try check(tab)
            }
            for dialog in ["export", "cover", "help", "drafts"] {
                try browser.evaluate("document.querySelector('[data-dialog=\(dialog)]:not(#exporting)').click()")
                try browser.wait("document.querySelector('#\(dialog)').open")
                try check(dialog)
                try browser.press("Escape")
            }
            try studio.script("error(\"no\")")
            try browser.wait("!document.querySelector('#problems').hidden")
            try check("with a problem")
            try browser.open(try browser.text("location.origin") + "/assets/farm.html")
            try browser.wait("document.querySelector('#none').textContent != ''")
            try check("the queue")
            bench.end()
        }

        /// Every control is reached by Tab, and has an accessible name.
        @Test func reachesEveryControlByKeys() throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let bench = try EditorBench(studio)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            let all = "[...document.querySelectorAll('button, a[href], input, select, [tabindex=\"0\"]')]"
            let seen = "(element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility()"
            let count = Int(try browser.number("\(all).filter(\(seen)).length"))
            try browser.evaluate("reached = new Set()")
            for _ in 0..<count + 20 {
                try browser.press("Tab")
                try browser.evaluate("reached.add(document.activeElement)")
            }
            let missed = try browser.text(
                "\(all).filter(\(seen)).filter((element) => !reached.has(element)).map(({ outerHTML }) => outerHTML.slice(0, 100)).join('\\n')"
            )
            #expect(missed == "")
            bench.end()
        }
    }
}
