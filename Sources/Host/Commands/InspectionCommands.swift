import ArgumentParser
import Composition
import Draft
import Foundation
import HostCore
import Messaging
import Values

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Print the composition of a draft and the jobs of its render.")

    @OptionGroup var input: DraftInput
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file that the render would write; only its extension matters. Default: as for render.",
            valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(help: "Print the whole plan as JSON; equal drafts give equal bytes.")
    var json = false
    @OptionGroup var extent: ExtentOptions
    @OptionGroup(title: "Export") var export: ExportOptions
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let (input, json, output, export, extent, caching) = (input, json, output, export, extent, caching)
        try await withSession(farm) { session in
            let named = try output.map(OutputFile.container(of:))
            try export.check(in: named)
            try extent.check(in: named)
            var draft = try await input.load(session, caching)
            try extent.restrict(&draft, session.catalog)
            let container = try named ?? export.applied(to: draft.export, in: named).usualContainer
            try export.change(&draft.export, in: container)
            try extent.check(in: container)
            let plan = try extent.scaled(
                RenderPlan(draft, catalog: session.catalog, container: container, libraries: session.libraries))
            Console.write(json ? plan.json : plan.forPeople, to: 1)
        }
    }
}

struct SaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Write the draft that a script builds to a document.")

    @OptionGroup var input: DraftInput
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The document to write, usually with the extension .cutroom.", valueName: "file"),
        completion: .file(extensions: ["cutroom"]))
    var output: String
    @Flag(name: [.long, .customShort("y")], help: "Replace the document if it exists.")
    var overwrite = false
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let (input, output, overwrite, caching) = (input, output, overwrite, caching)
        try await withSession(farm) { session in
            let file = try OutputFile(single: output, overwrites: overwrite)
            let draft = try await input.load(session, caching)
            try file.refuse(session.readFiles)
            let folder = (file.path as NSString).deletingLastPathComponent
            try file.write(Data(draft.document(in: folder).utf8))
            Console.say(file.path)
        }
    }
}

struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Show the streams and properties of media files.")

    @Argument(help: ArgumentHelp("The media files.", valueName: "file"), completion: .file())
    var files: [String]
    @Flag(help: "Print JSON: an object for one file, or a list of objects with their paths for several.")
    var json = false
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let (files, json) = (files, json)
        try await withSession(farm) { session in
            for reason in files.compactMap(urlRefusal).prefix(1) { throw HostError(.data, sentence(reason)) }
            let paths = files.map { absolutePath($0, in: FileManager.default.currentDirectoryPath) }
            var names = PathNames()
            for (path, file) in zip(paths, files) { names.note(path, written: file) }
            try await session.probe(Set(paths).map { DraftFile($0) })
            try Task.checkCancellation()
            if let failure = session.failure { throw failure }
            var (reports, failures) = ([Report](), [String]())
            for path in paths {
                switch session.catalog.media[path] {
                case .found(let info)?: reports.append(Report(path: path, info: info))
                case .unreadable(let reason)?:
                    reports.append(Report(path: path, failure: names.applied(to: reason)))
                    failures.append(names.applied(to: reason))
                case nil: throw HostError(.interrupted, "Stopped.")
                }
            }
            if json, paths.count > 1 || !failures.isEmpty {
                Console.say(
                    paths.count > 1 ? prettyJSON(reports, snakeCase: true) : prettyJSON(reports[0], snakeCase: true))
            } else {
                for report in reports {
                    guard let info = report.info else { continue }
                    if paths.count > 1 { Console.say(report.path) }
                    Console.say(json ? prettyJSON(info, snakeCase: true) : info.forPeople)
                }
            }
            if !failures.isEmpty { throw HostError(.data, failures) }
        }
    }

    /// The report of one of several files: either `info` or `failure` is present.
    private struct Report: Encodable {
        var path: String
        var info: MediaInfo?
        var failure: String?
    }
}

extension RenderPlan {
    /// One line for the composition and one for each job.
    var forPeople: String {
        let composition = composition
        var lines = [
            "\(composition.size)\(scaledSize.map { ", scaled to \($0)," } ?? "") at \(composition.frameRate.rateForPeople) fps"
                + "\(composition.color.isHDR ? " in \(composition.color.name)" : ""), "
                + "\(counted(composition.frameCount, "frame", "frames")) (\(composition.duration.forPeople) s), "
                + "\(counted(composition.instructions.count, "instruction", "instructions")), "
                + counted(composition.files.count, "source", "sources")
        ]
        for segment in segments {
            let end = segment.firstFrame + segment.frameCount
            lines.append(
                "segment \(segment.index): frames \(segment.firstFrame)–\(end - 1), key \(segment.key.prefix(12))")
        }
        let rate = Rational(Int64(audio?.sampleRate ?? 48_000))
        for run in runs {
            let (start, end) = (
                Time(frame: run.firstSample, rate: rate), Time(frame: run.firstSample + run.sampleCount, rate: rate)
            )
            lines.append(
                "run \(run.index): sound from \(start.forPeople) s to \(end.forPeople) s, key \(run.key.prefix(12))")
        }
        if let soundKey, let audio {
            let channels = audio.channels == 1 ? "1 channel" : "\(audio.channels) channels"
            lines.append(
                "sound: \(audio.codec.rawValue), \(channels) at \(audio.sampleRate) Hz, \(counted(sampleCount ?? 0, "sample", "samples")), "
                    + "\(counted(composition.sound.count, "span", "spans")) in \(counted(runs.count, "run", "runs")), key \(soundKey.prefix(12))"
            )
        }
        if let target = composition.loudness, soundKey != nil {
            lines.append(
                "loudness: the sound job measures the mix and normalizes it to \(Value.number(target.integrated).forPeople) LUFS, with true peaks "
                    + "up to \(Value.number(target.truePeak).forPeople) dBTP")
        }
        if let bitRate {
            lines.append(
                "rate: the render searches for the quality at which the picture takes \(bitRate / 1000) kbit/s")
        }
        lines.append("assemble: \(container.rawValue)\(indexFirst ? ", index first" : "")")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MediaInfo {
    var forPeople: String {
        var lines = ["\(kind.rawValue) (\(format)), \(identity.size) bytes"]
        if let video {
            var line = "picture: \(video.codec), \(video.width)×\(video.height)"
            if kind != .image { line += ", \(video.frameRate.rateForPeople) fps, \(video.duration.forPeople) s" }
            if video.rotation != 0 { line += ", rotated by \(video.rotation)°" }
            if video.hasAlpha { line += ", with alpha" }
            if let hdr = video.hdr { line += ", \(hdr.name)" + (video.peak.map { " up to \($0) cd/m²" } ?? "") }
            if let rate = video.bitRate, kind != .image { line += ", \(rate / 1000) kbit/s" }
            lines.append(line)
        }
        for (index, track) in audioTracks.enumerated() {
            var line =
                audioTracks.count == 1
                ? "sound: " : "sound track \(index + 1)\(track == audio ? " (default)" : ""): "
            line +=
                "\(track.codec), \(track.sampleRate) Hz, \(track.channels == 1 ? "1 channel" : "\(track.channels) channels"), \(track.duration.forPeople) s"
            if let rate = track.bitRate { line += ", \(rate / 1000) kbit/s" }
            if track.hasNoLayout == true { line += ", no channel layout" }
            if let level = track.level { line += ", played at \(Value.number(level).forPeople) times its level" }
            if let language = track.language { line += ", \(language)" }
            if let title = track.title { line += ", ‘\(title)’" }
            lines.append(line)
        }
        if let subtitles {
            lines.append("subtitles: \(counted(subtitles.cues.count, "cue", "cues")), \(duration.forPeople) s")
            lines += subtitles.remarks
        }
        if let cutOff { lines.append("cut off: \(cutOff)") }
        if let breaks { lines.append("damaged: \(breaks.forPeople)") }
        if let tail { lines.append("not read: the bytes from \(tail) on, after the end of the media") }
        lines += unreadableStreams.map { "left out: \($0.forPeople)" }
        if let joints = joints?.forPeople { lines.append("joined: \(joints)") }
        return lines.joined(separator: "\n")
    }
}
