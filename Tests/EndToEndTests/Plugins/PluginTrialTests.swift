import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// `cutroom check` asks the plugins themselves whether they take what a script gives them.
    @Suite struct PluginTrialTests {
        /// What `check` says of a script, a line for each problem. It must be of exit code 65.
        private static func problems(_ body: String, in studio: Studio, options: String = "") throws -> [String] {
            try studio.script(body, options: options)
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 65, "\(result)")
            return result.stderr.split(separator: "\n").map(String.init)
        }

        /// An effect in each place where a draft may have one, in line 3 and the following.
        @Test func `what plugins refuse is told of every place at its line`() throws {
            let studio = try Studio()
            try studio.folder.write("no picture", to: "notes.txt")
            let pattern = try Footage.pattern.lua
            let refused = "graph = \"nofilter\""
            let lines = try Self.problems(
                """
                draft:add_clip(\(pattern), { range = { 0, 2 }, effects = { { "org.cutroom.libavfilter_pure", { graph = "tmix" } } } })
                draft:add_clip(\(pattern), { range = { 0, 2 }, transition = { kind = "org.cutroom.luma_matte", duration = 1, image = "notes.txt" } })
                draft:add_source("org.cutroom.waveform", { duration = 1, media = "notes.txt" })
                draft:add_audio(\(pattern), { effects = { { "org.cutroom.libavfilter_audio", { graph = "hflip" } } } })
                draft:add_effect("org.cutroom.libavfilter", { \(refused), id = "first" })
                draft:add_effect("org.cutroom.libavfilter", { \(refused), range = { 0, 1 } })
                draft:add_effect("org.cutroom.libavfilter_audio", { graph = "volume=0.5" })
                draft:add_effect("org.cutroom.libavfilter", { graph = "null" })
                draft:add_effect("org.cutroom.libavfilter", { graph = "scale=64:64" })
                draft:add_effect("org.cutroom.spectrum", { rect = { 0, 0, 31, 17 }, media = "notes.txt" })
                """, in: studio)
            let wanted = [
                (3, "clip 1, effect 1 (org.cutroom.libavfilter_pure): ", "is not known to make each frame by itself"),
                (4, "clip 2, transition: ", "is neither PNG nor JPEG"),
                (5, "clip 3: ", "is not a file with sound"),
                (6, "audio 1, effect 1 (org.cutroom.libavfilter_audio): ", "is not for sound"),
                (7, "effect 1 (first, org.cutroom.libavfilter): ", "a filter ‘nofilter’"),
                (8, "effect 2 (org.cutroom.libavfilter): ", "a filter ‘nofilter’"),
                (11, "effect 5 (org.cutroom.libavfilter): ", "append ‘scale=160:96’"),
                (12, "effect 6 (org.cutroom.spectrum): ", "is not a file with sound"),
            ]
            #expect(lines.count == wanted.count, "\(lines)")
            for (found, (line, object, words)) in zip(lines, wanted) {
                #expect(found.contains("edit.lua:\(line): \(object)") && found.contains(words), "\(found)")
            }
        }

        /// A filter's memory shows only when frames pass, so some do in a trial; `render` says the
        /// same when it comes to it.
        @Test func `a chain that is not frame for frame is refused by check and render alike`() throws {
            let studio = try Studio()
            let wanted = [
                ("", "reverse", "a clip's ‘reverse’ plays it backwards"), ("", "fps=10", "the draft's ‘fps’"),
                ("", "minterpolate", "the draft's ‘fps’"), ("", "mpdecimate", "leaves frames out"),
                ("_audio", "atempo=2", "a clip's ‘speed’"), ("_audio", "afftdn", "org.cutroom.noise_reduction"),
                ("_audio", "loudnorm", "the draft's ‘loudness’"), ("_audio", "dynaudnorm", "it holds sound back"),
                ("_audio", "speechnorm", "it holds sound back"),
                ("_audio", "silenceremove=stop_periods=-1:stop_threshold=-50dB", "leaves sound out"),
                (
                    "", "select='lt(n,20)'",
                    "leaves frames out; an effect must give one frame for each; a clip's ‘range’"
                ),
                ("", "trim=end=0.6", "a clip's ‘range’"), ("", "setpts=0.5*PTS", "a clip's ‘speed’ does that"),
                ("_audio", "atrim=end=0.9", "an effect must give one sample for each; a clip's ‘range’"),
            ]
            func effect(_ kind: String, _ graph: String) -> String {
                "draft:add_effect('org.cutroom.libavfilter\(kind)', { graph = [[\(graph)]] })"
            }
            let clip = "draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 } })"
            let good = [
                ("", "tmix=frames=3"), ("", "setpts=PTS - STARTPTS"), ("", "deshake"), ("_audio", "aecho"),
                ("_audio", "highpass=f=300"),
            ]
            let lines = try Self.problems(
                ([clip] + (wanted.map { effect($0.0, $0.1) } + good.map { effect($0.0, $0.1) })).joined(
                    separator: "\n"),
                in: studio)
            #expect(lines.count == wanted.count, "\(lines)")
            for (index, (found, (kind, _, words))) in zip(lines, wanted).enumerated() {
                let object = "edit.lua:\(4 + index): effect \(index + 1) (org.cutroom.libavfilter\(kind)): the chain ‘"
                #expect(found.contains(object) && found.contains(words), "\(found)")
            }
            for (kind, graph, words) in [wanted[0], wanted[6]] {
                try studio.script(clip + "\n" + effect(kind, graph))
                for command in [
                    ["render", "edit.lua", "-o", "a.mp4"], ["cover", "edit.lua", "--at", "0", "-o", "a.png"],
                ]
                where kind.isEmpty || command[0] == "render" {
                    let result = try studio.run(command)
                    let place = "edit.lua:4: effect 1 (org.cutroom.libavfilter\(kind)): the chain ‘\(graph)’"
                    #expect(
                        result.status == 65 && result.stderr.contains(place) && result.stderr.contains(words),
                        "\(result)")
                }
            }
            // What comes later than a trial is told of by the effect that has the chain, which is
            // named once.
            let late = "scale=w='if(gt(t,0.5),64,iw)':h=ih:eval=frame"
            try studio.script([clip, effect("", late), effect("", "null")].joined(separator: "\n"))
            let result = try studio.run(["render", "edit.lua", "-o", "a.mp4"])
            let says =
                "edit.lua:4: effect 1 (org.cutroom.libavfilter): the chain ‘\(late)’ makes a picture of 64×96 for frame 16"
            #expect(result.status == 65 && result.stderr.contains(says), "\(result)")
            #expect(result.stderr.contains("append ‘scale=160:96’"), "\(result)")
        }

        /// The host's own rules come first, as nobody can be asked for what breaks them.
        @Test func `a draft that breaks other rules is not tried`() throws {
            let studio = try Studio()
            let lines = try Self.problems(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_effect("org.cutroom.libavfilter", { graph = "nofilter" })
                draft:add_effect("org.cutroom.vignette", { range = { 5, 1 } })
                """, in: studio)
            #expect(lines.count == 1 && lines[0].contains("does not lie on the timeline"), "\(lines)")
        }

        private static let failures: [([String], String)] = [
            (["DIES"], "in its create call: it crashed its worker (SIGSEGV)"),
            (["REFUSAL=CUTROOM_ERROR_RETRY"], "no instance today"),
        ]

        /// What kills its worker, and a device that stays busy, cost nothing but their own lines.
        @Test(arguments: failures)
        func `a plugin that fails as it is made is a problem like others`(defines: [String], words: String) throws {
            let studio = try Studio()
            try Fixture.plugin("errors", defines, as: "errors", in: studio)
            let clip = "draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 } })"
            let lines = try Self.problems(
                "\(clip)\ndraft:add_effect('test.errors', { refuse = true })\ndraft:add_effect('org.cutroom.libavfilter', { graph = 'hue=q=0' })",
                in: studio
            ).filter { $0.contains("edit.lua:") }
            #expect(lines.count == 2, "\(lines)")
            #expect(
                lines.first?.contains("edit.lua:4: effect 1 (test.errors): ") == true
                    && lines.first?.contains(words) == true, "\(lines)")
            #expect(lines.last?.contains("edit.lua:5: effect 2 ") == true, "\(lines)")
            // It fails in its frames only, which are not made here.
            try studio.script("\(clip)\ndraft:add_effect('test.errors', { status = -7 })")
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 0 && result.text.contains("no problems"), "\(result)")
        }

        /// An error without a second try, and a filter of sound, too.
        @Suite struct Sweep {
            @Test(
                arguments: failures + [
                    (["REFUSAL=CUTROOM_ERROR_FATAL"], "no instance today"),
                    (
                        ["FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER", "FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR"],
                        "no instance today"
                    ),
                ])
            func `a plugin that fails as it is made is a problem like others`(defines: [String], words: String) throws {
                try PluginTrialTests().`a plugin that fails as it is made is a problem like others`(
                    defines: defines, words: words)
            }
        }
    }
}
