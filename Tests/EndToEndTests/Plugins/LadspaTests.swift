import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// LADSPA plugins in scripts, lists and renders: Debian's, where its packages are installed,
    /// and the tests' own.
    @Suite struct LadspaTests {
        static let folder = "/usr/lib/ladspa"
        static let isInstalled = ["amp_1181.so", "cmt.so", "tap_eq.so"].allSatisfy {
            FileManager.default.fileExists(atPath: folder + "/" + $0)
        }
        static let absence: Comment = "swh-plugins, cmt and tap-plugins are not installed"

        private struct List: Decodable {
            struct Parameter: Decodable { var id: String, kind: String }
            struct Effect: Decodable {
                var id: String, kind: String, determinism: String, version: String, path: String
                var refusal: String?
                var parameters: [Parameter]
            }
            var effects: [Effect]
            var problems: [String]
        }

        private static func list(_ studio: Studio) throws -> List {
            let result = try studio.run(["plugin", "list", "ladspa", "--json"], timeout: 240)
            try #require(result.status == 0, "\(result)")
            return try JSONDecoder().decode(List.self, from: result.stdout)
        }

        /// Builds libraries of the tests' own plugins, by name, into a folder that is searched
        /// first.
        private static func build(_ libraries: [(name: String, defines: [String])], in studio: Studio) throws {
            try FileManager.default.createDirectory(atPath: studio.file("ladspa"), withIntermediateDirectories: true)
            let bench = try PluginBench()
            for (name, defines) in libraries {
                let built = try bench.build("Ladspa/ladspa.c", defines)
                try FileManager.default.copyItem(atPath: built, toPath: studio.file("ladspa/\(name).so"))
            }
            studio.environment["LADSPA_PATH"] = studio.file("ladspa")
        }

        // MARK: The packages

        @Test(.enabled(if: isInstalled, absence)) func `every plugin of the packages is listed, as the page says`()
            throws
        {
            let list = try Self.list(try Studio())
            let page = try String(contentsOfFile: Project.root + "/docs/ladspa.md", encoding: .utf8)
            let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `ladspa.") }.map {
                $0.split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            #expect(rows.count > 180)
            for row in rows {
                let id = row[1].trimmingCharacters(in: ["`"])
                let number = row[2]
                // Where other packages are installed as well, a plugin may have to be called by its
                // number.
                guard
                    let effect = list.effects.first(where: {
                        ($0.id == id || $0.id == "\(id).\(number)") && $0.version == number
                    })
                else {
                    Issue.record("\(id) is not listed")
                    continue
                }
                let parameters = effect.parameters.map { "`\($0.id)`" }.joined(separator: ", ")
                #expect(row[3] == parameters && effect.kind == "audio_filter")
                #expect((effect.refusal.map { "refused: " + $0 } ?? "").isEmpty == !row[6].contains("refused"), "\(id)")
                if effect.refusal == nil {
                    #expect((effect.determinism == "none") == row[6].contains("may differ"), "\(id)")
                }
            }
        }

        /// A second of noise, left and right alike.
        fileprivate static var noise: String {
            get throws {
                try Footage.made(
                    "noise.wav",
                    [
                        "-f", "lavfi", "-i", "anoisesrc=seed=3:amplitude=0.1:sample_rate=48000:duration=1",
                        "-af", "pan=stereo|c0=c0|c1=c0", "-c:a", "pcm_s16le",
                    ])
            }
        }

        struct Peer: Sendable, CustomTestStringConvertible {
            var file: String, label: String
            /// In the order of the ports, as ffmpeg takes them.
            var controls: [(name: String, value: String)]
            /// Samples that the plugin is late, which ffmpeg leaves as they are.
            var late = 0
            var testDescription: String { label }
        }

        private static let peers = [
            Peer(
                file: "sc4_1882", label: "sc4",
                controls: [
                    ("rms_peak", "0.2"), ("attack_time_ms", "20"), ("release_time_ms", "200"),
                    ("threshold_level_db", "-25"), ("ratio_1_n", "8"), ("knee_radius_db", "3"), ("makeup_gain_db", "6"),
                ]),
            Peer(
                file: "tap_eq", label: "tap_equalizer",
                controls: [("band_1_gain_db", "9"), ("band_2_gain_db", "-12")]),
            Peer(file: "gverb_1216", label: "gverb", controls: [("roomsize_m", "40"), ("reverb_time_s", "2")]),
            Peer(
                file: "cmt", label: "freeverb3",
                controls: [
                    ("freeze_mode", "0"), ("room_size", "0.7"), ("damping", "0.4"), ("wet_level", "0.5"),
                    ("dry_level", "0.5"), ("width", "1"),
                ]),
            Peer(file: "hilbert_1440", label: "hilbert", controls: [], late: 99),
        ]

        @Test(.enabled(if: isInstalled, absence), arguments: peers.prefix(2))
        func `samples are those of ffmpeg's host`(peer: Peer) throws {
            let studio = try Studio()
            let settings: [String] = peer.controls.enumerated().map { "c\($0)=\($1.value)" }
            let values = settings.joined(separator: "|")
            // Some smooth their controls over a block.
            let filter =
                "asetnsamples=n=256:p=0,ladspa=file=\(Self.folder)/\(peer.file).so:plugin=\(peer.label)"
                + (values.isEmpty ? "" : ":controls=\(values)")
            let theirs = studio.file("theirs.wav")
            // ffmpeg gives a plugin of one input a sum that is not the mean.
            let channels = ["gverb", "hilbert"].contains(peer.label) ? "pan=mono|c0=c0," : ""
            try FFmpeg.run(["-i", try Self.noise, "-af", channels + filter, "-c:a", "pcm_f32le", theirs])
            // A quarter of it, so that the limiter leaves it alone.
            try studio.script(
                """
                draft:add_image(\(Footage.still.lua), { duration = 1 })
                draft:add_audio(\(Self.noise.lua), { volume = 0.25, effects = { { "ladspa.\(peer.label)", {
                  \(peer.controls.map { "\($0.name) = \($0.name == "freeze_mode" ? "false" : $0.value)" }.joined(separator: ", ")) } } } })
                """, size: (64, 64))
            let output = try studio.render(to: "out.wav")
            for channel in [0, 1] {
                let (wanted, made) = (try Sound(of: theirs, channel: channel), try Sound(of: output, channel: channel))
                #expect(made.samples.count == 48_000 && wanted.peak > 0.05)
                var most: Float = 0
                for index in 0..<wanted.samples.count - peer.late {
                    most = max(most, abs(wanted.samples[index + peer.late] - 4 * made.samples[index]))
                }
                // The output has 16 bits.
                #expect(most < 4 * 1.01 / 32_768, "channel \(channel): \(most)")
            }
        }

        // MARK: The tests' own

        @Test func `what is wrong in a script is said at its line`() throws {
            let studio = try Studio()
            try Self.build([("fx", [])], in: studio)
            for (effect, words) in [
                ("'ladspa.fx_gian'", "did you mean ‘ladspa.fx_gain’?"),
                ("'ladspa.fx_gain', { gain = 5 }", "‘gain’ is 5, but must lie between 0 and 4"),
                ("'ladspa.fx_gain', { gian = 1 }", "did you mean ‘gain’?"),
                ("'ladspa.fx_odd', { stages = 1.5 }", "‘stages’"),
                ("'ladspa.fx_ring'", "cannot be used: it has two audio inputs that are not left and right"),
                ("'ladspa.fx_generator'", "cannot be used: it has no audio input"),
                ("'ladspa.fx_half'", "lacks the function"),
            ] {
                try studio.script(
                    "draft:add_image(\(Footage.still.lua), { duration = 1 })\ndraft:add_audio(\(Footage.tone.lua), { effects = { { \(effect) } } })"
                )
                let result = try studio.run(["check", "edit.lua"])
                #expect(result.status == 65 && result.stderr.contains(words), "\(result)")
                #expect(result.stderr.contains("edit.lua:4"), "\(result)")
            }
            let info = try studio.run(["plugin", "info", "ladspa.fx_gian"])
            #expect(info.status == 65 && info.stderr.contains("did you mean ‘ladspa.fx_gain’?"), "\(info)")
        }

        @Test func `of two libraries with one label the first counts, and the other has its number`() throws {
            let studio = try Studio()
            // Number 1 of the label, and number 14, which adds up.
            try Self.build([("a", ["LAST=1"]), ("b", ["FIRST=13", "LAST=14"])], in: studio)
            let own = try Self.list(studio).effects.filter { $0.path.hasPrefix(studio.file("ladspa")) }
            #expect(own.map(\.id) == ["ladspa.fx_gain", "ladspa.fx_gain.14"])
            for (id, parameter) in [("fx_gain", true), ("fx_gain.1", true), ("fx_gain.14", false)] {
                let info = try studio.run(["plugin", "info", "ladspa." + id])
                #expect(info.status == 0 && info.text.contains("gain: double") == parameter, "\(info)")
            }
            try studio.script(
                """
                draft:add_image(\(Footage.still.lua), { duration = 0.1 })
                draft:add_audio(\(Self.noise.lua), { effects = { { "ladspa.fx_gain.1", { gain = 0.5 } } } })
                draft:add_audio(\(Self.noise.lua), { effects = { { "ladspa.fx_gain", { gain = 0.5 } }, { "ladspa.fx_gain.14" } }, volume = 0 })
                """, size: (64, 64))
            let (made, source) = (try Sound(of: try studio.render(to: "out.wav")), try Sound(of: try Self.noise))
            #expect((0..<4000).allSatisfy { abs(made.samples[$0] - source.samples[$0] / 2) < 2e-4 })
        }

        @Test func `a library that crashes is named, and costs the others nothing`() throws {
            let studio = try Studio()
            try Self.build([("fx", [])], in: studio)
            try studio.folder.write("no library", to: "ladspa/text.so")
            #expect(try Self.list(studio).effects.contains { $0.id == "ladspa.fx_gain" })
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 }, effects = { { 'ladspa.fx_crash' } } })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 70 && result.stderr.contains("ladspa.fx_crash"), "\(result)")
            #expect(result.stderr.contains(studio.file("ladspa/fx.so")), "\(result)")
            let skipped = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--on-plugin-failure", "skip"])
            #expect(
                skipped.status == 0 && skipped.stderr.contains("without the effect ‘ladspa.fx_crash’"), "\(skipped)")
        }

        @Test func `what nobody has tested is rendered each time`() throws {
            let studio = try Studio()
            try Self.build([("fx", [])], in: studio)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 }, effects = { { 'ladspa.fx_gain' } } })")
            try studio.render(to: "out.m4a")
            #expect(studio.cachedParts == 0)
        }

        @Test func `the check knows what it looks at`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Ladspa/ladspa.c", ["LAST=1"])
            let report = try bench.check(library)
            #expect(report.passed && report["symbols"]?.reason == "it is a LADSPA plugin", "\(report)")
            let crash = try bench.check(try bench.build("Ladspa/ladspa.c", ["FIRST=14", "LAST=15"]), only: ["basic"])
            #expect(crash.failed == ["basic"])
        }

        /// The other plugins.
        @Suite struct Sweep {
            @Test(.enabled(if: isInstalled, absence))
            func `the bytes are the same for any number of workers, and come from the cache`() throws {
                let studio = try Studio()
                try studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 }, effects = { { "ladspa.tap_reverb" } } })
                    draft:add_audio(\(LadspaTests.noise.lua), { loop = true, effects = { { "ladspa.lowpass_iir", { cutoff_frequency = { { 0, 200 }, { 3, 8000 } } } } } })
                    draft:add_effect("ladspa.sc4", { threshold_level_db = -20, ratio_1_n = 4 })
                    draft:add_effect("repeat", { range = { 1, 0.5 }, count = 2 })
                    draft:add_effect("ladspa.gverb", { range = { 0.5, 1 } })
                    """)
                var outputs: [Data] = []
                for workers in [1, 4] {
                    try studio.emptyCache()
                    let path = try studio.render(to: "\(workers).mp4", with: ["--workers", "\(workers)"])
                    outputs.append(try Data(contentsOf: URL(fileURLWithPath: path)))
                    let before = studio.cachedParts
                    try studio.render(to: "again.mp4", with: ["--overwrite"])
                    #expect(studio.cachedParts == before && before == 3)
                }
                #expect(outputs[0] == outputs[1])
            }

            @Test(.enabled(if: isInstalled, absence), arguments: peers.dropFirst(2))
            func `samples are those of ffmpeg's host`(peer: Peer) throws {
                try LadspaTests().`samples are those of ffmpeg's host`(peer: peer)
            }
        }
    }
}
