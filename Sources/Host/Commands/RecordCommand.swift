import ArgumentParser
import CPosix
import Foundation
import HostCore
import Recording
import RecordingHost
import Values

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record takes into a draft.",
        discussion: """
            Each take becomes a clip of the draft, and a file in the folder of takes beside it. Recording starts at once. On a terminal,
            keys start, pause, finish and discard takes; Ctrl-C finishes the take and ends.
            """)

    @Argument(
        help: ArgumentHelp("The draft, a .cutroom file. If it exists, takes are appended.", valueName: "draft"),
        completion: .file(extensions: ["cutroom"]))
    var path: String?

    @Flag(help: "Show what there is to record from and what it can do, and record nothing. With --json, as JSON.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "The source of the picture: \(VideoSource.forms). Default: screen. Given twice, the second picture becomes a layer.",
            valueName: "source"))
    var video: [String] = []

    @Option(
        help: ArgumentHelp(
            "The source of the sound: \(AudioSource.forms). Default: default. Given more than once, each source gets a track.",
            valueName: "source"))
    var audio: [String] = []

    @Flag(help: "Mix all sources of sound into one track.")
    var mix = false

    @Option(
        help: ArgumentHelp(
            "The size of the recorded picture in pixels, even; the source's is scaled until it fills it, and cropped. Default: the source's.",
            valueName: "WIDTHxHEIGHT"))
    var size: String?

    @Option(help: ArgumentHelp("The frame rate that is asked of the source. Default: 30.", valueName: "rate"))
    var fps: String?

    @Flag(help: "Record the picture as in a mirror.")
    var mirror = false

    @Option(
        help: ArgumentHelp(
            "Turn the picture clockwise, before it is mirrored: 90, 180 or 270. Default: 0.", valueName: "degrees"))
    var rotate = 0

    @Flag(name: .customLong("no-cursor"), help: "Leave the mouse pointer out of screens and windows.")
    var hidesPointer = false

    @Option(
        help: ArgumentHelp(
            "Sound that is played while takes are recorded, and that the draft gets as an audio clip: a file, or ‘none’ to remove it. Default: the draft's.",
            valueName: "file"))
    var background: String?

    @Option(
        name: .customLong("background-range"),
        help: ArgumentHelp("The part of the background that is played. Default: all.", valueName: "START,DURATION"))
    var backgroundRange: String?

    @Option(
        name: .customLong("background-volume"),
        help: ArgumentHelp("The volume of the background. Default: 1.", valueName: "factor"))
    var backgroundVolume = 1.0

    @Flag(name: .customLong("background-loop"), help: "Repeat the background until the draft ends.")
    var backgroundLoops = false

    @Option(
        help: ArgumentHelp(
            "Where the background is heard: \(SoundOutput.forms). Default: default.", valueName: "output"))
    var playback = "default"

    @Option(
        name: .customLong("max-duration"),
        help: ArgumentHelp("End when all takes together, after their speeds, are this long.", valueName: "seconds"))
    var maximumDuration: Double?

    @Option(
        name: .customLong("max-size"),
        help: ArgumentHelp("End when the files of all takes together have this size.", valueName: "megabytes"))
    var maximumSize: Int?

    @Option(
        name: .customLong("min-free"),
        help: ArgumentHelp("End when the disk has less free space than this. Default: 256.", valueName: "megabytes"))
    var minimumFree = 256

    @Option(help: ArgumentHelp("The speed of the take's clip. Default: 1.", valueName: "factor"))
    var speed = 1.0

    @Option(help: ArgumentHelp("The volume of the take's clip. Default: 1.", valueName: "factor"))
    var volume = 1.0

    @Option(help: ArgumentHelp("The take that the first one replaces, by its number.", valueName: "take"))
    var replace: Int?

    @Flag(help: "Open the sources and wait for a key or a command.")
    var wait = false

    @Flag(help: "Read commands from standard input and print events, as one JSON object per line.")
    var json = false

    @Flag(help: "Only turn what a crash left behind into clips, and record nothing.")
    var recover = false

    @OptionGroup(title: "Encoding") var encoding: RecordOptions
    @OptionGroup(title: "Live effects") var effects: RecordEffects

    func validate() throws {
        if list {
            guard path == nil else {
                throw ValidationError("‘--list’ records nothing: leave ‘\(path ?? "")’ out.")
            }
            return
        }
        guard let path else {
            throw ValidationError("Name the draft that takes are recorded into, such as ‘talk.cutroom’.")
        }
        guard path.lowercased().hasSuffix(".cutroom") else {
            throw ValidationError("‘\(path)’ must be the name of a draft, such as ‘talk.cutroom’.")
        }
        for source in video where source != "none" && VideoSource(source) == nil {
            throw ValidationError("‘--video \(source)’ must be \(VideoSource.forms).")
        }
        guard video.count < 2 || !video.contains("none") else {
            throw ValidationError("‘--video none’ must be the only ‘--video’.")
        }
        guard video.count <= 2 else { throw ValidationError("A take has at most two sources of pictures.") }
        // One of them would find the device busy, or get half of what is in the pipe.
        let sources = video.compactMap { VideoSource($0) }
        if sources.count == 2, sources[0].excludes(sources[1]) {
            throw ValidationError(
                "The two ‘--video’ may name the same source, which can be recorded only once; name different ones.")
        }
        guard video != ["none"] || audio != ["none"] else {
            throw ValidationError("There is nothing to record: name a source with ‘--video’ or ‘--audio’.")
        }
        for source in audio where source != "none" && AudioSource(source) == nil {
            throw ValidationError("‘--audio \(source)’ must be \(AudioSource.forms).")
        }
        guard audio.count < 2 || !audio.contains("none") else {
            throw ValidationError("‘--audio none’ must be the only ‘--audio’.")
        }
        guard audio.count <= Self.mostSounds else {
            throw ValidationError("A take has at most \(Self.mostSounds) sources of sound.")
        }
        guard size == nil || recordedSize != nil else {
            throw ValidationError("‘--size \(size ?? "")’ must be two even numbers of 16 to 16384, such as 1280x720.")
        }
        if let script = effects.script, script != "none" {
            guard size == nil else { throw ValidationError("The script sets the size; omit ‘--size’.") }
            guard video != ["none"] else {
                throw ValidationError("‘--script’ has effects on a picture, but ‘--video none’ records none.")
            }
            guard !recover else { throw ValidationError("‘--recover’ records nothing; omit ‘--script’.") }
        }
        guard [0, 90, 180, 270].contains(rotate) else {
            throw ValidationError("‘--rotate’ must be 0, 90, 180 or 270.")
        }
        guard frameRate != nil else {
            throw ValidationError("‘--fps \(fps ?? "")’ must be 1 to 240, or a fraction such as 30000/1001.")
        }
        guard playback == "none" || SoundOutput(playback) != nil else {
            throw ValidationError("‘--playback \(playback)’ must be \(SoundOutput.forms).")
        }
        guard TakeSettings.volumes.contains(backgroundVolume) else {
            throw ValidationError("‘--background-volume’ must be 0 to 100.")
        }
        guard backgroundRange == nil || playedRange != nil else {
            throw ValidationError(
                "‘--background-range \(backgroundRange ?? "")’ must be a start and a duration in seconds, such as 10,30."
            )
        }
        guard TakeSettings.speeds.contains(speed) else { throw ValidationError("‘--speed’ must be 0.01 to 100.") }
        guard TakeSettings.volumes.contains(volume) else { throw ValidationError("‘--volume’ must be 0 to 100.") }
        guard maximumSize.map({ (1...Self.mostMegabytes).contains($0) }) ?? true else {
            throw ValidationError("‘--max-size’ must be 1 to \(Self.mostMegabytes) megabytes.")
        }
        guard (0...Self.mostMegabytes).contains(minimumFree) else {
            throw ValidationError("‘--min-free’ must be 0 to \(Self.mostMegabytes) megabytes.")
        }
        guard !wait || json || RecordKeys.areThere else {
            throw ValidationError("‘--wait’ needs a terminal, or ‘--json’: nothing else could start a take.")
        }
        guard maximumDuration.map({ $0 > 0 && $0 <= Time.longest.seconds }) ?? true else {
            throw ValidationError("‘--max-duration’ must be more than 0 seconds, and at most 100 days.")
        }
    }

    private static let mostMegabytes = 1_000_000_000
    private static let mostSounds = 8

    /// The size that was asked for; nil for a wrong one.
    private var recordedSize: (width: Int, height: Int)? {
        size.flatMap { SourceText.size($0) }.flatMap { $0.width % 2 == 0 && $0.height % 2 == 0 ? $0 : nil }
    }

    /// The range that was asked for; nil for a wrong one.
    private var playedRange: TimeRange? {
        let numbers = (backgroundRange ?? "").split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 2, let start = numbers[0].flatMap({ Time(seconds: $0) }), start >= .zero,
            let duration = numbers[1].flatMap({ Time(seconds: $0) }), duration > .zero, start + duration <= .longest
        else { return nil }
        return TimeRange(start: start, duration: duration)
    }

    /// The rate that was asked for; nil for a wrong one.
    private var frameRate: Rational? {
        guard let fps else { return Rational(30) }
        let rate = fps.contains("/") ? Rational(fps) : Double(fps).flatMap { Rational($0) }
        return rate.flatMap { $0 >= Rational(1) && $0 <= Rational(240) ? $0 : nil }
    }

    func run() async throws {
        try await reportingErrors(verbose: effects.farm.verbose) {
            // A recorder or a terminal that is gone is an error of its own, not a signal.
            signal(SIGPIPE, SIG_IGN)
            guard let path else { return DeviceListing(try FoundDevices.ask()).say(asJSON: json) }
            let written = absolutePath(path, in: FileManager.default.currentDirectoryPath)
            let draft = realPath(written) ?? written
            let recorded = RecordedDraft(path: draft)
            // A draft that cannot be read is an error before anything is recorded.
            _ = try recorded.read()
            let folder = try TakeFolder(draft: draft)
            let usesEffects = !recover && video != ["none"] || effects.script == "none"
            let live = usesEffects ? try await effects.load(folder, frameRate: fps == nil ? nil : frameRate) : nil
            defer { live?.list.close() }
            guard live == nil || size == nil else {
                throw HostError(
                    .usage,
                    "The effects of the last recording set the size; omit ‘--size’, or omit them with ‘--script none’.")
            }
            if let background { try set(background, in: recorded, folder) }
            let session = RecordSession(
                path: path, folder: folder.path, style: json ? .json : RecordKeys.areThere && !recover ? .keys : .plain,
                recovers: recover)
            let settings = TakeSettings(speed: Rational(speed) ?? .one, volume: volume)
            let limits = Recording.Limits(
                duration: maximumDuration.flatMap { Time(seconds: $0) },
                size: maximumSize.map { Int64($0) * 1_000_000 }, free: Int64(minimumFree) * 1_000_000)
            var request = SourceRequest(
                video: VideoSource(video.first ?? "screen"),
                audio: (audio.isEmpty ? ["default"] : audio).compactMap { AudioSource($0) },
                mixes: mix,
                width: recordedSize?.width, height: recordedSize?.height, frameRate: fps == nil ? nil : frameRate,
                hasPointer: !hidesPointer, isMirrored: mirror, encoding: encoding.encoding,
                compromises: encoding.compromises)
            request.second = video.count > 1 ? VideoSource(video[1]) : nil
            request.degrees = rotate
            if let live {
                (request.width, request.height, request.isScaled) = (live.size.width, live.size.height, true)
                // A camera has the rate that it has.
                if fps == nil, case .camera? = request.video {} else { request.frameRate = live.frameRate }
            }
            let driver = try RecordingDriver(
                folder: folder, draft: recorded, request: request, playback: SoundOutput(playback), effects: live?.list,
                limits: limits, settings: settings, replacing: replace,
                onNotice: session.notice, onProgress: session.progress)
            try await session.run(driver, recover ? .close : wait ? .open : .start)
        }
    }

    /// Sets the background before anything is recorded.
    private func set(_ file: String, in draft: RecordedDraft, _ folder: TakeFolder) throws(HostError) {
        let takes = TakeList(try folder.records()).takes
        guard takes.allSatisfy({ $0.kept == nil && $0.state != .unjoined }) else {
            throw HostError(
                .usage,
                "‘\(self.path ?? draft.path)’ has takes, which belong to its background; discard them, or leave ‘--background’ out."
            )
        }
        guard file != "none" else { return try draft.set(nil) }
        try draft.set(
            Background(
                path: absolutePath(file, in: FileManager.default.currentDirectoryPath), range: playedRange,
                volume: backgroundVolume, loops: backgroundLoops))
    }
}
