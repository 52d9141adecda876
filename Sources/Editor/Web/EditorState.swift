import Composition
import Draft
import Foundation
import HostCore
import Scripting
import Values

/// The state of the draft as pages receive it: see docs/editor.md.
struct EditorState: Encodable {
    var revision: Int
    var script: String
    var path: String
    var status: Editor.Status
    var problems: [FindingReport]
    var warnings: [FindingReport]
    /// nil: there is no good revision yet, and the properties below are empty.
    var goodRevision: Int?
    /// The editor can open the script in the user's text editor.
    var editor: Bool
    package var parameters: [ParameterReport]
    var draft: DraftReport?
    var video: VideoReport?
    var sound: SoundReport?
    var parts: [PartReport] = []
    /// The keys of parts and of pieces of sound that can be fetched.
    var ready: [String] = []
    var failed: [LiveMessage.Failed] = []
    /// The damage of the media in what is rendered so far.
    var damaged: [String] = []
    var tracks: [TrackReport] = []

    struct FindingReport: Encodable {
        var message: String
        var object: String?
        var file: String?
        package var line: Int?

        init(_ finding: Finding) {
            (message, object) = (finding.message, finding.object)
            (file, line) = (finding.origin?.file, finding.origin?.line)
        }
    }

    struct DraftReport: Encodable {
        var frames: Int
        var duration: Double
        var frameRate: [Int64]
        var width: Int
        package var height: Int
        var previewWidth: Int
        var previewHeight: Int
        var background: String
        var color: String
        var hasPicture: Bool
        var hasSound: Bool
        /// The first frame of the rendered range, and the one after the last; nil: everything is
        /// rendered.
        var range: [Int]?
    }

    struct VideoReport: Encodable { var mime = "video/mp4; codecs=\"avc1.64002A\"" }

    struct SoundReport: Encodable {
        var mime = "audio/mp4; codecs=\"flac\""
        var sampleRate: Int
        var pieces: [PieceReport]
    }

    struct PieceReport: Encodable {
        var key: String
        var firstSample: Int
        var samples: Int
    }

    struct PartReport: Encodable {
        var key: String
        var firstFrame: Int
        var frames: Int
    }

    struct TrackReport: Encodable {
        var id: String
        var kind: String
        var name: String
        var items: [ItemReport]
    }

    struct ItemReport: Encodable {
        var id: String
        var kind: String
        package var label: String
        var startFrame: Int
        var frames: Int
        var lane: Int
        var file: String?
        package var line: Int?
        var script: String?
        var sourceStart: Double?
        var sourceDuration: Double?
        var speed: Double
        var hasPicture: Bool
        var hasSound: Bool
    }

    struct ParameterReport: Encodable {
        var name: String
        var type: String
        var list: Bool
        var `default`: PlainValue
        var value: PlainValue
        var minimum: Double?
        var maximum: Double?
        var choices: [PlainValue]
        var help: String

        init(_ parameter: ScriptParameter) {
            (name, type, list, help) = (parameter.name, parameter.kind.rawValue, parameter.isList, parameter.help)
            (`default`, value) = (PlainValue(parameter.initial), PlainValue(parameter.value))
            (minimum, maximum) = (parameter.minimum, parameter.maximum)
            choices = parameter.choices.map(PlainValue.init)
        }
    }
}

/// A script's value as JSON.
struct PlainValue: Encodable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null, .function: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let items): try container.encode(items.map(PlainValue.init))
        case .object(let fields): try container.encode(fields.mapValues(PlainValue.init))
        }
    }
}

extension EditorState {
    init(
        _ editor: (number: Int, status: Editor.Status, problems: [Finding], parameters: [ScriptParameter]),
        _ good: Editor.Revision?, script: String, name: String
    ) {
        (revision, status, path) = (editor.number, editor.status, script)
        self.script = name
        problems = editor.problems.map(FindingReport.init)
        warnings = (good?.warnings ?? []).map(FindingReport.init)
        goodRevision = good?.number
        self.editor = OwnEditor.isThere
        parameters = editor.parameters.map(ParameterReport.init)
        guard let good else { return }
        let (composition, rate) = (good.plan.composition, good.plan.composition.frameRate)
        let range =
            good.draft.timeRange == nil
            ? nil
            : good.draft.timeRange.flatMap { wished in
                wished.intersection(TimeRange(start: .zero, duration: composition.duration))
            }
        draft = DraftReport(
            frames: composition.frameCount, duration: composition.duration.seconds,
            frameRate: [rate.numerator, rate.denominator], width: composition.size.width,
            height: composition.size.height,
            previewWidth: good.plan.pictureSize.width, previewHeight: good.plan.pictureSize.height,
            background: Self.text(composition.background), color: composition.color.rawValue, hasPicture: true,
            hasSound: good.plan.audio != nil,
            range: range.map { [$0.start.frame(at: rate), $0.end.frame(at: rate)] })
        video = VideoReport()
        if let audio = good.plan.audio, !good.pieces.isEmpty {
            sound = SoundReport(
                sampleRate: audio.sampleRate,
                pieces: good.pieces.map { PieceReport(key: $0.key, firstSample: $0.firstSample, samples: $0.samples) })
        }
        parts = good.plan.segments.map {
            PartReport(key: $0.key, firstFrame: $0.firstFrame, frames: $0.frameCount)
        }
        tracks = Self.tracks(good, rate)
    }

    private static func tracks(_ good: Editor.Revision, _ rate: Rational) -> [TrackReport] {
        var whole = good.draft
        whole.timeRange = nil
        return Overview(whole, good.timeline, good.session.catalog).tracks.map { track in
            TrackReport(
                id: track.name, kind: track.name, name: track.name.prefix(1).uppercased() + track.name.dropFirst(),
                items: track.items.map { item in
                    let (start, end) = (item.range.start.frame(at: rate), item.range.end.frame(at: rate))
                    return ItemReport(
                        id: item.id, kind: item.kind.rawValue, label: item.label, startFrame: start,
                        frames: max(1, end - start), lane: item.lane, file: item.file, line: item.origin?.line,
                        script: item.origin?.file, sourceStart: item.source?.start.seconds,
                        sourceDuration: item.source?.duration.seconds, speed: item.speed, hasPicture: item.hasPicture,
                        hasSound: item.hasSound)
                })
        }
    }

    private static func text(_ color: Color) -> String {
        "#" + [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Time {
    /// Returns the nearest frame.
    fileprivate func frame(at rate: Rational) -> Int { rounded(rate: rate) }
}
