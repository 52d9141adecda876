import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The Record tab of the editor's page, in a browser with a camera and a microphone that make
    /// up what they record.
    @Suite(.enabled(if: Chromium.isPresent, Chromium.absence)) struct EditorRecordTests {
        @Test func `takes of the browser's camera and microphone become clips`() throws {
            let bench = try RecordBench()
            try bench.take(1, seconds: 1.5)
            try bench.take(2, seconds: 1.5) {
                // A paused take is one file.
                try bench.browser.press("P", modifiers: Chromium.shift)
                try bench.waitForPhase("paused")
                try bench.browser.press("P", modifiers: Chromium.shift)
                try bench.waitForPhase("recording")
                usleep(1_200_000)
            }
            try bench.click(".takes li[data-take=\"1\"] button:last-of-type")
            try bench.waitForTakes([2])
            #expect(bench.clips == ["talk.takes/0002.mp4"])
            try bench.browser.press("U", modifiers: Chromium.shift)
            try bench.waitForTakes([1, 2])
            #expect(bench.clips == ["talk.takes/0001.mp4", "talk.takes/0002.mp4"])
            // The draft is reloaded, with both clips on its timeline.
            try bench.browser.wait("document.querySelector('[role=option]')?.ariaSetSize == '2'")
            for (take, least) in [(1, 1.2), (2, 2.2)] {
                let length = try bench.checkTake(take)
                #expect((least...10).contains(length), "take \(take): \(length) s")
            }
            // The browser's times of sound are off by up to 20 ms; 10 ms would be heard as a gap.
            #expect(try bench.unsteadiness(of: 1) < 0.002)
            // What was discarded may still be requested for a moment.
            #expect(bench.browser.complaints.filter { !$0.contains("a status of 404") } == [])
            try bench.render()
            bench.end()
        }

        /// At most the last second is missing.
        @Test func `a killed page's take is finished`() throws { try Self.losePage(SIGKILL) }

        private static func losePage(_ signal: Int32) throws {
            let bench = try RecordBench()
            let begun = try bench.start()
            usleep(2_600_000)
            let length = (ContinuousClock.now - begun) / .seconds(1)
            bench.browser.send(signal)
            try #require(Command.until(timeout: 20) { bench.clips == ["talk.takes/0001.mp4"] }, "\(bench.journal)")
            let kept = try bench.checkTake(1)
            #expect(kept >= length - 1 && kept < length + 3, "\(kept) s of \(length) s")
            bench.browser.send(SIGKILL)
            try bench.render()
            bench.end()
        }

        @Test func `the editor's end finishes the take`() throws {
            let bench = try RecordBench()
            try bench.start()
            usleep(1_500_000)
            bench.end()
            #expect(bench.clips == ["talk.takes/0001.mp4"])
            #expect(try bench.checkTake(1) > 0.5)
        }

        // MARK: What is refused

        @Test func `what no page would send has a sentence, and changes nothing`() throws {
            let bench = try RecordBench()
            let browser = bench.browser
            try browser.evaluate(
                """
                lines = [], socket = new WebSocket(`ws://${location.host}/api/record`);
                socket.onmessage = ({ data }) => {
                    const line = JSON.parse(data);
                    if (line.recorder == 'alive') socket.send('{"recorder":"alive"}');
                    lines.push(line);
                };
                new Promise((done) => { socket.onopen = done; })
                """)
            for (message, sentence) in [
                ("'no JSON'", "A command is a JSON object on one line"),
                (#"'{"command":"fly"}'"#, "There is no command ‘fly’"),
                (#"'{"recorder":"fly"}'"#, "no report ‘fly’"),
                (#"'{"recorder":"progress","duration":-1}'"#, "‘duration’ is the length of the part"),
                (#"'{"recorder":"opened","container":"avi"}'"#, "‘container’ is"),
                (#"'{"command":"open","browser":{"video":"x","audio":true}}'"#, "‘video’ of a browser is"),
                (#"'{"command":"open","browser":{"video":"none","audio":false}}'"#, "nothing to record"),
                (#"'{"command":"open","devices":{"video":"x","audio":[]}}'"#, "‘video’ of a device is"),
                (#"'{"command":"open","devices":{"video":"test","audio":["x"]}}'"#, "‘audio’ of a device is"),
                ("new Uint8Array([1, 2, 3])", "Recorded data came although no part is being recorded"),
                (#"'{"command":"finish"}'"#, "No take is being recorded."),
            ] {
                try browser.evaluate("lines = [], socket.send(\(message))")
                try browser.wait(
                    "lines.some(({ event, message }) => event == 'refused' && message.includes('\(sentence)'))")
            }
            // A recorder that sends garbage makes a take without anything in it.
            try browser.evaluate(
                #"lines = [], socket.send('{"command":"open","browser":{"video":"camera","audio":true}}')"#)
            try browser.wait("lines.some(({ recorder }) => recorder == 'open')")
            try browser.evaluate(
                #"socket.send('{"recorder":"opened","container":"mp4"}'), socket.send('{"command":"start"}')"#)
            try browser.wait("lines.some(({ recorder }) => recorder == 'start')")
            try browser.evaluate(
                """
                for (let chunk = 0; chunk < 50; chunk += 1) socket.send(crypto.getRandomValues(new Uint8Array(40000)));
                socket.send('{"command":"finish"}')
                """)
            try browser.wait("lines.some(({ recorder }) => recorder == 'stop')")
            try browser.evaluate(#"socket.send('{"recorder":"ended","duration":3}')"#)
            try browser.wait("lines.some(({ message }) => message?.includes('nothing was recorded'))")
            // Another page waits for its turn.
            try browser.press("R", modifiers: Chromium.shift)
            try browser.wait("document.querySelector('#panel-record .error').textContent.includes('Another page')")
            try browser.evaluate("socket.close()")
            #expect(bench.clips == [])
            try bench.take(2, seconds: 1)
            bench.end()
        }

        @Test func `a stranger can do nothing`() throws {
            let studio = try Studio()
            try studio.folder.write(RecordBench.empty, to: "talk.cutroom")
            let editor = try EditorClient(studio, ["talk.cutroom"])
            let upgrade: [String: String?] = [
                "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            ]
            for fields: [String: String?] in [
                ["Authorization": "Bearer wrong"], ["Authorization": nil], ["Origin": "http://evil.example"],
                ["Sec-Fetch-Site": "cross-site"],
            ] {
                let answer = try editor.ask("GET", "/api/record", upgrade.merging(fields) { $1 })
                #expect(answer.status == 403, "\(fields): \(answer)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("talk.takes")))
            editor.end(studio)
        }

        /// A page that does not come over the loopback interface, and so not from this machine.
        @Test(
            .enabled(if: RecordBench.ownAddress != nil, "this machine has no address in a network"),
            arguments: [true, false])
        func `other machines get no devices of this one unless they may`(isAllowed: Bool) throws {
            let address = try #require(RecordBench.ownAddress)
            let bench = try RecordBench(options: ["--listen", address] + (isAllowed ? ["--allow-record"] : []))
            let browser = bench.browser
            // Chromium allows no camera on a page without HTTPS.
            #expect(try browser.holds("document.querySelector('#panel-record .warning').checkVisibility()"))
            #expect(try browser.holds("document.querySelector('#record-picture optgroup').disabled"))
            let isOffered =
                "[...document.querySelector('#record-picture').options].some(({ value }) => value == 'machine:test')"
            #expect(try browser.holds(isOffered) == isAllowed)
            try browser.evaluate(
                """
                lines = [], socket = new WebSocket(`ws://${location.host}/api/record`);
                socket.onmessage = ({ data }) => lines.push(JSON.parse(data));
                socket.onopen = () => socket.send('{"command":"open","devices":{"video":"test","audio":[]}}')
                """)
            if isAllowed {
                try browser.wait("lines.some(({ event }) => event == 'ready')")
            } else {
                try browser.wait(
                    "lines.some(({ event, message }) => event == 'refused' && message.includes('--allow-record'))")
                #expect(!FileManager.default.fileExists(atPath: bench.studio.file("talk.takes")))
            }
            try browser.evaluate("socket.close()")
            bench.end()
        }

        // MARK: Access

        @Suite struct Sweep {
            /// The browser is stopped, as on a machine that is suspended.
            @Test func `a stopped page's take is finished`() throws { try losePage(SIGSTOP) }

            @Test func `a script stays as it is, and its takes come beside it`() throws {
                let studio = try Studio()
                try studio.script("draft:add_clip(\(try Footage.silent.lua))")
                let before = try Data(contentsOf: URL(fileURLWithPath: studio.file("edit.lua")))
                let bench = try RecordBench(studio, draft: "edit.lua")
                #expect(
                    try bench.browser.text("document.querySelector('#panel-record').textContent").contains(
                        "edit.cutroom"))
                try bench.take(1, seconds: 1)
                #expect(try Data(contentsOf: URL(fileURLWithPath: studio.file("edit.lua"))) == before)
                let draft = try String(contentsOfFile: studio.file("edit.cutroom"), encoding: .utf8)
                #expect(draft.contains("edit.takes/0001.mp4"), "\(draft)")
                #expect(bench.browser.complaints == [])
                bench.end()
                try studio.render("edit.cutroom")
            }

            /// Its sources, settings and countdown.
            @Test func `the tab's choices are what is recorded`() throws {
                let bench = try RecordBench(counts: true)
                let browser = bench.browser
                // Another press within the countdown takes it back.
                try browser.press("R", modifiers: Chromium.shift)
                try browser.wait("document.querySelector('.count').textContent == '3'")
                try browser.press("R", modifiers: Chromium.shift)
                try browser.wait("document.querySelector('.count').hidden")
                try browser.wait("document.querySelector('.viewfinder video').videoWidth > 0")
                #expect(try browser.holds("document.querySelector('.viewfinder video.mirrored')"))
                #expect(bench.clips == [])
                try bench.choose("record-speed", "2")
                try browser.press("R", modifiers: Chromium.shift)
                for number in ["3", "2", "1"] {
                    try browser.wait("document.querySelector('.count').textContent == '\(number)'")
                }
                try bench.waitForPhase("recording")
                usleep(1_000_000)
                try browser.press("R", modifiers: Chromium.shift)
                try bench.waitForTakes([1])
                #expect(bench.draftText.contains("\"speed\": 2"), "\(bench.draftText)")
                try browser.evaluate("document.querySelector('#record-counts').click()")

                // A picture alone; then it is recorded again, with sound.
                try bench.choose("record-sound", "off")
                try browser.wait("document.querySelector('.meter').hidden")
                try bench.take(2, seconds: 1)
                #expect(try bench.tracks(of: 2) == ["video h264"])
                try bench.choose(
                    "record-sound", try browser.text("document.querySelector('#record-sound').options[0].value"))
                try browser.wait("!document.querySelector('.meter').hidden")
                try bench.click(".takes li[data-take=\"2\"] button:first-of-type")
                try bench.waitForPhase("recording")
                usleep(1_000_000)
                try browser.press("R", modifiers: Chromium.shift)
                try bench.waitForTakes([1, 3])
                #expect(try bench.tracks(of: 3) == ["audio opus", "video h264"])

                // The editor's own machine.
                try bench.choose("record-picture", "machine:test")
                try browser.wait("document.querySelector('.viewfinder').hidden")
                try bench.take(4, seconds: 1)
                #expect(try bench.tracks(of: 4) == ["audio aac", "video h264"])
                #expect(browser.complaints.filter { !$0.contains("a status of 404") } == [])
                try bench.render()
                bench.end()
            }

            /// The editor is killed. Its parts are recovered, wherever they are cut off.
            @Test func `parts of a killed editor are recovered`() throws {
                let bench = try RecordBench()
                let begun = try bench.start()
                usleep(2_600_000)
                let length = (ContinuousClock.now - begun) / .seconds(1)
                bench.kill()
                let part = bench.studio.file("talk.takes/0001.part1.mp4")
                let (bytes, journal) = (try Data(contentsOf: URL(fileURLWithPath: part)), bench.journal)
                let recovered = try bench.recover()
                #expect(recovered.status == 0 && recovered.stderr.contains("is recovered"), "\(recovered)")
                let whole = try bench.checkTake(1)
                #expect(whole >= length - 1, "\(whole) s of \(length) s")
                var random = SplitMix64(seed: Seed.announced(for: "cut parts", cases: 6))
                for _ in 0..<6 {
                    let count = Int.random(in: 0..<bytes.count, using: &random)
                    try bench.studio.folder.write(bytes.prefix(count), to: "talk.takes/0001.part1.mp4")
                    try bench.studio.folder.write(journal, to: "talk.takes/journal.jsonl")
                    for name in ["talk.cutroom", "talk.takes/0001.mp4"] { unlink(bench.studio.file(name)) }
                    let recovered = try bench.recover()
                    #expect(recovered.status == 0, "\(count): \(recovered)")
                    if bench.clips.isEmpty {
                        #expect(recovered.stderr.contains("nothing was recorded"), "\(count): \(recovered)")
                    } else {
                        #expect(try bench.checkTake(1) <= whole, "\(count)")
                    }
                }
            }

            /// Browsers without H.264 record WebM.
            @Test func `a take of VP8 is a WebM file`() throws {
                let bench = try RecordBench()
                try bench.browser.evaluate(
                    "MediaRecorder.isTypeSupported = ((before) => (type) => type.includes('webm') && before.call(MediaRecorder, type))(MediaRecorder.isTypeSupported)"
                )
                // Software encodes VP8 late where the machine is busy, but the sound comes in time.
                try bench.take(1, seconds: 1.5) {
                    try bench.browser.press("P", modifiers: Chromium.shift)
                    try bench.waitForPhase("paused")
                    try bench.browser.press("P", modifiers: Chromium.shift)
                    try bench.waitForPhase("recording")
                    usleep(1_200_000)
                }
                #expect(bench.clips == ["talk.takes/0001.webm"])
                #expect(try bench.tracks(of: 1, "webm") == ["audio opus", "video vp8"])
                let length = try bench.checkTake(1, "webm")
                #expect((2.2...10).contains(length), "\(length) s")
                try bench.start()
                usleep(2_200_000)
                bench.kill()
                let recovered = try bench.recover()
                #expect(recovered.status == 0 && recovered.stderr.contains("is recovered"), "\(recovered)")
                // What was not encoded is lost, and the sound waits for its pictures in the
                // browser.
                #expect(try bench.checkTake(2, "webm") > 0)
                try bench.render()
            }

            /// A phone is turned, or a window changes its size: within a part, and within a pause.
            @Test func `a picture that changes its size is whole`() throws {
                let bench = try RecordBench()
                try bench.browser.evaluate(
                    """
                    canvas = document.createElement('canvas');
                    [canvas.width, canvas.height] = [320, 180];
                    paint = () => {
                        const place = canvas.getContext('2d');
                        place.fillStyle = `hsl(${performance.now() / 10} 80% 50%)`;
                        place.fillRect(0, 0, canvas.width, canvas.height);
                    };
                    setInterval(paint, 30);
                    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(30);
                    """)
                try bench.choose("record-sound", "off")
                try bench.take(1, seconds: 1.2) {
                    try bench.browser.evaluate("[canvas.width, canvas.height] = [180, 320]")
                    usleep(1_200_000)
                    try bench.browser.press("P", modifiers: Chromium.shift)
                    try bench.waitForPhase("paused")
                    try bench.browser.evaluate("[canvas.width, canvas.height] = [240, 240]")
                    usleep(200_000)
                    try bench.browser.press("P", modifiers: Chromium.shift)
                    try bench.waitForPhase("recording")
                    usleep(1_200_000)
                }
                #expect(try (3...15).contains(bench.checkTake(1)))
                let frames = try Command.run([
                    "ffprobe", "-v", "error", "-show_entries", "frame=width,height", "-of", "csv=p=0", bench.file(1),
                ])
                let sizes = Set(
                    frames.text.split(separator: "\n").map { $0.split(separator: ",").joined(separator: "x") })
                #expect(sizes == ["320x180", "180x320", "240x240"], "\(sizes)")
                #expect(bench.parts.isEmpty, "\(bench.parts)")
                try bench.render()
                bench.end()
            }

            @Test(
                .enabled(if: Axe.script != nil, Axe.absence),
                arguments: [(1280, 720, false), (1280, 720, true), (390, 844, false)])
            func `the tab is accessible`(width: Int, height: Int, isDark: Bool) throws {
                let bench = try RecordBench(width: width, height: height, isDark: isDark, isPhone: width < 500)
                let browser = bench.browser
                #expect(try Axe.violations(in: browser) == [])
                try browser.evaluate("document.querySelector('#panel-record details').open = true")
                try bench.fill("#record-prompt", String(repeating: "What is said.\n", count: 40))
                try bench.start()
                #expect(try Axe.violations(in: browser) == [])
                try browser.wait(
                    "new DOMMatrix(getComputedStyle(document.querySelector('.prompter p')).transform).f < -5")
                try browser.press("R", modifiers: Chromium.shift)
                try bench.waitForTakes([1])
                #expect(try Axe.violations(in: browser) == [])
                // Nothing is wider than the screen.
                #expect(try browser.number("document.documentElement.scrollWidth") <= Double(width))
                #expect(
                    try browser.number(
                        "document.querySelector('#panel-record').scrollWidth - document.querySelector('#panel-record').clientWidth"
                    ) <= 0)
                // By keyboard alone: from the tab through all controls.
                try browser.evaluate("document.querySelector('#tab-record').focus()")
                var reached: Set<String> = []
                for _ in 0..<30 {
                    try browser.press("Tab")
                    let name = try browser.text(
                        "document.activeElement.closest('#panel-record') ? document.activeElement.id || document.activeElement.title || document.activeElement.textContent : ''"
                    )
                    reached.insert(name)
                }
                for name in [
                    "record-picture", "record-sound", "Record a take (Shift+R)", "record-counts", "record-speed",
                    "record-prompt", "Discard this take",
                ] {
                    #expect(reached.contains(name), "\(name) in \(reached)")
                }
                bench.end()
            }
        }
    }
}
