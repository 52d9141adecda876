import Recording
import TestSupport
import Testing

@testable import Editor

/// What a page sends to its recording.
@Suite struct RecordMessageTests {
    @Test func `sources, commands and reports are told apart`() throws {
        guard
            case .open(.browser(let browser)) = try RecordMessage(
                #"{"command":"open","browser":{"video":"screen","audio":true}}"#)
        else { return #expect(Bool(false)) }
        #expect(browser == BrowserRequest(picture: .screen, hasSound: true))
        guard
            case .open(.devices(let devices)) = try RecordMessage(
                #"{"command":"open","devices":{"video":"none","audio":["test"]}}"#)
        else { return #expect(Bool(false)) }
        #expect(devices == SourceRequest(video: nil, audio: [.test]))
        guard case .command(.discard(.number(3))) = try RecordMessage(#"{"command":"discard","take":3}"#) else {
            return #expect(Bool(false))
        }
        for (text, report) in [
            (#"{"recorder":"opened","container":"webm"}"#, BrowserReport.opened(.webm)),
            (#"{"recorder":"alive"}"#, .alive),
            (#"{"recorder":"lost","message":"gone\n"}"#, .lost("gone")),
            (#"{"recorder":"lost"}"#, .lost("The browser gives no reason.")),
            (#"{"recorder":"progress","duration":1.5,"level":-900}"#, .progress(.init(duration: 1.5, level: -120))),
            (#"{"recorder":"ended","duration":2}"#, .ended(.init(duration: 2), reason: nil)),
            (#"{"recorder":"ended","duration":2,"message":"gone"}"#, .ended(.init(duration: 2), reason: "gone")),
        ] {
            guard case .browser(let read) = try RecordMessage(text) else { return #expect(Bool(false), "\(text)") }
            #expect(read == report, "\(text)")
        }
    }

    @Test(arguments: [
        "", "noise", "[]", "{}", #"{"recorder":5}"#, #"{"recorder":"opened"}"#, #"{"recorder":"progress"}"#,
        #"{"recorder":"progress","duration":1e300}"#, #"{"recorder":"ended","duration":-1}"#,
        #"{"command":"open","browser":{}}"#, #"{"command":"open","browser":5}"#,
        #"{"command":"open","devices":{"video":"test"}}"#, #"{"command":"open","video":"test"}"#,
    ])
    func `what is none has a sentence`(text: String) {
        #expect {
            _ = try RecordMessage(text)
        } throws: { error in
            let sentence = (error as? RecordRefusal)?.sentence ?? ""
            return sentence.hasSuffix(".") && sentence.count > 10
        }
    }
}
