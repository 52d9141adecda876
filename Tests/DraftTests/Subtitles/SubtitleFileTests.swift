import Draft
import TestSupport
import Testing
import Values

/// Subtitle files as people have them.
@Suite struct SubtitleFileTests {
    private func file(_ text: String, _ format: SubtitleFile.Format = .subRip) throws -> SubtitleFile {
        try SubtitleFile(text, format: format)
    }

    private func seconds(_ text: String, _ format: SubtitleFile.Format = .subRip) throws -> [[Double]] {
        try file(text, format).cues.map { [$0.start.seconds, $0.end.seconds] }
    }

    // MARK: SubRip

    @Test func `a usual file`() throws {
        let text = "1\n00:00:01,500 --> 00:00:02,000\nHello\n\n2\n01:02:03,004 --> 01:02:04,5\nTwo\nlines\n"
        for variant in [text, text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\r"), text + "\n\n"] {
            let file = try file(variant)
            #expect(file.cues.map(\.text) == ["Hello", "Two\nlines"])
            #expect(file.cues.map(\.start.seconds) == [1.5, 3723.004])
            #expect(file.cues.map(\.end.seconds) == [2, 3724.5])
            #expect(file.remarks == [])
        }
    }

    @Test func `numbers, hours and blank lines may be missing or odd`() throws {
        #expect(try seconds("0:01.5-->0:02\na\n00:03,25 --> 00:04,75 X1:10 X2:20\nb") == [[1.5, 2], [3.25, 4.75]])
        let odd = "7\n00:01,0 --> 00:02,0\nfirst\n\nstill first\n\n3\n00:03,0 --> 00:04,0\n42\n"
        #expect(try file(odd).cues.map(\.text) == ["first\n\nstill first", "42"])
    }

    @Test func `cues are put in order, and overlap and begin before zero as they like`() throws {
        let text = "1\n00:05,0 --> 00:06,0\nc\n\n2\n-00:01,0 --> 00:02,0\na\n\n3\n00:01,0 --> 00:09,0\nb\n"
        #expect(try file(text).cues.map(\.text) == ["a", "b", "c"])
        #expect(try seconds(text) == [[-1, 2], [1, 9], [5, 6]])
    }

    @Test func `what ends before it begins is left out with a remark`() throws {
        let cue = "00:05,0 --> 00:04,0\nx\n\n"
        let found = try file("1\n00:01,0 --> 00:02,0\na\n\n" + String(repeating: cue, count: 5))
        #expect(found.cues.map(\.text) == ["a"])
        #expect(found.remarks.count == 4)
        #expect(found.remarks.first?.hasPrefix("line 5: the cue ends before it has begun") == true)
        #expect(found.remarks.last == "2 more cues of its file are such")
    }

    @Test(arguments: [
        ("<i>a</i>", "<i>a</i>"), ("<B>a", "<b>a</b>"), ("<i>a<b>b</i>c</b>", "<i>a<b>b</b></i><b>c</b>"),
        ("<font color=\"#ff8000\">a</font>", "<span color=\"#ff8000\">a</span>"),
        ("<font color=red face='Serif'>a</font>", "<span color=\"#ff0000\" face=\"Serif\">a</span>"),
        ("<font color=00ff00>a", "<span color=\"#00ff00\">a</span>"), ("1 < 2 & <3 >", "1 &lt; 2 &amp; &lt;3 &gt;"),
        ("<o>a</o>", "&lt;o&gt;a&lt;/o&gt;"), ("a</i>", "a"), ("{\\i1}a{\\b0}", "a"), ("{a}", "{a}"),
        ("a&nbsp;b&lt;", "a\u{A0}b&lt;"), ("<i></i>", ""), ("a\u{0}\u{7}b", "ab"), ("first\\Nsecond", "first\nsecond"),
        ("a \\N b", "a \nb"),
        ("\\h\\hindented", "\u{A0}\u{A0}indented"), ("soft\\nbreak", "soft break"), ("C:\\temp\\", "C:\\temp\\"),
        ("<i>a\\Nb</i>", "<i>a\nb</i>"), ("{Y:i}a{c:$0000ff}", "a"), ("{\\c&H00ff&\\b1}a", "a"), ("{y}", "{y}"),
    ])
    func `tags become markup`(text: String, markup: String) throws {
        let found = try file("1\n00:01,0 --> 00:02,0\n\(text)\n").cues.map(\.text)
        #expect(found == (markup.isEmpty ? [] : [markup]))
        for markup in found { #expect(throws: Never.self) { try TitleMarkup(markup) } }
    }

    @Test func `a number pad's key places a cue`() throws {
        for (code, anchor) in [
            ("{\\an8}", .top), ("{\\an1}", .bottomLeft), ("{\\an5\\fs20}", .center), ("{\\a6}", .top),
            ("{\\a1}", .bottomLeft),
            ("{\\a11}", .right), ("{\\an7}{\\an2}", .topLeft), ("{\\an0}", nil), ("{\\a4}", nil),
            ("{\\i1\\an9}", .topRight),
        ] as [(String, Anchor?)] {
            let cues = try file("00:01,0 --> 00:02,0\n\(code)top\n").cues
            #expect(cues.map(\.place?.anchor) == [anchor] && cues.map(\.text) == ["top"], "\(code)")
        }
    }

    @Test(arguments: [
        ("", "no cue"), ("just text\nand more", "no cue"), ("1\n00:00:01 000\nx", "line 2: "),
        ("1\n00:01,0 --> 00:02,0\na\n\n2\n00:01 --> never\nb", "line 6: "),
        ("1\n00:99,0 --> 01:02,0\na", "line 2: "), ("-->", "line 1: "), ("1:2:3:4 --> 5:6", "line 1: "),
        ("99999:00:00,0 --> 99999:00:01,0\nx", "line 1: "), ("00:01,0 --> 00:02,x\na", "line 1: "),
    ])
    func `what is no SubRip is told of with its line`(text: String, says: String) {
        let defect = #expect(throws: SubtitleFile.Defect.self) { try SubtitleFile(text, format: .subRip) }
        #expect(defect?.description.contains(says) == true, "\(String(describing: defect))")
    }

    // MARK: WebVTT

    @Test func `a usual WebVTT file`() throws {
        let text = """
            WEBVTT - with a title

            NOTE
            00:00.000 --> 00:01.000 is not a cue here

            STYLE
            ::cue { color: red }

            first
            00:01.000 --> 00:02.500 align:start position:10% line:0
            <v Anna>Hello <c.yellow.big>you</c> &amp; <i>me</i></v>

            01:00:00.000 --> 01:00:01.000
            <lang en>Two</lang>
            lines
            """
        let cues = try file(text, .webVTT).cues
        try #require(cues.count == 2)
        #expect(cues[0].text == "Hello <span color=\"#ffff00\">you</span> &amp; <i>me</i>")
        #expect(cues[0].place == SubtitleCue.Place(.topLeft, x: 0.1, .left))
        #expect(cues[1].text == "Two\nlines" && cues[1].place == nil)
        #expect(cues[1].start.seconds == 3600)
    }

    @Test func `times within a cue are those of its words`() throws {
        let text = "WEBVTT\n\n00:01.000 --> 00:04.000\nNever <00:02.000><b>gonna</b> <00:03.000>give\n"
        let cue = try #require(try file(text, .webVTT).cues.first)
        #expect(cue.text == "Never <b>gonna</b> give")
        #expect(cue.words?.map(\.offset) == [0, 6, 12])
        #expect(cue.words?.map(\.start.seconds) == [1, 2, 3])
        #expect(cue.shifted(by: Time(seconds: 1)!).words?.map(\.start.seconds) == [2, 3, 4])
    }

    private static func line(_ number: Int) -> SubtitleCue.Place {
        var place = SubtitleCue.Place(number < 0 ? .bottom : .top)
        place.line = number
        return place
    }

    @Test(
        arguments: [
            ("line:-1", SubtitleCue.Place(.bottom)), ("line:50%,center", SubtitleCue.Place(.center, y: 0.5)),
            ("line:20%", SubtitleCue.Place(.top, y: 0.2)), ("align:end", SubtitleCue.Place(.bottomRight, .right)),
            ("position:30%,line-left", SubtitleCue.Place(.bottomLeft, x: 0.3)), ("line:x size:50% foo", nil),
            ("position:300%", nil), ("line:2", Self.line(2)), ("line:-3", Self.line(-3)),
            ("line:-2.6,end", Self.line(-3)),
            ("line:0", SubtitleCue.Place(.top)), ("line:2 line:20%", SubtitleCue.Place(.top, y: 0.2)),
        ] as [(String, SubtitleCue.Place?)])
    func `settings place a cue`(settings: String, place: SubtitleCue.Place?) throws {
        let cue = try file("WEBVTT\n\n00:01.000 --> 00:02.000 \(settings)\nx", .webVTT).cues.first
        #expect(cue?.place == place)
    }

    @Test(arguments: [("", "line 1"), ("webvtt\n", "line 1"), ("WEBVTT\n\n00:01.0 --> x\na", "line 3")])
    func `what is no WebVTT is told of with its line`(text: String, says: String) {
        let defect = #expect(throws: SubtitleFile.Defect.self) { try SubtitleFile(text, format: .webVTT) }
        #expect(defect?.description.contains(says) == true)
    }

    // MARK: ASS

    private static let ass = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        [V4+ Styles]
        Format: Name, Fontname, Fontsize
        Style: Default,Sans,40
        [Fonts]
        fontname: a.ttf
        !!!!
        [Aegisub Project Garbage]
        Video File: x.mp4
        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
        Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not shown
        Dialogue: 2,0:00:05.00,0:00:06.50,Default,Bob,0010,0,0,,{\\k50}One, {\\b1}two\\Nthree
        Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}sign
        """

    @Test func `a usual ASS file`() throws {
        let file = try file(Self.ass, .ass)
        #expect(file.cues.map(\.start.seconds) == [1, 5])
        #expect(file.cues.map(\.event) == ["0,Default,,0,0,0,", "2,Default,Bob,10,0,0,"])
        #expect(file.cues.map { $0.plainText(.ass) } == ["sign", "One, two\nthree"])
        #expect(file.hasFonts == true)
        #expect(file.header?.contains("PlayResX: 640") == true && file.header?.contains("Style: Default") == true)
        #expect(file.header?.contains("x.mp4") == false && file.header?.contains("fontname") == false)
        #expect(SubtitleFile.fonts(of: Self.ass) == "[Fonts]\nfontname: a.ttf\n!!!!\n")
    }

    /// Letters of a font are not headings.
    @Test func `lines of fonts may have brackets`() throws {
        let fonts = "[Fonts]\nfontname: a.ttf\n[AB]CD\n[!]\n"
        let text = Self.ass.replacing("[Fonts]\nfontname: a.ttf\n!!!!\n", with: fonts)
        #expect(SubtitleFile.fonts(of: text) == fonts)
        let file = try file(text, .ass)
        #expect(file.cues.count == 2 && file.header?.contains("[AB]") == false)
    }

    @Test func `SSA has other fields`() throws {
        let text =
            "[Script Info]\nScriptType: v4.00\n[V4 Styles]\n[Events]\n"
            + "Format: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
            + "Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,,0000,0000,0000,,Hi\n"
        #expect(try file(text, .ass).cues.first?.event == "0,Default,,0,0,0,")
    }

    @Test(arguments: [
        ("nothing", "[Events]"), (ass.replacing("0:00:05.00", with: "soon"), "line 15: the event's times"),
        (ass.replacing(",Default,Bob,0010,0,0,,{\\k50}One, ", with: ""), "line 15: the event has"),
    ])
    func `what is no ASS is told of with its line`(text: String, says: String) {
        let defect = #expect(throws: SubtitleFile.Defect.self) { try SubtitleFile(text, format: .ass) }
        #expect(defect?.description.contains(says) == true, "\(String(describing: defect))")
    }

    // MARK: Bytes

    @Test func `encodings`() throws {
        let text = "1\n00:01,0 --> 00:02,0\nGrüße 日本\n"
        let utf16 = Array(text.utf16)
        let little = utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let big = utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        for bytes in [
            Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + little, [0xFE, 0xFF] + big,
        ] { #expect(try SubtitleText.decode(bytes, name: "x.srt") == text) }
        func refusal(_ bytes: [UInt8]) -> String {
            let defect = #expect(throws: SubtitleFile.Defect.self) { try SubtitleText.decode(bytes, name: "/a/b.srt") }
            return defect?.description ?? ""
        }
        let latin = refusal(Array("1\n00:01,0 --> 00:02,0\nGr".utf8) + [0xFC, 0xDF, 0x65])
        #expect(
            latin.hasPrefix("line 3: this is not UTF-8") && latin.contains("iconv -f WINDOWS-1252 -t UTF-8 'b.srt'"))
        #expect(refusal(little).contains("UTF-16"))
        #expect(
            refusal([0xFF, 0xFE, 0x00]).contains("UTF-16") && refusal([0xFF, 0xFE, 0x00, 0xD8]).contains("UTF-16"))
    }

    @Test func `suffixes`() {
        let names = ["a.SRT", "b.x.vtt", "c.ssa", "d.ass", "e.txt", "srt", "f.srt/x"]
        #expect(names.map(SubtitleFile.format(of:)) == [.subRip, .webVTT, .ass, .ass, nil, nil, nil])
    }

    @Test func `a hundred thousand cues`() throws {
        let text = (0..<100_000).map {
            "\($0 + 1)\n0\($0 / 36000):\($0 / 600 % 60):\($0 / 10 % 60),\($0 % 10) --> 9:00:00\nx\n\n"
        }
        .joined()
        #expect(try file(text).cues.count == 100_000)
        let more = String(repeating: "0:0 --> 0:1\nx\n", count: SubtitleFile.mostCues + 1)
        let defect = #expect(throws: SubtitleFile.Defect.self) { try file(more) }
        #expect(defect?.line == 2 * SubtitleFile.mostCues + 1)
        #expect(throws: SubtitleFile.Defect.self) { try file("0:0 --> 0:1\n" + String(repeating: "x", count: 30_000)) }
    }

    // MARK: Random files

    /// Written cues are read back, whatever the order and the form of the times.
    @Test func `random cues survive`() throws {
        let cases = Seed.cases(300)
        let seed = Seed.announced(for: "random cues survive", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            var wanted: [(start: Int, end: Int, text: String)] = []
            var srt = random.chance(1, in: 2) ? "\n" : ""
            var vtt = "WEBVTT\n\n"
            for number in 0..<Int.random(in: 1...12, using: &random) {
                let start = Int.random(in: 0..<10_000_000, using: &random)
                let end = start + Int.random(in: 1..<100_000, using: &random)
                let lines = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (0..<Int.random(in: 1...6, using: &random)).map { _ in
                        random.pick(["a", "é", "日", "🎬", "&amp;", "7"])
                    }
                    .joined(separator: " ")
                }
                wanted.append((start, end, lines.joined(separator: "\n")))
                func clock(_ time: Int, _ point: String) -> String {
                    func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
                    let rest = String(1000 + time % 1000).dropFirst()
                    return "\(two(time / 3_600_000)):\(two(time / 60_000 % 60)):\(two(time / 1000 % 60))\(point)\(rest)"
                }
                srt +=
                    "\(number + 1)\n\(clock(start, ",")) --> \(clock(end, ","))\n\(lines.joined(separator: "\n"))\n\n"
                vtt += "\(clock(start, ".")) --> \(clock(end, "."))\n\(lines.joined(separator: "\n"))\n\n"
            }
            let ordered = wanted.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
                .map(\.element)
            for file in [try file(srt), try file(vtt, .webVTT)] {
                #expect(
                    file.cues.map { Int(($0.start.seconds * 1000).rounded()) } == ordered.map(\.start), "case \(index)")
                #expect(file.cues.map { Int(($0.end.seconds * 1000).rounded()) } == ordered.map(\.end), "case \(index)")
                #expect(file.cues.map(\.text) == ordered.map(\.text), "case \(index)")
            }
        }
    }

    /// Damaged files are read or refused with a sentence; what is read is sound.
    @Test func `random damage`() {
        let cases = Seed.cases(3000)
        let seed = Seed.announced(for: "random damage", cases: cases)
        let whole: [(SubtitleFile.Format, String)] = [
            (
                .subRip,
                "1\n00:00:01,500 --> 00:00:02,000\n<i>Hello</i> <font color=\"red\">x</font>\n\n2\n0:03 --> 0:04\n{\\an8}b\n"
            ),
            (.webVTT, "WEBVTT\n\nid\n00:01.000 --> 00:02.500 line:0 align:start\n<v A>a <00:02.000><c.red>b</c>\n\n"),
            (.ass, Self.ass),
        ]
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let (format, text) = random.pick(whole)
            var scalars = Array(text.unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &random) where scalars.count > 2 {
                let place = Int.random(in: 0..<scalars.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: scalars.remove(at: place)
                case 1: scalars.insert(random.pick(Array("<>&{}\\/-:,.\n\r 09a\u{0}é".unicodeScalars)), at: place)
                case 2: scalars.removeSubrange(place..<min(scalars.count, place + 20))
                default: scalars.append(contentsOf: scalars[place..<min(scalars.count, place + 40)])
                }
            }
            let damaged = String(String.UnicodeScalarView(scalars))
            do {
                let file = try SubtitleFile(damaged, format: format)
                for cue in file.cues {
                    #expect(cue.start < cue.end, "case \(index)")
                    guard format != .ass else { continue }
                    #expect(throws: Never.self, "case \(index): \(cue.text)") { try TitleMarkup(cue.text) }
                }
                #expect(zip(file.cues, file.cues.dropFirst()).allSatisfy { $0.start <= $1.start }, "case \(index)")
            } catch {
                #expect(!error.description.isEmpty, "case \(index)")
            }
        }
    }
}
