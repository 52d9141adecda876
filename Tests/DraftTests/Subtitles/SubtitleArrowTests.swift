import Draft
import TestSupport
import Testing

/// Lines of times whose arrow is not `-->`: errors, never the text of the cue before.
@Suite struct SubtitleArrowTests {
    private static let arrows = ["->", "--", "—>", "–>", "→", "=>", "==>", "- ->", "-- >", ">", "-", "~>", ""]

    private func defect(_ text: String, _ format: SubtitleFile.Format) -> String {
        do throws(SubtitleFile.Defect) {
            return "no error, but \(try SubtitleFile(text, format: format).cues.map(\.text))"
        } catch {
            return error.description
        }
    }

    @Test(arguments: arrows)
    func `another arrow in SubRip is an error with its line`(arrow: String) {
        let line = "00:00:03,000 \(arrow) 00:00:04,500"
        let says = "‘\(line)’ does not say when a cue is shown; write it like ‘00:00:01,000 --> 00:00:04,000’"
        let cue = "00:00:01,000 --> 00:00:02,000\nHello"
        for (before, number) in [
            ("1\n\(cue)\n\n2\n", 6), ("1\n\(cue)\n2\n", 5), ("\(cue)\n\n", 4), ("\(cue)\n", 3), ("1\n", 2), ("", 1),
        ] {
            for after in ["\nyou\n", "\nyou\n\n3\n00:00:05,000 --> 00:00:06,000\nall\n", ""] {
                #expect(defect(before + line + after, .subRip) == "line \(number): \(says)", "\(before)")
            }
        }
        #expect(
            defect("1\n\(cue)\n\n2\n0:03.5\(arrow) 0:04,5 X1:10\nyou\n", .subRip).hasPrefix(
                "line 6: ‘0:03.5\(arrow) 0:04,5 X1:10’ does not say"))
    }

    @Test(arguments: arrows)
    func `another arrow in WebVTT is an error with its line`(arrow: String) {
        let line = "00:00:03.000 \(arrow) 00:00:04.500 align:start"
        let says = "‘\(line)’ does not say when a cue is shown; write it like ‘00:01.000 --> 00:04.000’"
        let cue = "00:01.000 --> 00:02.000\nHello"
        for (before, number) in [
            ("WEBVTT\n\n\(cue)\n\n", 6), ("WEBVTT\n\n\(cue)\n\nsecond\n", 7), ("WEBVTT\n\n\(cue)\n", 5),
            ("WEBVTT\n\n", 3), ("WEBVTT\n\nfirst\n", 4),
        ] {
            for after in ["\nyou\n", "\nyou\n\n00:05.000 --> 00:06.000\nall\n", ""] {
                #expect(defect(before + line + after, .webVTT) == "line \(number): \(says)", "\(before)")
            }
        }
    }

    @Test(
        arguments: [
            "Open 10:00 - 18:00", "10:00 - 18:00", "From 1:02.5 to 1:03.7", "At 00:00:01,000 it began", "12:30", "3:2",
            "00:00:01,000", "a -> b", "Score 3:2 -> 4:2", "1:02.5 – 1:03.7", "42", "Genesis 1:1-2:3",
        ])
    func `times in a text are text`(text: String) throws {
        let subRip = try SubtitleFile("1\n00:01,0 --> 00:02,0\nfirst\n\(text)\nlast\n", format: .subRip)
        let webVTT = try SubtitleFile("WEBVTT\n\n00:01.0 --> 00:02.0\nfirst\n\(text)\nlast\n", format: .webVTT)
        for file in [subRip, webVTT] {
            #expect(file.cues.map(\.text) == ["first\n\(TitleMarkup.escaped(text))\nlast"])
        }
    }

    @Test func `comments and metadata of WebVTT may have times`() throws {
        let text =
            "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\nNOTE\n00:01.000 -> 00:02.000\n\n"
            + "NOTE 00:01.000 -> 00:02.000\n\n00:01.000 --> 00:02.000\nHello\n"
        #expect(try SubtitleFile(text, format: .webVTT).cues.map(\.text) == ["Hello"])
    }

    // MARK: Random mistakes

    @Test func `no mistake in a line of times makes it a text`() { mutate(400) }

    /// More mistakes.
    @Suite struct Sweep {
        @Test func `no mistake in a line of times makes it a text`() { SubtitleArrowTests().mutate(20_000) }
    }

    private func mutate(_ count: Int) {
        Seed.rounds(count, of: "lines of times") { name, random in
            var random = random
            let isWebVTT = random.chance(1, in: 2)
            let times = (0..<5).map { number in
                let hours = isWebVTT && random.chance(1, in: 2) ? "" : "00:"
                let point = isWebVTT ? "." : ","
                return "\(hours)00:1\(number)\(point)000 --> \(hours)00:1\(number)\(point)900"
            }
            let broken = Int.random(in: 0..<5, using: &random)
            var line = times[broken]
            if random.chance(3, in: 4) { line = line.replacing("-->", with: random.pick(Self.arrows)) }
            for _ in 0..<Int.random(in: 0...2, using: &random) { change(&line, &random) }
            let lines = times.indices.flatMap { number -> [String] in
                let time = number == broken ? line : times[number]
                return (isWebVTT ? [] : ["\(number + 1)"]) + [time, "text \(number)", ""]
            }
            let text = ((isWebVTT ? ["WEBVTT", ""] : []) + lines).joined(separator: "\n")
            do throws(SubtitleFile.Defect) {
                let file = try SubtitleFile(text, format: isWebVTT ? .webVTT : .subRip)
                let all = (0..<5).map { "text \($0)" }
                let left = all.filter { $0 != "text \(broken)" }
                let found = file.cues.map(\.text)
                // The mistake may be another valid time, also one that lets the cue end too early.
                let isRead = Set(found) == Set(all) && found.count == 5
                let isLeftOut = found == left && !file.remarks.isEmpty
                #expect(line.contains("-->") && (isRead || isLeftOut), "\(name): ‘\(line)’ gave \(found)")
            } catch {
                let number = broken * (isWebVTT ? 3 : 4) + (isWebVTT ? 3 : 2)
                #expect(error.line == number, "\(name): \(error)")
            }
        }
    }

    /// Replaces, inserts or removes a character.
    private func change(_ line: inout String, _ random: inout SplitMix64) {
        var characters = Array(line)
        let place = Int.random(in: 0..<characters.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: characters[place] = random.pick(Array("-–>=:;,. 0159xO"))
        case 1: characters.insert(random.pick(Array("-–>=:;,. 0159xO")), at: place)
        default: characters.remove(at: place)
        }
        line = String(characters)
    }
}
