import Delivery
import Foundation
import Testing
import Values

@testable import Draft

/// The ways to write a value that mean the same.
@Suite struct FormTests {
    @Test(arguments: [
        ("1:02.5", "125/2s"), ("0:01", "1s"), ("0:00.040", "1/25s"), ("00:00:01", "1s"), ("1:02:03.25", "14893/4s"),
        ("90:00", "5400s"), ("100:00:00", "360000s"), ("0:00.000000001", "1/705600000s"),
    ])
    func `a timecode is exact`(text: String, time: String) throws {
        #expect(Time(timecode: text)?.description == time)
    }

    @Test(arguments: [
        "", ":", "1", "1.5", "1:", ":1", "1:60", "1:75", "1:60:00", "1:2:3:4", "-1:00", "1:-1", "+1:00", "1: 2", "1:2.",
        "1:.5",
        "1:02,5", "1:0x1", "9999999999:00", "1:00.0000000001", "١:٠٢", "1:2s", "1:2.5.5",
    ])
    func `what is no timecode is none`(text: String) { #expect(Time(timecode: text) == nil) }

    @Test func `a timecode of ages is too long, and no more`() {
        #expect(Time(timecode: "999999999:59:59.999999999").map { $0 > .longest } == true)
    }

    @Test func `a colour of four digits has an alpha`() throws {
        #expect(Color("#0008") == Color(red: 0, green: 0, blue: 0, alpha: 0x88))
        #expect(Color("#F80f") == Color(red: 255, green: 0x88, blue: 0))
        #expect(Color("#f8") == nil && Color("#f800f") == nil)
        // A player would not know it in a cue.
        let file = try SubtitleFile("0:01 --> 0:02\n<font color=\"#0008\">a</font>\n", format: .subRip)
        #expect(file.cues.allSatisfy { !$0.text.contains("color") }, "\(file.cues)")
    }

    @Test func `colours have their names in CSS`() {
        #expect(Color("red")?.description == "#ff0000" && Color("RebeccaPurple")?.description == "#663399")
        #expect(Color("darkslategrey") == Color("darkslategray") && Color("transparent") == .clear)
        #expect(Color.names.count == 149 && Color("") == nil && Color("reddish") == nil && Color("red ") == nil)
        #expect(Color.refusal(of: "ornage").hasSuffix("or \"orange\"; did you mean ‘orange’?"))
        #expect(Color.spelled("red") == "#ff0000" && Color.spelled("#F00") == "#F00" && Color.spelled("x") == "x")
    }

    @Test(arguments: [
        (Rational(30000, 1001), "29.97"), (Rational(24000, 1001), "23.976"), (Rational(2997, 100), "29.97"),
        (Rational(25), "25"),
        (Rational(25, 2), "12.5"), (Rational(60000, 1001), "59.94"), (Rational(1, 100_000), "1/100000"),
    ])
    func `rates are told as people write them`(rate: Rational, text: String) { #expect(rate.rateForPeople == text) }

    @Test(arguments: [
        ("5M", 5_000_000), ("2.5M", 2_500_000), ("800k", 800_000), ("64K", 64_000), ("192000", 192_000),
    ])
    func `bit rates have their units`(text: String, bits: Int) throws {
        let settings = try ExportSettings(reading: .object(["video": .object(["bit_rate": .string(text)])]))
        #expect(settings.video.bitRate == bits)
        // A document says it in one way.
        #expect(settings.value.fields["video"]?.fields["bit_rate"] == .number(Double(bits)))
    }

    @Test(arguments: ["5 MB", "fast", "M", "", "1e400k", "nan"]) func `what is no bit rate is refused`(text: String) {
        let problem = #expect(throws: Problem.self) {
            try ExportSettings(reading: .object(["audio": .object(["bit_rate": .string(text)])]))
        }
        #expect(
            problem?.message.contains("must be bits per second such as") == true, "\(problem.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        ("https://example.com/a.mp4", "fetch the file and give its path"), ("RTMP://x", "fetch"),
        ("file:///a.mp4", "give the path alone"),
    ])
    func `a URL is told of as one`(path: String, advice: String) {
        #expect(urlRefusal(path)?.contains("URLs are not supported yet; \(advice)") == true)
    }

    @Test(arguments: ["a.mp4", "/a://b", "://a", "1x://a", "c:\\a", "C:/a.mp4", "a b://c", "~/x://"])
    func `a path is none`(path: String) { #expect(urlRefusal(path) == nil) }

    @Test func `the longer side bounds a canvas without a size`() throws {
        func size(_ json: String, _ width: Int, _ height: Int) throws -> String {
            var fields = try FieldReader(try Value(json: Data(json.utf8), file: "x"), object: "draft")
            let canvas = try Canvas(reading: &fields)
            try fields.finish()
            var picture = VideoStreamInfo(
                codec: "h264", width: width, height: height, rotation: 0, frameRate: Rational(30), start: .zero,
                duration: .zero,
                bitRate: nil, hasAlpha: false)
            picture.codec = "h264"
            return "\(canvas.resolvedSize(first: picture))"
        }
        #expect(try size(#"{"max": 640}"#, 1920, 1080) == "640×360")
        #expect(try size(#"{"max": 640}"#, 1080, 1920) == "360×640")
        #expect(try size(#"{"max": 1920}"#, 1280, 720) == "1280×720", "never enlarged")
        #expect(try size(#"{"max": 641}"#, 4000, 3000) == "640×480")
        #expect(try size(#"{"max": 8192}"#, 6000, 3000) == "4096×2048")
        #expect(try size(#"{"max": 640, "aspect": "9:16"}"#, 10, 10) == "360×640")
        #expect(try size(#"{"aspect": "16/9"}"#, 10, 10) == "1280×720" && size(#"{"aspect": 2}"#, 10, 10) == "1280×640")
        for (json, message) in [
            (#"{"max": 8}"#, "‘max’ is 8, but must lie between 16 and 8192 pixels"),
            (#"{"max": 640, "size": [640, 360]}"#, "give ‘size’ or ‘max’, not both"),
            (
                #"{"aspect": "wide"}"#,
                "‘aspect’ is ‘wide’, but must be { width, height } such as { 9, 16 }, or \"9:16\""
            ),
            (#"{"aspect": "16:0"}"#, "‘aspect’ is ‘16:0’, but must be"),
            (#"{"aspect": "1:2:3"}"#, "‘aspect’ is ‘1:2:3’"),
        ] {
            let problem = #expect(throws: Problem.self) { try size(json, 10, 10) }
            #expect(problem?.message.hasPrefix(message) == true, "\(problem.map { "\($0)" } ?? "")")
        }
    }

    @Test func `a document keeps the longer side`() throws {
        var draft = Draft()
        draft.canvas.longerSide = 640
        let text = draft.document(in: "/x")
        #expect(text.contains("\"max\": 640"))
        #expect(try Draft(document: Data(text.utf8), file: "x", folder: "/x") == draft)
    }
}
