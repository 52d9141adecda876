import Foundation
import TestSupport
import Testing

extension EndToEnd.EditorPageTests {
    /// Everything that the page can do, by keys and by mouse, and what it does over a long time.
    @Suite struct Sweep {
        /// A script with an object of each kind, and parameters of each.
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

        /// Puts a picture of the page into the folder that `CUTROOM_SCREENSHOTS` names.
        private static func photograph(_ desk: EditorDesk, _ name: String) throws {
            guard let folder = ProcessInfo.processInfo.environment["CUTROOM_SCREENSHOTS"] else { return }
            try desk.browser.screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
        }

        private static func waitUntilRendered(_ desk: EditorDesk) throws {
            try desk.browser.wait("document.querySelector('#status').textContent == 'All is rendered'", timeout: 120)
        }

        @Test func usesEverythingByKeysAndMouse() throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let desk = try EditorDesk(studio, isDark: true)
            let browser = desk.browser
            try desk.waitForExactPicture(0)

            // A click on a clip shows it, with its values at the playhead and its line.
            let scroller = try browser.place(of: ".scroller")
            try desk.fill(".time", "0:20")
            try desk.waitForExactPicture(20)
            let main = try browser.number(
                "[...document.querySelectorAll('.head')].find((head) => head.textContent == 'Main').getBoundingClientRect().top + 30")
            try browser.click(scroller.x + 60, main)
            try browser.wait("document.querySelector('#panel-object').textContent.includes('pattern.mp4')")
            try browser.wait("document.querySelector('#panel-object').textContent.includes('edit.lua:11')")
            try Self.waitUntilRendered(desk)
            try browser.wait("document.querySelector('#panel-object dl + h3 + dl, #panel-object .facts ~ .facts')")
            try Self.photograph(desk, "dark")

            // The list of objects, by keys.
            try browser.evaluate("document.querySelector('.scroller').focus()")
            try browser.press("ArrowRight")
            try browser.wait("document.querySelector('[role=option]').textContent.includes('indexed.mp4')")
            try browser.press("Escape")
            try browser.wait("document.querySelector('.why li') != null")

            // The wheel zooms, the ruler moves the playhead.
            try browser.wheel(scroller.x + 100, main, down: -400, modifiers: Chromium.control)
            try browser.wait("document.querySelector('.sheet').clientWidth > document.querySelector('.scroller').clientWidth + 100")
            try browser.press("\\")
            try browser.wait("document.querySelector('.sheet').clientWidth <= document.querySelector('.scroller').clientWidth")
            let ruler = try browser.place(of: ".ruler")
            let step = ruler.width / 8
            try browser.drag((1...5).map { (ruler.x + Double($0) * step, ruler.y + ruler.height - 8) })
            #expect(try browser.number("Number(document.querySelector('.time').dataset.frame)") > 90)

            // A parameter runs the script again.
            try browser.click("#tab-parameters")
            let revision = try browser.text("document.querySelector('.stage').dataset.revision")
            try desk.fill("#parameter-title", "Changed")
            try browser.wait("document.querySelector('.parameter:has(#parameter-title) .tool').hidden == false")
            try desk.fill(".time", "1:00")
            try browser.wait("document.querySelector('.stage').dataset.revision != '\(revision)'")
            try Self.photograph(desk, "parameters")

            // Media: a click copies the line that adds a file.
            try browser.click("#tab-media")
            try browser.wait("document.querySelectorAll('.media .file').length >= 3")
            try browser.click(".media .file")
            try browser.wait("document.querySelector('#notice').textContent.includes('draft:add_')")

            // An export, and its file.
            try browser.press("e")
            try browser.wait("document.querySelector('#export').open")
            try desk.fill("#export-output", "page.mp4")
            try browser.click("#export form .primary")
            try browser.wait("document.querySelector('#export [data-state=done]') != null", timeout: 120)
            #expect(FileManager.default.fileExists(atPath: studio.file("page.mp4")))
            let address = try browser.text("document.querySelector('#export [data-state=done] a').href")
            #expect(
                try browser.number("fetch('\(address)').then((answer) => answer.arrayBuffer()).then(({ byteLength }) => byteLength)")
                    == Double(FileManager.default.contents(atPath: studio.file("page.mp4"))?.count ?? 0))
            try browser.press("Escape")

            // The cover is the frame that was chosen.
            try browser.press("c")
            try browser.wait("document.querySelector('#cover').open && document.querySelector('#cover .large').complete")
            try browser.click("#cover form .primary")
            try browser.wait("!document.querySelector('#cover').open")
            #expect(FileManager.default.fileExists(atPath: studio.file("cover.png")))

            try browser.press("?")
            try browser.wait("document.querySelector('#help').open")
            try browser.press("Escape")
            #expect(browser.complaints == [])
            desk.end()
        }

        /// Each state of the page, as light and dark, wide and narrow, by the rules of axe-core.
        @Test(.enabled(if: Axe.script != nil, Axe.absence), arguments: [(1280, false), (390, true)])
        func isAccessible(_ width: Int, _ isDark: Bool) throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let desk = try EditorDesk(studio, width: width, height: width < 500 ? 844 : 720, isDark: isDark, isPhone: width < 500)
            let browser = desk.browser
            try desk.waitForExactPicture(0)
            try Self.waitUntilRendered(desk)
            func check(_ state: String) throws {
                let found = try Axe.violations(in: browser)
                #expect(found == [], "\(state) at \(width)")
            }
            try check("at first")
            try Self.photograph(desk, width < 500 ? "phone" : "light")
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
            desk.end()
        }

        /// Every control is reached by Tab, and says what it is.
        @Test func reachesEveryControlByKeys() throws {
            let studio = try Studio()
            try Self.showcase(studio)
            let desk = try EditorDesk(studio)
            let browser = desk.browser
            try desk.waitForExactPicture(0)
            let all = "[...document.querySelectorAll('button, a[href], input, select, [tabindex=\"0\"]')]"
            let seen = "(element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility()"
            let count = Int(try browser.number("\(all).filter(\(seen)).length"))
            try browser.evaluate("reached = new Set()")
            for _ in 0..<count + 20 {
                try browser.press("Tab")
                try browser.evaluate("reached.add(document.activeElement)")
            }
            let missed = try browser.text(
                "\(all).filter(\(seen)).filter((element) => !reached.has(element)).map(({ outerHTML }) => outerHTML.slice(0, 100)).join('\\n')")
            #expect(missed == "")
            desk.end()
        }

        /// A flash and a click that are together in a source are seen and heard together.
        @Test func keepsSoundAndPictureTogether() throws {
            let source = try Footage.made(
                "flashing-page.mp4",
                [
                    "-f", "lavfi", "-i",
                    "color=black:size=64x64:rate=30:duration=12,drawbox=c=white:t=fill:enable='between(mod(n,30),15,20)'",
                    "-f", "lavfi", "-i",
                    "aevalsrc='if(between(mod(t,1),0.5,0.502),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=12",
                    "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", "-g", "30", "-c:a", "flac",
                    "-strict", "experimental",
                ])
            let studio = try Studio()
            try studio.script("draft:add_clip(\"\(source)\")", size: (64, 64))
            let desk = try EditorDesk(studio)
            let browser = desk.browser
            try desk.waitForExactPicture(0)
            try Self.waitUntilRendered(desk)
            try browser.evaluate(
                """
                clicks = [], flashes = [], late = [];
                sound = new AudioContext();
                tap = sound.createScriptProcessor(256, 1, 1);
                sound.createMediaElementSource(video).connect(tap);
                tap.connect(sound.destination);
                tap.onaudioprocess = ({ inputBuffer }) => {
                    const isLoud = inputBuffer.getChannelData(0).some((sample) => Math.abs(sample) > 0.2);
                    if (isLoud && !(video.currentTime - clicks.at(-1) < 0.3)) clicks.push(video.currentTime);
                };
                look = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
                watch = (_, { mediaTime }) => {
                    look.drawImage(video, 0, 0, 1, 1);
                    const isBright = look.getImageData(0, 0, 1, 1).data[0] > 128;
                    if (isBright && !(mediaTime - flashes.at(-1) < 0.3)) flashes.push(mediaTime);
                    late.push(Math.abs(video.currentTime - mediaTime));
                    video.requestVideoFrameCallback(watch);
                };
                video.requestVideoFrameCallback(watch);
                sound.resume()
                """)
            try browser.press("l")
            try browser.wait("video.currentTime > 11", timeout: 60)
            try browser.press("k")
            let middle = { (name: String) in try browser.number("[...\(name)].sort((a, b) => a - b)[\(name).length >> 1]") }
            #expect(try browser.number("flashes.length") >= 8)
            #expect(try browser.number("clicks.length") >= 8)
            // Each is at the half of a second; a frame, and what the sound's own buffers take.
            try browser.evaluate("off = clicks.map((time) => Math.abs(time % 1 - 0.5)), seen = flashes.map((time) => Math.abs(time % 1 - 0.5))")
            #expect(try middle("off") < 1 / 30.0 + 0.02)
            #expect(try middle("seen") < 1 / 30.0)
            #expect(try middle("late") < 2 / 30.0)
            desk.end()
        }

        /// The preview's pictures are the export's, made smaller.
        @Test func previewsWhatIsExported() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip("\(try Footage.pattern)")
                draft:add_effect("org.cutroom.vignette")
                """, size: (1280, 720))
            let desk = try EditorDesk(studio)
            let browser = desk.browser
            try desk.waitForExactPicture(0)
            try Self.waitUntilRendered(desk)
            let size = try browser.text(
                "fetch('/api/state').then((answer) => answer.json()).then(({ draft }) => `${draft.preview_width}:${draft.preview_height}`)")
            let bytes = try browser.text(
                """
                fetch('/api/state').then((answer) => answer.json()).then(({ parts }) => fetch(`/part/${parts[1].key}.mp4`))
                    .then((answer) => answer.arrayBuffer()).then((data) => {
                        let text = '';
                        for (const byte of new Uint8Array(data)) text += String.fromCharCode(byte);
                        return btoa(text);
                    })
                """)
            let first = Int(
                try browser.number(
                    "fetch('/api/state').then((answer) => answer.json()).then(({ parts }) => parts[1].first_frame)"))
            let part = try studio.folder.write(Data(base64Encoded: bytes) ?? Data(), to: "part.mp4")
            _ = try desk.coverPixels(first)
            let result = try FFmpeg.run([
                "-i", part, "-i", studio.file("shot.png"), "-frames:v", "1", "-filter_complex",
                "[1:v]scale=\(size):out_color_matrix=bt709:out_range=tv,format=yuv420p[still];[0:v]format=yuv420p[part];[part][still]psnr=stats_file=\(studio.file("psnr")):shortest=1",
                "-f", "null", "-",
            ])
            let line = try String(contentsOfFile: studio.file("psnr"), encoding: .utf8)
            let value = line.firstMatch(of: /psnr_avg:([0-9.]+)/).flatMap { Double($0.1) } ?? (line.contains("inf") ? 100 : 0)
            #expect(value >= 38, "\(line) \(result)")
            desk.end()
        }

        /// Half an hour with 360 clips: only what is seen is drawn, and the end is reached.
        @Test func showsALongTimeline() throws {
            let studio = try Studio()
            try studio.script(
                """
                for index = 1, 360 do draft:add_clip("\(try Footage.pattern)", { speed = 0.8 }) end
                draft:add_audio("\(try Footage.tone)")
                """)
            let desk = try EditorDesk(studio)
            let browser = desk.browser
            try desk.waitForExactPicture(0)
            #expect(try browser.number("Number(document.querySelector('.ruler').ariaValueMax)") == 53_999)
            #expect(try browser.number("document.querySelectorAll('*').length") < 1500)
            try browser.press("End")
            try desk.waitForExactPicture(53_999)
            for _ in 0..<12 { try browser.press("+") }
            try browser.evaluate("document.querySelector('.scroller').focus()")
            try browser.press("End")
            try browser.wait("document.querySelector('[role=option]').ariaSelected == 'true'")
            try browser.press("Home")
            try browser.wait("document.querySelector('.scroller').scrollLeft == 0")
            #expect(try browser.text("document.querySelector('[role=option]').ariaSetSize") == "361")
            #expect(browser.complaints == [])
            desk.end()
        }
    }
}
