import Foundation
import TestSupport
import Testing

/// An X11 screen and a sound server of their own, without devices.
final class LiveDesk {
    /// Those of the screen and the sound server.
    private(set) var environment: [String: String?] = [:]
    let screen: Command
    let sound: Command
    private let folder: TemporaryFolder
    private var clients: [Command] = []

    /// The name of the sound server's only source: what its only sink plays.
    static let source = "desk.monitor"
    static let sink = "desk"

    static let absence: Comment = "Xvfb or pulseaudio is not installed"
    static var isPresent: Bool { Command.isInstalled("Xvfb") && Command.isInstalled("pulseaudio") }

    init(width: Int = 640, height: Int = 480) throws {
        folder = try TemporaryFolder()
        screen = try Command([
            "Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp", "-noreset",
        ])
        let own: [String: String?] = ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "DISPLAY": nil]
        sound = try Command(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "-L", "module-native-protocol-unix", "-L",
                "module-null-sink sink_name=desk rate=48000",
            ], environment: own)
        let (screen, socket) = (screen, folder.path + "/pulse/native")
        try #require(Command.until { screen.stdoutSoFar.hasSuffix("\n") }, "\(screen.stderrSoFar)")
        let display = screen.stdoutSoFar.trimmingCharacters(in: .whitespacesAndNewlines)
        try #require(
            Command.until { FileManager.default.fileExists(atPath: socket) }, "\(sound.stderrSoFar)")
        environment = ["DISPLAY": ":\(display)", "PULSE_SERVER": "unix:\(socket)"]
    }

    deinit {
        for command in clients + [screen, sound] { command.send(SIGKILL, toGroup: true) }
    }

    /// A studio whose programs use this screen and this sound server.
    func studio() throws -> Studio {
        let studio = try Studio()
        studio.environment = environment
        return studio
    }

    /// Shows a window that flashes each second, with a click.
    /// - Parameters:
    ///   - fifo: what gets the click in place of the sound server.
    ///   - parts: millionths by which the fifo's clock is fast.
    /// - Returns: its id.
    func flash(width: Int = 320, height: Int = 240, feeding fifo: String? = nil, fast parts: Int = 0) throws -> (
        id: String, client: Command
    ) {
        let client = try Command(
            ["python3", "-B", "Tests/EndToEndTests/Fixtures/flash.py", "\(width)", "\(height)"]
                + (fifo.map { [$0, "\(parts)"] } ?? []),
            environment: environment, in: Project.root)
        clients.append(client)
        try #require(Command.until { client.stdoutSoFar.hasSuffix("\n") }, "\(client.stderrSoFar)")
        return (client.stdoutSoFar.trimmingCharacters(in: .whitespacesAndNewlines), client)
    }
}

/// The flashes and clicks of a recording, in seconds.
struct FlashesAndClicks {
    let flashes: [Double]
    let clicks: [Double]

    init(of path: String) throws {
        flashes = try Self.flashes(of: path)
        clicks = try Self.clicks(of: path)
    }

    /// When the middle of the picture becomes bright.
    static func flashes(of path: String) throws -> [Double] {
        let frames = try FFmpeg.grayFrames(of: path, width: 8, height: 6)
        let entries = try FFmpeg.probe(path, "frame=pts_time").split(separator: "\n").compactMap { line in
            Double(line.trimmingCharacters(in: CharacterSet(charactersIn: ", \r")))
        }
        try #require(entries.count == frames.count, "\(entries.count) times of \(frames.count) frames")
        let bright = frames.map { $0[28] > 128 }
        return bright.indices.dropFirst().filter { bright[$0] && !bright[$0 - 1] }.map { index in
            // It happened between two frames.
            (entries[index] + entries[index - 1]) / 2
        }
    }

    /// When clicks are heard that are more than a quarter of a second apart.
    static func clicks(of path: String) throws -> [Double] {
        let samples = try FFmpeg.samples(of: path)
        var clicks: [Double] = []
        var last = -48_000
        for index in samples.indices where abs(samples[index]) > 0.4 {
            if index - last > 12_000 { clicks.append(Double(index) / 48_000) }
            last = index
        }
        return clicks
    }

    /// How much later than its flash each click is heard.
    var offsets: [Double] {
        flashes.compactMap { flash in
            clicks.map { $0 - flash }.min { abs($0) < abs($1) }.flatMap { abs($0) < 0.4 ? $0 : nil }
        }
    }
}
