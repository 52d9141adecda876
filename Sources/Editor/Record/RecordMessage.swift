import Foundation
import Recording
import RecordingHost

/// A message from a page to its recording: a command, or what the browser's recorder reports.
enum RecordMessage {
    /// Opens sources, in place of open ones.
    case open(RecordSources)
    case command(Recording.Command)
    case browser(BrowserReport)

    /// Reads a message.
    /// - Throws: a sentence that says what is wrong with it.
    init(_ text: String) throws(RecordRefusal) {
        let fields = try? JSONDecoder().decode(Fields.self, from: Data(text.utf8))
        if let report = fields?.recorder {
            self = .browser(try BrowserReport(report))
        } else if fields?.command == "open", let devices = fields?.devices {
            self = .open(.devices(try devices.request))
        } else if fields?.command == "open", let browser = fields?.browser {
            self = .open(.browser(try browser.request))
        } else {
            do throws(RecordingProtocol.Refusal) {
                self = .command(try RecordingProtocol.command(text))
            } catch {
                throw RecordRefusal(error.sentence)
            }
        }
    }

    private struct Fields: Decodable {
        var command: String?
        var recorder: BrowserReport.Fields?
        var browser: BrowserFields?
        var devices: DeviceFields?

        private enum CodingKeys: String, CodingKey { case command, recorder, browser, devices }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            command = try container.decodeIfPresent(String.self, forKey: .command)
            browser = try container.decodeIfPresent(BrowserFields.self, forKey: .browser)
            devices = try container.decodeIfPresent(DeviceFields.self, forKey: .devices)
            recorder = container.contains(.recorder) ? try BrowserReport.Fields(from: decoder) : nil
        }
    }

    private struct BrowserFields: Decodable {
        var video: String
        var audio: Bool

        var request: BrowserRequest {
            get throws(RecordRefusal) {
                guard video == "none" || BrowserRequest.Picture(rawValue: video) != nil else {
                    throw RecordRefusal("‘video’ of a browser is \"camera\", \"screen\" or \"none\".")
                }
                guard video != "none" || audio else { throw .nothing }
                return BrowserRequest(picture: BrowserRequest.Picture(rawValue: video), hasSound: audio)
            }
        }
    }

    private struct DeviceFields: Decodable {
        var video: String
        var audio: [String]

        var request: SourceRequest {
            get throws(RecordRefusal) {
                guard video == "none" || VideoSource(video) != nil else {
                    throw RecordRefusal("‘video’ of a device is \(VideoSource.forms).")
                }
                guard audio.count <= 8, audio.allSatisfy({ AudioSource($0) != nil }) else {
                    throw RecordRefusal("‘audio’ of a device is up to eight of \(AudioSource.forms).")
                }
                guard video != "none" || !audio.isEmpty else { throw .nothing }
                return SourceRequest(video: VideoSource(video), audio: audio.compactMap { AudioSource($0) })
            }
        }
    }
}

/// Why a message of a page is refused: a sentence.
struct RecordRefusal: Error, Hashable {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }

    static let nothing = RecordRefusal("There is nothing to record: choose a picture or sound.")
}

/// The sources of a page's recording.
enum RecordSources: Hashable, Sendable {
    case browser(BrowserRequest)
    /// Those of the machine that the editor runs on.
    case devices(SourceRequest)
}

/// What a browser records.
struct BrowserRequest: Hashable, Sendable {
    enum Picture: String, Sendable { case camera, screen }

    /// nil: sound alone.
    var picture: Picture?
    var hasSound: Bool
}

/// What the recorder in a browser reports.
enum BrowserReport: Hashable, Sendable {
    case opened(TakeContainer)
    case openFailed(String)
    case progress(Progress)
    /// All bytes of the part were sent. A reason: the browser has ended it by itself.
    case ended(Progress, reason: String?)
    /// A source is gone while no part is recorded, and all are closed.
    case lost(String)
    /// The answer to a question.
    case alive

    struct Progress: Hashable, Sendable {
        /// Seconds, 0 … 8 640 000.
        var duration: Double
        /// dBFS; nil without sound.
        var level: Double?
    }

    struct Fields: Decodable {
        var recorder: String
        var container: String?
        var message: String?
        var duration: Double?
        var level: Double?
    }

    init(_ fields: Fields) throws(RecordRefusal) {
        switch fields.recorder {
        case "opened":
            guard let container = TakeContainer(rawValue: fields.container ?? "") else {
                let names = TakeContainer.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                throw RecordRefusal("‘container’ is \(names).")
            }
            self = .opened(container)
        case "open-failed": self = .openFailed(Self.sentence(fields.message))
        case "progress": self = .progress(try Self.progress(fields))
        case "ended": self = .ended(try Self.progress(fields), reason: fields.message.map { Self.sentence($0) })
        case "lost": self = .lost(Self.sentence(fields.message))
        case "alive": self = .alive
        default: throw RecordRefusal("A browser's recorder has no report ‘\(fields.recorder.prefix(40))’.")
        }
    }

    private static func progress(_ fields: Fields) throws(RecordRefusal) -> Progress {
        guard let duration = fields.duration, (0...longest).contains(duration) else {
            throw RecordRefusal("‘duration’ is the length of the part in seconds, 0 to \(Int(longest)).")
        }
        return Progress(duration: duration, level: fields.level.map { min(max($0, -120), 20) })
    }

    /// Seconds: 100 days.
    private static let longest = 8_640_000.0

    /// What a page says, as it may be shown.
    private static func sentence(_ text: String?) -> String {
        let line = (text ?? "").filter { !$0.isNewline }.prefix(300)
        return line.isEmpty ? "The browser gives no reason." : String(line)
    }
}
