import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// frei0r's plugins in scripts, lists and renders: Debian's, where `frei0r-plugins` is
    /// installed, and the tests' own.
    @Suite struct Frei0rTests {
        static let folder = "/usr/lib/frei0r-1"
        static let isInstalled = FileManager.default.fileExists(atPath: folder + "/cartoon.so")
        static let absence: Comment = "frei0r-plugins is not installed"

        private struct List: Decodable {
            struct Parameter: Decodable { var id: String, kind: String }
            struct Effect: Decodable {
                var id: String, kind: String, state: String, determinism: String
                var refusal: String?
                var parameters: [Parameter]
            }
            var effects: [Effect]
            var problems: [String]
        }

        private static func list(_ studio: Studio) throws -> List {
            let result = try studio.run(["plugin", "list", "frei0r", "--json"], timeout: 120)
            try #require(result.status == 0, "\(result)")
            return try JSONDecoder().decode(List.self, from: result.stdout)
        }

        /// Builds a plugin into a folder of its own, which is searched first.
        private static func build(_ defines: [String], as name: String, in studio: Studio) throws {
            try FileManager.default.createDirectory(atPath: studio.file("frei0r"), withIntermediateDirectories: true)
            let bench = try PluginBench()
            let built = try bench.build("Frei0r/frei0r.c", defines)
            try withExtendedLifetime(bench) {
                try FileManager.default.copyItem(atPath: built, toPath: studio.file("frei0r/\(name).so"))
            }
            studio.environment["FREI0R_PATH"] = studio.file("frei0r")
        }

        // MARK: The package

        @Test(.enabled(if: isInstalled, absence)) func `every plugin of the package is listed`() throws {
            let list = try Self.list(try Studio())
            let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".so") }
            #expect(
                list.problems.isEmpty
                    && Set(files.map { "frei0r.\($0.dropLast(3))" }).isSubset(of: Set(list.effects.map(\.id))))
            let cartoon = try #require(list.effects.first { $0.id == "frei0r.cartoon" })
            #expect(cartoon.kind == "filter" && cartoon.parameters.map(\.id) == ["triplevel", "diffspace"])
            #expect(list.effects.first { $0.id == "frei0r.xfade0r" }?.kind == "transition")
            #expect(list.effects.first { $0.id == "frei0r.plasma" }?.kind == "source")
            #expect(list.effects.first { $0.id == "frei0r.RGB" }?.refusal?.contains("three pictures") == true)
        }

        /// The document is made from the same run of the check as the bridge's table.
        @Test(.enabled(if: isInstalled, absence)) func `the document says of each what the program says`() throws {
            let page = try String(contentsOfFile: Project.root + "/docs/frei0r.md", encoding: .utf8)
            let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `frei0r.") }.map {
                $0.split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            let list = try Self.list(try Studio())
            for row in rows {
                let id = row[1].trimmingCharacters(in: ["`"])
                guard let effect = list.effects.first(where: { $0.id == id }) else { continue }
                #expect(row[2] == effect.kind, "\(id)")
                #expect(row[4] == effect.parameters.map { "`\($0.id)`" }.joined(separator: ", "), "\(id)")
                if let refusal = effect.refusal {
                    #expect(row[6] == "refused: \(refusal)", "\(id)")
                } else {
                    let states = [
                        "pure": "pure", "sequential": effect.determinism == "none" ? "may differ" : "sequential",
                    ]
                    #expect(row[5] == states[effect.state] && !row[6].hasPrefix("refused"), "\(id)")
                }
            }
            #expect(rows.count >= 136)
        }

        /// Ten filters and two mixers, pure ones and some that are rendered by one worker from the
        /// start.
        fileprivate static func edit(_ studio: Studio) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 }, effects = { { "frei0r.saturat0r", { saturation = 0.3 } } } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 3 }, transition = { "frei0r.xfade0r", 0.5 } })
                draft:add_image(\(Footage.still.lua), { duration = 2, mode = "fill", transition = { "frei0r.multiply", 0.5 } })
                draft:add_effect("frei0r.pixeliz0r", { range = { 0, 1 }, block_width = { { 0, 0.02 }, { 1, 0.2 } } })
                draft:add_effect("frei0r.squareblur", { range = { 0.5, 3 }, kernel_size = function(t) return 0.05 * t end })
                draft:add_effect("frei0r.cartoon", { range = { 1, 1 } })
                draft:add_effect("frei0r.sobel", { range = { 2, 0.5 } })
                draft:add_effect("frei0r.baltan", { range = { 2, 3 } })
                draft:add_effect("frei0r.letterb0xed", {})
                draft:add_effect("frei0r.colorhalftone", { range = { 4, 0.5 } })
                draft:add_effect("frei0r.vertigo", { range = { 5, 1 } })
                draft:add_effect("frei0r.rgbsplit0r", { range = { 3, 1 } })
                draft:add_effect("frei0r.tint0r", { range = { 5.5, 1 }, map_white_to = "#ff8800" })
                """, size: (320, 180))
        }

        @Test(.enabled(if: isInstalled, absence)) func `a document with them renders as its script does`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_effect("frei0r.cartoon", { triplevel = 0.5 })
                """)
            try studio.render(to: "a.mp4", with: ["--no-cache"])
            _ = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            try studio.render("edit.cutroom", to: "b.mp4", with: ["--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
        }

        @Test(.enabled(if: isInstalled, absence)) func `mistakes are told at the script's line`() throws {
            let (studio, clip) = (try Studio(), try Footage.pattern.lua)
            for (line, sentence) in [
                ("draft:add_effect('frei0r.cartooon', {})", "did you mean ‘frei0r.cartoon’?"),
                (
                    "draft:add_effect('frei0r.cartoon', { triplevel = 1.5 })",
                    "‘triplevel’ is 1.5, but must lie between 0 and 1"
                ),
                ("draft:add_effect('frei0r.cartoon', { triplevl = 1 })", "did you mean ‘triplevel’?"),
                ("draft:add_effect('frei0r.tint0r', { map_white_to = 'redd' })", "‘map_white_to’ is ‘redd’"),
                ("draft:add_source('frei0r.cartoon', { duration = 1 })", "is a filter, but a source is needed"),
                ("draft:add_source('frei0r.partik0l', { duration = 1 })", "‘frei0r.partik0l’ cannot be used"),
                ("draft:add_effect('frei0r.multiply', {})", "is a transition, but a filter"),
                (
                    "draft:add_clip(\(clip), { transition = { 'frei0r.RGB', 1 } })",
                    "‘frei0r.RGB’ cannot be used: it mixes three pictures"
                ),
                (
                    "draft:add_clip(\(clip), { transition = { 'frei0r.xfade0', 1 } })",
                    "did you mean ‘frei0r.xfade0r’?"
                ),
            ] as [(String, String)] {
                try studio.script("draft:add_clip(\(clip))\n\(line)")
                let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
                #expect(
                    result.status == 65 && result.stderr.contains(sentence) && result.stderr.contains("edit.lua:4"),
                    "\(line): \(result)")
            }
            let info = try studio.run(["plugin", "info", "frei0r.cartooon"])
            #expect(info.status == 65 && info.stderr.contains("did you mean ‘frei0r.cartoon’?"), "\(info)")
        }

        // MARK: Libraries that do harm

        @Test func `nothing is opened that nobody names`() throws {
            let studio = try Studio()
            try Self.build(["CRASHES"], as: "crashes", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 0.5 } })
                draft:add_effect("org.cutroom.vignette", {})
                """)
            try studio.render()
            try studio.script("draft:add_clip(\(try Footage.pattern.lua))\ndraft:add_effect('frei0r.crashes', {})")
            let result = try studio.run(["render", "edit.lua", "-o", "x.mp4"])
            #expect(
                result.status != 0 && result.stderr.contains("crashes.so") && result.stderr.contains("SIGABRT"),
                "\(result)")
        }

        @Test func `one that crashes costs the list only itself`() throws {
            let studio = try Studio()
            try Self.build(["CRASHES"], as: "crashes", in: studio)
            try Self.build([], as: "good", in: studio)
            try studio.folder.write("no library", to: "frei0r/text.so")
            let list = try Self.list(studio)
            #expect(list.effects.contains { $0.id == "frei0r.good" })
            #expect(list.problems.count == 2, "\(list.problems)")
            #expect(list.problems.contains { $0.contains("crashes.so") && $0.contains("SIGABRT") })
            #expect(list.problems.contains { $0.contains("text.so") })
        }

        // MARK: Pictures

        /// Adds to what it was given: what is rendered in parts would begin again at 10.
        @Test func `one that nobody knows is rendered by one worker, in order, and not kept`() throws {
            let studio = try Studio()
            try Self.build(["COUNTS"], as: "counts", in: studio)
            try studio.script(
                "draft:add_image(\(try Footage.still.lua), { duration = 0.8 })\ndraft:add_effect('frei0r.counts', {})",
                size: (64, 64), fps: "25")
            let gray = try FFmpeg.grayFrames(
                of: try studio.render(with: ["--quality", "0", "--workers", "3"]), width: 64, height: 64)
            try #require(gray.count == 20)
            for (index, frame) in gray.enumerated() {
                #expect(abs(Int(frame[2000]) - 10 * (index + 1)) <= 1, "frame \(index): \(frame[2000])")
            }
            #expect(studio.cachedParts == 0)
        }

        @Test func `a mixer joins two clips, with its progress`() throws {
            let studio = try Studio()
            try Self.build(["FADER", "TYPE=MIXER2"], as: "mix", in: studio)
            let (black, white) = (
                try Footage.made("black.png", ["-f", "lavfi", "-i", "color=black:size=64x64", "-frames:v", "1"]),
                try Footage.made("white.png", ["-f", "lavfi", "-i", "color=white:size=64x64", "-frames:v", "1"])
            )
            try studio.script(
                """
                draft:add_image(\(black.lua), { duration = 1 })
                draft:add_image(\(white.lua), { duration = 1, transition = { "frei0r.mix", 0.8 } })
                """, size: (64, 64), fps: "25")
            let gray = try FFmpeg.grayFrames(of: try studio.render(with: ["--quality", "0"]), width: 64, height: 64)
            try #require(gray.count == 30)
            for index in 0..<20 {
                #expect(
                    abs(Int(gray[5 + index][2000]) - index * 255 / 20) <= 2, "frame \(index): \(gray[5 + index][2000])")
            }
        }

        /// What takes longer.
        @Suite struct Sweep {
            @Test func `the check sees writes beyond the pictures that the bridge lends`() throws {
                let bench = try PluginBench()
                let report = try bench.check(
                    try bench.build("Frei0r/frei0r.c", ["WRITES_BEYOND"]), only: ["load", "symbols", "basic"])
                #expect(report.failed == ["basic"] && report["symbols"]?.reason == "it is a frei0r plugin")
                #expect(
                    report["basic"]?.findings.last?.what.contains("memory of cutroom_host.alloc") == true, "\(report)")
                let good = try bench.check(try bench.build("Frei0r/frei0r.c", ["COUNTS"]))
                #expect(good.passed && good.with("not_run").isEmpty, "\(good)")
                // It would not do as what it is not.
                let pure = try bench.check(
                    try bench.build("Frei0r/frei0r.c", ["COUNTS"]), only: ["pure"], ["--as-pure"])
                #expect(pure.failed == ["pure"] && pure["pure"]?.command.hasSuffix("--as-pure") == true)
                // The time that it shows is the effect's own.
                let clock = try bench.check(
                    try bench.build("Frei0r/frei0r.c", ["ALL_TYPES"]), only: ["timeline"], ["--as-pure"])
                #expect(clock.with("passed") == ["timeline"], "\(clock)")
            }

            @Test(.enabled(if: isInstalled, absence))
            func `ten of them make the same bytes with one worker and with four`() throws {
                var outputs: Set<Data> = []
                for workers in [1, 4] {
                    let studio = try Studio()
                    try Frei0rTests.edit(studio)
                    let output = try studio.render(with: ["--workers", "\(workers)"])
                    outputs.insert(try Data(contentsOf: URL(fileURLWithPath: output)))
                }
                #expect(outputs.count == 1)
            }
        }
    }
}
