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
            Each take becomes a clip of the draft, and a file in the folder of takes beside it. Recording starts at once. Press Ctrl-C
            to finish the take and end.
            """)

    @Argument(
        help: ArgumentHelp("The draft, a .cutroom file. If it exists, takes are appended.", valueName: "draft"),
        completion: .file(extensions: ["cutroom"]))
    var path: String

    @Option(
        help: ArgumentHelp("The source of the picture: \(VideoSource.forms). Default: screen.", valueName: "source"))
    var video = "screen"

    @Option(help: ArgumentHelp("The source of the sound: \(AudioSource.forms). Default: default.", valueName: "source"))
    var audio = "default"

    @Option(
        help: ArgumentHelp(
            "The size of the recorded picture in pixels, even. Default: the source's.", valueName: "WIDTHxHEIGHT"))
    var size: String?

    @Option(help: ArgumentHelp("The frame rate that is asked of the source. Default: 30.", valueName: "rate"))
    var fps: String?

    @Option(
        name: .customLong("max-duration"),
        help: ArgumentHelp("End when all takes together, after their speeds, are this long.", valueName: "seconds"))
    var maximumDuration: Double?

    @Option(help: ArgumentHelp("The speed of the take's clip. Default: 1.", valueName: "factor"))
    var speed = 1.0

    @Option(help: ArgumentHelp("The volume of the take's clip. Default: 1.", valueName: "factor"))
    var volume = 1.0

    @Flag(help: "Only turn what a crash left behind into clips, and record nothing.")
    var recover = false

    func validate() throws {
        guard path.lowercased().hasSuffix(".cutroom") else {
            throw ValidationError("‘\(path)’ must be the name of a draft, such as ‘talk.cutroom’.")
        }
        guard VideoSource(video) != nil else {
            throw ValidationError("‘--video \(video)’ must be \(VideoSource.forms).")
        }
        guard audio == "none" || AudioSource(audio) != nil else {
            throw ValidationError("‘--audio \(audio)’ must be \(AudioSource.forms).")
        }
        guard size == nil || recordedSize != nil else {
            throw ValidationError("‘--size \(size ?? "")’ must be two even numbers of 16 to 16384, such as 1280x720.")
        }
        guard frameRate != nil else {
            throw ValidationError("‘--fps \(fps ?? "")’ must be 1 to 240, or a fraction such as 30000/1001.")
        }
        guard speed >= 0.01, speed <= 100 else { throw ValidationError("‘--speed’ must be 0.01 to 100.") }
        guard volume >= 0, volume <= 100 else { throw ValidationError("‘--volume’ must be 0 to 100.") }
        guard maximumDuration.map({ $0 > 0 && $0 <= Time.longest.seconds }) ?? true else {
            throw ValidationError("‘--max-duration’ must be more than 0 seconds, and at most 100 days.")
        }
    }

    /// The size that was asked for; nil for a wrong one.
    private var recordedSize: (width: Int, height: Int)? {
        size.flatMap { SourceText.size($0) }.flatMap { $0.width % 2 == 0 && $0.height % 2 == 0 ? $0 : nil }
    }

    /// The rate that was asked for; nil for a wrong one.
    private var frameRate: Rational? {
        guard let fps else { return Rational(30) }
        let rate = fps.contains("/") ? Rational(fps) : Double(fps).flatMap { Rational($0) }
        return rate.flatMap { $0 >= Rational(1) && $0 <= Rational(240) ? $0 : nil }
    }

    func run() async throws {
        try await reportingErrors(verbose: false) {
            // A recorder or a terminal that is gone is an error of its own, not a signal.
            signal(SIGPIPE, SIG_IGN)
            let written = absolutePath(path, in: FileManager.default.currentDirectoryPath)
            let draft = realPath(written) ?? written
            let recorded = RecordedDraft(path: draft)
            // A draft that cannot be read is an error before anything is recorded.
            _ = try recorded.read()
            let folder = try TakeFolder(draft: draft)
            let session = RecordSession(path: path, recovers: recover)
            let settings = TakeSettings(speed: Rational(speed) ?? .one, volume: volume)
            let limits = Recording.Limits(duration: maximumDuration.flatMap { Time(seconds: $0) })
            let request = SourceRequest(
                video: VideoSource(video), audio: audio == "none" ? [] : [AudioSource(audio)].compactMap { $0 },
                width: recordedSize?.width, height: recordedSize?.height, frameRate: frameRate ?? Rational(30))
            let driver = try RecordingDriver(
                folder: folder, draft: recorded, request: request, limits: limits, settings: settings,
                onNotice: session.notice, onProgress: session.progress)
            try await session.run(driver)
        }
    }
}
