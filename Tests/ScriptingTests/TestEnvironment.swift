import Draft
import Foundation
import TestSupport
import Values

@testable import Scripting

/// Answers from memory, as a probe of these files would: real probing is tested where workers are.
final class TestEnvironment: ScriptEnvironment {
    private(set) var probed: [String] = []
    private(set) var effectsAsked = 0
    private(set) var lines: [String] = []
    /// Effects of libraries that are opened only where they are named, and which of them were asked
    /// for.
    private(set) var otherAsked: [String] = []
    static let others = [effect("other.glow", [parameter("amount", .double, 0...1, [0.5])])]

    private static let identity = FileIdentity(size: 1000, modified: 1, digest: "00")

    private static func video(_ seconds: Int64, width: Int = 1280, height: Int = 720, fps: Rational = Rational(30))
        -> VideoStreamInfo
    {
        VideoStreamInfo(
            codec: "h264", width: width, height: height, rotation: 0, frameRate: fps, start: .zero,
            duration: Time(value: seconds, timeBase: 1, 1), bitRate: 1_000_000, hasAlpha: false)
    }

    private static func sound(_ seconds: Int64) -> AudioStreamInfo {
        AudioStreamInfo(
            codec: "aac", sampleRate: 48_000, channels: 2, start: .zero, duration: Time(value: seconds, timeBase: 1, 1),
            bitRate: 128_000)
    }

    private static func image(_ width: Int, _ height: Int) -> MediaInfo {
        var picture = video(0, width: width, height: height)
        picture.codec = "png"
        picture.hasAlpha = true
        return MediaInfo(kind: .image, format: "png_pipe", identity: identity, video: picture)
    }

    private static func subtitles(_ format: SubtitleFile.Format, _ text: String) -> MediaInfo {
        var info = MediaInfo(kind: .subtitles, format: format.rawValue, identity: identity)
        info.subtitles = try? SubtitleFile(text, format: format)
        return info
    }

    private let files: [String: MediaInfo]

    /// - Parameter files: by the last part of the path.
    init(files: [String: MediaInfo] = TestEnvironment.files) { self.files = files }

    /// By the last part of the path.
    static let files: [String: MediaInfo] = [
        "a.mp4": MediaInfo(kind: .media, format: "mov", identity: identity, video: video(8), audio: sound(8)),
        "b.mp4": MediaInfo(kind: .media, format: "mov", identity: identity, video: video(10), audio: sound(10)),
        "c.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity,
            video: video(6, width: 720, height: 1280, fps: Rational(25)), audio: sound(6)),
        "face_matte.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity, video: video(4, width: 640, height: 360)),
        "face.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity, video: video(4, width: 640, height: 360)),
        "shaky.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity, video: video(4, width: 960, height: 540)),
        "screen.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity, video: video(4, width: 640, height: 360)),
        "silent.mp4": MediaInfo(kind: .media, format: "mov", identity: identity, video: video(5)),
        "film.mp4": MediaInfo(
            kind: .media, format: "mov", identity: identity, video: video(60, fps: Rational(30000, 1001)),
            audio: sound(60)),
        "music.m4a": MediaInfo(kind: .media, format: "mov", identity: identity, audio: sound(20)),
        "voice.m4a": MediaInfo(kind: .media, format: "mov", identity: identity, audio: sound(6)),
        "photo.jpg": image(1280, 720), "photo1.jpg": image(1600, 960), "photo2.jpg": image(1600, 960),
        "photo3.jpg": image(1600, 960), "photo4.jpg": image(1600, 960), "photo5.jpg": image(1600, 960),
        "photo6.jpg": image(1600, 960), "photo.png": image(1280, 720), "emoji.png": image(160, 160),
        "look.png": image(512, 512), "matte.png": image(320, 180),
        "talk.srt": subtitles(.subRip, "0:01 --> 0:02\nHello\n"),
        "talk.vtt": subtitles(.webVTT, "WEBVTT\n\n0:01.0 --> 0:02.0\nHello\n"),
        "song.vtt": subtitles(.webVTT, "WEBVTT\n\n0:01.0 --> 0:02.0\n<0:01.0>Row <0:01.5>row\n"),
        "look.cube": MediaInfo(kind: .cube, format: "cube", identity: identity),
    ]

    static let effects: [EffectDescriptor] =
        [
            effect(
                "org.cutroom.vignette",
                [
                    parameter("strength", .double, 0...1, [0.5]), parameter("color", .color, 0...1, [0, 0, 0, 1]),
                    parameter("shape", .enum, 0...1, [1], choices: ["round", "square"]),
                ]),
            effect("org.cutroom.rgb_split", [parameter("offset", .point, -100...100, [8, 0])]),
            effect(
                "org.test.reader",
                [
                    parameter("model", .path, 0...0, []), parameter("image", .string, 0...0, []),
                    parameter("note", .string, 0...0, []),
                ]),
            chooser, joiner, meter("org.test.meter", ["rgba8"]), meter("org.test.listener", ["pcmf32_planar"]),
            effect(
                "org.test.bars",
                [
                    parameter("amount", .double, 0...1, [0.5]), parameter("media", .path, 0...0, []),
                    parameter("shape", .enum, 0...1, [1], choices: ["round", "square"]),
                ], .source),
            // Its parameters are called as options are.
            effect(
                "org.test.awkward",
                [
                    parameter("duration", .double, 0...9, [1]), parameter("start", .double, 0...9, [2]),
                    parameter("rect", .double, 0...9, [3]),
                    parameter("opacity", .double, 0...9, [4]), parameter("speed", .double, 0...9, [5]),
                    parameter("pass_through", .double, 0...9, [6]),
                ], .source),
            effect(
                "org.test.room",
                [
                    parameter("impulse", .path, 0...0, []), parameter("note", .string, 0...0, []),
                    parameter("wet", .double, 0...1, [0.5]), parameter("range", .double, 0...9, [1]),
                ], .audioFilter),
        ] + shipped

    private static func meter(_ id: String, _ formats: [String]) -> EffectDescriptor {
        var meter = effect(
            id,
            [
                parameter("scale", .double, 0...10, [1]), parameter("model", .path, 0...0, []),
                parameter("range", .double, 0...1, [1]),
            ], .analyser)
        meter.formats = formats
        return meter
    }

    private static let chooser: EffectDescriptor = {
        var mode = parameter("mode", .enum, 0...2, [0], choices: ["soft", "medium", "hard"])
        mode.isAnimatable = true
        return effect("org.test.chooser", [mode])
    }()

    private static let joiner: EffectDescriptor = {
        var joiner = effect("org.test.joiner", [parameter("map", .path, 0...0, [])])
        joiner.kind = .transition
        return joiner
    }()

    /// The shipped ones, as their metadata says, without those that are a library of their own but
    /// for the chroma key.
    private static let shipped: [EffectDescriptor] = {
        struct Metadata: Decodable {
            struct Parameter: Decodable {
                var id: String, kind: ParameterDescriptor.Kind, minimum: Double, maximum: Double, `default`: [Double],
                    choices: [String]?, help: String, expected: Bool?
            }
            var id: String, kind: EffectDescriptor.Kind, formats: [String], parameters: [Parameter], keyed: Bool?
        }
        let folder = Project.root + "/Plugins/"
        let names = ["effects", "libavfilter", "sound", "sources", "transitions", "vision"].flatMap { library in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder + library)) ?? []).sorted().map {
                library + "/" + $0
            }
        }
        return (names + ["chroma-key"]).compactMap { name in
            guard let data = FileManager.default.contents(atPath: folder + name + "/effect.json") else { return nil }
            guard let metadata = try? JSONDecoder().decode(Metadata.self, from: data) else { return nil }
            let parameters = metadata.parameters.map { found in
                var parameter = parameter(
                    found.id, found.kind, found.minimum...found.maximum, found.default, choices: found.choices ?? [])
                (parameter.help, parameter.isExpected) = (found.help, found.expected ?? false)
                return parameter
            }
            var descriptor = effect(metadata.id, parameters, metadata.kind)
            (descriptor.formats, descriptor.isKeyed) = (metadata.formats, metadata.keyed ?? false)
            return descriptor
        }
    }()

    private static func effect(
        _ id: String, _ parameters: [ParameterDescriptor], _ kind: EffectDescriptor.Kind = .filter
    ) -> EffectDescriptor {
        EffectDescriptor(
            id: id, kind: kind, name: id, version: "1", vendor: "test", license: "MIT", help: "", state: .pure,
            warmUp: 0,
            parameters: parameters, path: "/plugins/\(id).so", digest: "00")
    }

    private static func parameter(
        _ id: String, _ kind: ParameterDescriptor.Kind, _ bounds: ClosedRange<Double>, _ initial: [Double],
        choices: [String] = []
    ) -> ParameterDescriptor {
        ParameterDescriptor(
            id: id, kind: kind, label: id, unit: "", help: "", isAnimatable: kind != .enum, minimum: bounds.lowerBound,
            maximum: bounds.upperBound, initial: initial, initialText: "", choices: choices)
    }

    func probe(_ file: DraftFile) -> Catalog.Entry {
        let path = file.path
        probed.append(path)
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if file.content == .data, name == "font.ttf" || files[name] != nil {
            return .found(MediaInfo(kind: .data, format: "", identity: Self.identity))
        }
        return files[name].map { .found($0) } ?? .unreadable("there is no file ‘\(path)’")
    }

    func effects() throws -> [EffectDescriptor] {
        effectsAsked += 1
        return Self.effects
    }

    func effect(_ id: String) throws -> EffectDescriptor? {
        otherAsked.append(id)
        if id == "other.broken" { throw ScriptError(.unreadable, "the library of \(id) crashes") }
        return Self.others.first { $0.id == id }
    }

    private(set) var analysed: [(analysis: Analysis, grid: AnalysisGrid)] = []

    /// A face that walks to the right and smiles, a camera that goes to and fro, light that is the
    /// frame's number; of `film.mp4` nothing, because the plugin crashes.
    func analyse(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) throws -> AnalysisTrack {
        analysed.append((analysis, grid))
        if analysis.path.hasSuffix("/film.mp4") { throw ScriptError(.plugin, "the plugin crashed at frame 7") }
        let frames = (0..<grid.frameCount).map { index -> [String: [Double]] in
            let share = Double(index) / Double(grid.frameCount)
            switch analysis.effect.effectID {
            case "org.cutroom.faces": return ["faces": [0.1 + 0.5 * share, 0.2, 0.2, 0.3], "smiles": [share]]
            case "org.cutroom.camera_motion":
                return ["motion": [index % 2 == 0 ? 0.01 : -0.01, 0, 0, 1], "trust": [1]]
            default: return ["light": [Double(index)], "none": []]
            }
        }
        return AnalysisTrack(grid: grid, frames: frames)
    }

    var otherEffects: [String] { Self.others.map(\.id) + ["other.broken"] }

    func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] {
        Dictionary(uniqueKeysWithValues: fonts.filter { $0.name == "No Such Font" }.map { ($0, "DejaVu Sans") })
    }

    func log(_ line: String) { lines.append(line) }
}

/// Runs `text` as `edit.lua` in a folder of its own. Messages name the script `edit.lua`.
@discardableResult
func run(
    _ text: String, set parameters: [String: some Given] = [String: String](), limits: ScriptLimits = ScriptLimits(),
    files: [String: String] = [:],
    environment: TestEnvironment = TestEnvironment()
) throws -> ScriptResult {
    try TemporaryFolder.with { folder in
        for (name, text) in files { try folder.write(text, to: name) }
        try folder.write(text, to: "edit.lua")
        do throws(ScriptError) {
            return try Script.run(
                path: folder.file("edit.lua"), parameters: parameters.mapValues { $0.list }, limits: limits,
                environment: environment)
        } catch {
            var error = error
            error.object = error.object?.replacing(folder.path + "/", with: "")
            error.message = error.message.replacing(folder.path + "/", with: "")
            error.file = error.file?.replacing(folder.path + "/", with: "")
            error.traceback = error.traceback.map { $0.replacing(folder.path + "/", with: "") }
            throw error
        }
    }
}

/// The error that `text` ends with; nil where it ends well.
func failure(
    _ text: String, set parameters: [String: some Given] = [String: String](), limits: ScriptLimits = ScriptLimits(),
    files: [String: String] = [:]
) -> ScriptError? {
    do {
        try run(text, set: parameters, limits: limits, files: files)
        return nil
    } catch {
        return error as? ScriptError ?? ScriptError(.runtime, "\(error)")
    }
}

/// Lines before every script of a test: `draft` with two clips of 8 and 10 seconds.
let twoClips = """
    local cutroom = require "cutroom"; local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
    draft:add_clip("a.mp4", { id = "opening" }); draft:add_clip("b.mp4")

    """

/// What `--set` gives a parameter: a text, or several for a list.
protocol Given { var list: [String] { get } }
extension String: Given { var list: [String] { [self] } }
extension [String]: Given { var list: [String] { self } }
