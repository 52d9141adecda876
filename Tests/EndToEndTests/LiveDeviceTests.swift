import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a real screen and a real sound server say of themselves, and ALSA through its plugin
    /// for PulseAudio.
    @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct LiveDeviceTests {
        private let desk: LiveDesk
        private let studio: Studio

        init() throws {
            desk = try LiveDesk()
            studio = try desk.studio()
            let server = try #require(desk.environment["PULSE_SERVER"] ?? nil)
            try studio.folder.write(
                """
                </usr/share/alsa/alsa.conf>
                pcm.desk { type pulse server "\(server)" device "\(LiveDesk.source)" hint { show on description "A desk" } }
                pcm.!default { type pulse server "\(server)" device "\(LiveDesk.source)" }

                """, to: "asoundrc")
            studio.environment["ALSA_CONFIG_PATH"] = studio.file("asoundrc")
        }

        private static let hasALSA =
            FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf")
            && ["x86_64-linux-gnu", "aarch64-linux-gnu"].contains {
                FileManager.default.fileExists(atPath: "/usr/lib/\($0)/alsa-lib/libasound_module_pcm_pulse.so")
            }
        private static let noALSA: Comment = "libasound2-plugins is not installed"

        private var take: String { studio.file("talk.takes/0001.mp4") }

        private func record(_ options: String...) throws -> Command.Output {
            try studio.run(["record", "talk.cutroom"] + options)
        }

        @Test func `screens, windows and sources of sound are listed`() throws {
            let (id, _) = try desk.flash()
            let list = try studio.run(["record", "--list"])
            #expect(list.status == 0 && list.stderr.isEmpty, "\(list)")
            let window = "window:0x" + String(try #require(Int(id)), radix: 16)
            for line in [
                "  screen           640x480\n", "  \(window)  320x240\n", "  pulse:desk.monitor  ",
                "48000 Hz, 2 channels, what the system plays, default\n", "  a test picture\n",
            ] {
                #expect(list.text.contains(line), "\(line): \(list)")
            }
            let json = try studio.run(["record", "--list", "--json"])
            let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
            #expect(try schema.accepts(json: json.text, as: "devices"), "\(json)")
            // A server that is stopped answers nothing.
            desk.sound.send(SIGSTOP)
            defer { desk.sound.send(SIGCONT) }
            let late = try studio.run(["record", "--list"])
            #expect(late.status == 0 && late.stderr.contains("warning: PulseAudio did not answer.\n"), "\(late)")
            #expect(late.text.contains("  640x480\n"), "\(late)")
            studio.environment["DISPLAY"] = ":98765"
            let gone = try studio.run(["record", "--list"])
            #expect(gone.stderr.contains("The X11 display ‘:98765’ of $DISPLAY cannot be opened."), "\(gone)")
        }

        @Test func `sources of PulseAudio have their sentences`() throws {
            let missing = try record("--video", "none", "--audio", "pulse:nothing")
            #expect(
                missing.status == 74
                    && missing.stderr.contains("has no such source; it has ‘pulse:\(LiveDesk.source)’."), "\(missing)")
            studio.environment["PULSE_SERVER"] = "unix:/no/such/socket"
            let absent = try record("--video", "none", "--audio", "pulse:nothing")
            #expect(absent.stderr.contains("PulseAudio does not run; start it, or name another source"), "\(absent)")
        }

        @Test(.enabled(if: Command.isInstalled("pactl"), "pactl is not installed"))
        func `a PulseAudio without sources has its sentence`() throws {
            let unloaded = try Command.run(
                ["pactl", "unload-module", "module-null-sink"], environment: desk.environment)
            try #require(unloaded.succeeded, "\(unloaded)")
            let result = try record("--video", "none")
            #expect(
                result.status == 74 && result.stderr.contains("‘default’ cannot be opened: PulseAudio has no sources;"),
                "\(result)")
        }

        /// PulseAudio converts.
        @Test func `sound of another form than the source's`() throws {
            let result = try record(
                "--video", "none", "--sample-rate", "96000", "--channels", "6", "--max-duration", "1")
            #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
            #expect(try FFmpeg.probe(take, "stream=sample_rate,channels", stream: "a:0") == "96000\n6")
        }

        @Test func `a screen without a display has its sentence`() throws {
            studio.environment["DISPLAY"] = ""
            let result = try record()
            #expect(
                result.status == 74 && result.stderr.contains("‘screen’ cannot be opened: $DISPLAY names no X11"),
                "\(result)")
        }

        @Test func `a recorder that cannot list has its sentence`() throws {
            studio.environment["CUTROOM_RECORDER"] = "/no/such/recorder"
            let missing = try studio.run(["record", "--list"])
            #expect(missing.status == 69 && missing.stderr.contains("‘/no/such/recorder’ cannot be run"), "\(missing)")
            studio.environment["CUTROOM_RECORDER"] = "/bin/echo"
            let silent = try studio.run(["record", "--list"])
            #expect(
                silent.status == 69 && silent.stderr.contains("‘/bin/echo’ does not say what devices there are."),
                "\(silent)")
        }

        @Test(.enabled(if: hasALSA, noALSA)) func `ALSA's sound is in sync`() throws {
            let (id, _) = try desk.flash()
            let result = try record(
                "--video", "window:\(id)", "--audio", "alsa:desk", "--fps", "60", "--max-duration", "7")
            #expect(result.status == 0, "\(result)")
            let offsets = try FlashesAndClicks(of: take).offsets.sorted()
            try #require(offsets.count >= 4)
            #expect(abs(offsets[offsets.count / 2]) <= 0.03, "\(offsets)")
        }

        @Test(.enabled(if: hasALSA, noALSA)) func `ALSA's sound ends with its server`() throws {
            let recorder = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "alsa:desk"])
            try #require(
                Command.until { recorder.stderrSoFar.contains("is being recorded") }, "\(recorder.stderrSoFar)")
            usleep(1_500_000)
            desk.sound.send(SIGKILL)
            let result = recorder.wait(timeout: 30)
            let reason = "‘alsa:desk’ is lost: it was disconnected, or its sound server has ended."
            #expect(result.status == 74 && result.stderr.contains(reason), "\(result)")
            let length = try Double(FFmpeg.probe(take, "format=duration")) ?? 0
            #expect(length > 1 && length < 20, "\(length)")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        @Test(.enabled(if: hasALSA, noALSA)) func `without PulseAudio, ALSA's default is recorded`() throws {
            let arguments = ["record", "talk.cutroom", "--video", "none", "--max-duration", "1"]
            studio.environment["PULSE_SERVER"] = "unix:/no/such/socket"
            let result = try studio.run(arguments)
            #expect(
                result.status == 0
                    && result.stderr.contains(
                        "‘default’: PulseAudio does not run, so that ALSA's default device is recorded."),
                "\(result)")
            try studio.folder.write("</usr/share/alsa/alsa.conf>\npcm.!default { type hw card 31 }\n", to: "asoundrc")
            let neither = try studio.run(arguments)
            #expect(
                neither.status == 74
                    && neither.stderr.contains("‘default’ cannot be opened: neither PulseAudio nor ALSA has a device"),
                "\(neither)")
        }

        @Test(.enabled(if: hasALSA, noALSA)) func `ALSA's forms are checked`() throws {
            let missing = try record("--video", "none", "--audio", "alsa:nothing")
            #expect(
                missing.status == 74 && missing.stderr.contains("‘alsa:nothing’ cannot be opened: there is no such"),
                "\(missing)")
            let list = try studio.run(["record", "--list"])
            #expect(list.text.contains("A desk, 8000 to 192000 Hz, 1 to 32 channels"), "\(list)")
            // A device whose channels are fixed, as those of hardware are.
            let server = try #require(desk.environment["PULSE_SERVER"] ?? nil)
            try studio.folder.write(
                """
                </usr/share/alsa/alsa.conf>
                pcm.desk { type pulse server "\(server)" device "\(LiveDesk.source)" }
                pcm.narrow { type multi slaves { a { pcm "plug:desk" channels 1 } } bindings [ { slave a channel 0 } ] }

                """, to: "asoundrc")
            let options = ["--video", "none", "--audio", "alsa:narrow"]
            let refused = try studio.run(["record", "talk.cutroom"] + options + ["--channels", "2"])
            #expect(
                refused.status == 74 && refused.stderr.contains("it cannot deliver 2 channels; it has 1, and"),
                "\(refused)")
            for (more, warning) in [
                (["--sample-rate", "32000"], nil),
                (["--channels", "2", "--compromise"], "‘alsa:narrow’: it delivers 1 channel, not 2."),
            ] {
                let path = "take\(more.count).cutroom"
                let result = try studio.run(["record", path, "--max-duration", "1"] + options + more)
                #expect(result.status == 0, "\(result)")
                #expect(warning.map { result.stderr.contains($0) } ?? !result.stderr.contains("warning"), "\(result)")
                let take = studio.file("take\(more.count).takes/0001.mp4")
                let form = try FFmpeg.probe(take, "stream=sample_rate,channels", stream: "a:0")
                #expect(form == (warning == nil ? "32000\n1" : "48000\n1"))
            }
        }
    }
}
