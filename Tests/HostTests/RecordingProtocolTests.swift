import Foundation
import Recording
import TestSupport
import Testing
import Values

@testable import RecordingHost

@Suite struct RecordingProtocolTests {
    @Test func `each command is read`() throws {
        for (line, command) in [
            (#"{"command":"open"}"#, Recording.Command.open),
            (#"{"command":"start"}"#, .startTake(Recording.StartOptions())),
            (
                #" {"volume": 0, "command": "start", "speed": 1.5, "replace": 2} "#,
                .startTake(Recording.StartOptions(speed: Rational(3, 2), volume: 0, replaces: 2))
            ),
            (#"{"command":"pause"}"#, .pause), (#"{"command":"finish"}"#, .finish),
            (#"{"command":"discard"}"#, .discard(.last)), (#"{"command":"discard","take":"all"}"#, .discard(.all)),
            (#"{"command":"discard","take":"last"}"#, .discard(.last)),
            (#"{"command":"discard","take":12}"#, .discard(.number(12))), (#"{"command":"undo"}"#, .undo),
            (#"{"command":"close"}"#, .close), (#"{"command":"background"}"#, .background(nil)),
            (#"{"command":"photo"}"#, .photo(nil)), (#"{"command":"photo","file":"/a.png"}"#, .photo("/a.png")),
            (#"{"command":"background","file":"/a.mp3"}"#, .background(Background(path: "/a.mp3"))),
            (
                #"{"command":"background","file":"/a.mp3","range":[1.5,2],"volume":0.5,"loop":true}"#,
                .background(
                    Background(
                        path: "/a.mp3",
                        range: TimeRange(
                            start: Time(frame: 3, rate: Rational(2)), duration: Time(frame: 2, rate: .one)),
                        volume: 0.5, loops: true))
            ),
        ] {
            #expect(try RecordingProtocol.command(line) == command, "\(line)")
        }
    }

    @Test(arguments: [
        ("noise", "A command is a JSON object"), ("[]", "A command is a JSON object"),
        ("{}", "A command is a JSON object"),
        (#"{"command":1}"#, "A command is a JSON object"), (#"{"command":"start""#, "A command is a JSON object"),
        (
            #"{"command":"stop"}"#,
            "There is no command ‘stop’; there are background, close, discard, finish, open, pause, photo, start, undo."
        ),
        (#"{"command":"pause","take":1}"#, "‘pause’ has no ‘take’."),
        (#"{"command":"start","sped":2}"#, "‘start’ has no ‘sped’."),
        (#"{"command":"start","speed":0}"#, "‘speed’ is 0.01 to 100."),
        (#"{"command":"start","speed":"2"}"#, "‘speed’ is 0.01 to 100."),
        (#"{"command":"start","volume":-1}"#, "‘volume’ is 0 to 100."),
        (#"{"command":"start","replace":"a"}"#, "‘replace’ is the number of a take."),
        (#"{"command":"start","volume":1e999}"#, ""),
        (#"{"command":"discard","take":1.5}"#, "‘take’ is the number of a take"),
        (#"{"command":"discard","take":"first"}"#, "‘take’ is the number of a take"),
        (#"{"command":"discard","take":null}"#, "‘take’ is the number of a take"),
        (#"{"command":"background","file":""}"#, "‘file’ is the path of a file."),
        (#"{"command":"background","file":["a"]}"#, "‘file’ is the path of a file."),
        (#"{"command":"background","loop":true}"#, "‘background’ needs a ‘file’"),
        (#"{"command":"background","file":"a","loop":1}"#, "‘loop’ is true or false."),
        (#"{"command":"background","file":"a","range":[1]}"#, "‘range’ is a list of the start and the duration"),
        (#"{"command":"background","file":"a","range":[-1,2]}"#, "‘range’ is a list of the start and the duration"),
        (#"{"command":"background","file":"a","range":[1,0]}"#, "‘range’ is a list of the start and the duration"),
    ])
    func `what is no command has its sentence`(line: String, sentence: String) {
        let refusal = #expect(throws: RecordingProtocol.Refusal.self) { try RecordingProtocol.command(line) }
        #expect(refusal?.sentence.hasPrefix(sentence) == true, "\(String(describing: refusal))")
    }

    /// The schema takes the commands that are read, and no others.
    @Test(arguments: [
        (#"{"command":"open"}"#, true), (#"{"command":"start","speed":2,"volume":0,"replace":3}"#, true),
        (#"{"command":"discard","take":"all"}"#, true), (#"{"command":"discard","take":4}"#, true),
        (#"{"command":"close"}"#, true), (#"{"command":"background"}"#, true),
        (#"{"command":"background","file":"a","range":[0,2],"volume":1,"loop":false}"#, true),
        (#"{"command":"background","volume":1}"#, false), (#"{"command":"background","file":"a","loop":1}"#, false),
        (#"{"command":"stop"}"#, false), (#"{"command":"pause","take":1}"#, false),
        (#"{"command":"start","speed":0}"#, false), (#"{"command":"discard","take":"first"}"#, false), ("{}", false),
    ])
    func `the schema and the reader agree`(line: String, isRead: Bool) throws {
        let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
        #expect(try schema.accepts(json: line, as: "command") == isRead)
        #expect(((try? RecordingProtocol.command(line)) != nil) == isRead)
    }

    @Test func `events are JSON objects`() throws {
        var recording = Recording()
        _ = recording.handle(.command(.start))
        _ = recording.handle(.opened)
        let second = Time(flicks: Time.flicksPerSecond)
        _ = recording.handle(.progress(duration: second, size: 1000, free: nil))
        let progress = PartProgress(
            duration: second.flicks, size: 1000, frames: 30, lost: 1, free: 5000, level: -12.3456)
        #expect(
            RecordingProtocol.line(progress, recording)
                == #"{"event":"progress","take":1,"duration":1.0,"total":1.0,"size":1000,"frames":30,"lost":1,"free":5000,"level":-12.346}"#
        )
        var take = Take(number: 1, settings: TakeSettings(speed: Rational(2), volume: 0.5))
        take.state = .joined(RecordedFile(name: "0001.mp4", duration: second, size: 10))
        #expect(
            RecordingProtocol.line(.finished(take), Recording(), folder: "/a b/talk.takes")
                == #"{"event":"finished","take":1,"file":"/a b/talk.takes/0001.mp4","duration":1.0,"size":10,"speed":2.0,"volume":0.5,"total":0.0}"#
        )
        take.state = .joined(RecordedFile(name: "0001.mp4", duration: second, size: 10, second: second))
        let both =
            #"{"event":"recovered","take":1,"file":"/t/0001.mp4","duration":1.0,"size":10,"speed":2.0,"volume":0.5,"total":0.0,"second":"/t/0001.second.mp4"}"#
        #expect(RecordingProtocol.line(.recovered(take), Recording(), folder: "/t") == both)
        let notices: [(Recording.Notice, String)] = [
            (.ready, #"{"event":"ready"}"#), (.started(take: 2), #"{"event":"started","take":2}"#),
            (.paused(take: 2), #"{"event":"paused","take":2}"#), (.resumed(take: 2), #"{"event":"resumed","take":2}"#),
            (.discarded([1, 2]), #"{"event":"discarded","takes":[1,2],"total":0.0}"#),
            (.restored([]), #"{"event":"restored","takes":[],"total":0.0}"#),
            (.background(Background(path: "/a.mp3")), #"{"event":"background","file":"/a.mp3"}"#),
            (.photo("/a.png"), #"{"event":"photo","file":"/a.png"}"#),
            (.background(nil), #"{"event":"background","file":null}"#),
            (.limit(.size), #"{"event":"limit","limit":"size"}"#),
            (.lost("‘a\nb’"), #"{"event":"device-lost","message":"‘a\nb’"}"#),
            (.warning("w"), #"{"event":"warning","message":"w"}"#),
            (.refused("r"), #"{"event":"refused","message":"r"}"#),
            (.failed("f"), #"{"event":"failed","message":"f"}"#),
        ]
        let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
        #expect(try schema.accepts(json: both, as: "event"))
        for (notice, line) in notices {
            #expect(RecordingProtocol.line(notice, Recording(), folder: "") == line)
            #expect(try schema.accepts(json: line, as: "event"), "\(line)")
        }
        #expect(RecordingProtocol.line(TakeList()) == #"{"event":"closed","takes":[],"total":0.0}"#)
    }

    /// The page names all commands and events, and no others.
    @Test func `the page of the protocol is complete`() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/record-protocol.md", encoding: .utf8)
        let events = try page[#require(page.range(of: "## Events")).upperBound...]
        for name in [
            "ready", "started", "resumed", "paused", "progress", "finished", "recovered", "discarded", "restored",
            "photo", "background", "limit", "device-lost", "warning", "refused", "failed", "closed",
        ] {
            #expect(events.contains("`\(name)`"), "\(name)")
        }
        for match in page.matches(of: try Regex(#"`(\{"command"[^`]*\})`"#)) {
            let line = String(match.output[1].substring ?? "")
            #expect(throws: Never.self) { try RecordingProtocol.command(line) }
        }
    }

    @Test func `the status line says what goes on`() {
        var recording = Recording()
        #expect(RecordStatus.text(recording, nil) == "○ the sources are closed  all takes 0:00.0")
        _ = recording.handle(.command(.start))
        #expect(RecordStatus.text(recording, nil) == "○ the sources are being opened  all takes 0:00.0")
        _ = recording.handle(.opened)
        _ = recording.handle(.progress(duration: Time(flicks: 67 * Time.flicksPerSecond), size: 1, free: nil))
        let progress = PartProgress(frames: 3, lost: 2, free: 12_345_678_901, level: -30)
        #expect(
            RecordStatus.text(recording, progress)
                == "● take 1  1:07.0  all takes 1:07.0  [==========          ] -30 dB  2 frames lost  12 GB free")
        _ = recording.handle(.command(.pause))
        #expect(RecordStatus.text(recording, nil) == "‖ take 1  1:07.0  paused  all takes 1:07.0")
        #expect(RecordStatus.meter(0).hasPrefix("[====================] 0 dB"))
        #expect(RecordStatus.meter(-120).hasSuffix("] silence") && RecordStatus.size(2_500_000) == "2 MB")
    }
}
