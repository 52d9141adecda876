import Foundation
import Testing

/// A Chromium without a window, driven by its own protocol over two pipes: no port, no driver in
/// between.
///
///     let browser = try Chromium()
///     try browser.open("http://127.0.0.1:8000/")
///     try browser.wait("document.readyState == 'complete'")
///
/// It is for one test and one thread. It ends with its last reference, and leaves nothing behind.
public final class Chromium {
    public static let isPresent = Command.isInstalled("chromium")
    public static let absence: Comment = "chromium is not installed"

    public struct Failure: Error, CustomStringConvertible {
        public var description: String

        public init(description: String) { self.description = description }
    }

    /// Errors of the page's scripts, refusals of its policy, and what it failed to load, as the
    /// browser tells of them.
    public private(set) var complaints: [String] = []
    /// Whether the page lacks a script or a style, as the machine's network changed while they were
    /// loaded: Chromium then drops what it is loading, and other tests make networks meanwhile.
    var lacksParts = false

    private let profile: TemporaryFolder
    private let child: Child
    private let (input, output): (Int32, Int32)
    private var number = 0
    private var session: String?
    private var buffer = Data()

    /// - Parameters:
    ///   - isDark: whether the page is told that its reader likes it dark.
    ///   - isPhone: whether it is a screen that is touched.
    ///   - hasDevices: whether there is a camera and a microphone, which make up what they record,
    ///     and which every page may use.
    ///   - desk: the environment of a screen and a sound server. The browser has a window there,
    ///     and every page may record both.
    ///   - arguments: more of them.
    public init(
        width: Int = 1280, height: Int = 720, isDark: Bool = false, isPhone: Bool = false, hasDevices: Bool = false,
        desk: [String: String?]? = nil, arguments: [String] = []
    ) throws {
        profile = try TemporaryFolder()
        let (toBrowser, fromBrowser) = (try Self.ends(), try Self.ends())
        (input, output) = (toBrowser.write, fromBrowser.read)
        defer {
            close(toBrowser.read)
            close(fromBrowser.write)
        }
        child = try Self.spawn(
            profile, (hasDevices ? Self.devices : []) + (desk == nil ? ["--headless=new"] : Self.screen) + arguments,
            desk ?? [:], reading: toBrowser.read, writing: fromBrowser.write)
        if desk != nil {
            try call("Browser.grantPermissions", ["permissions": ["audioCapture", "videoCapture", "displayCapture"]])
        }
        let targets = try call("Target.getTargets")["targetInfos"] as? [[String: Any]] ?? []
        var page = targets.first { $0["type"] as? String == "page" }?["targetId"] as? String
        if page == nil { page = try call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String }
        session = try call("Target.attachToTarget", ["targetId": page ?? "", "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
        try resize(width: width, height: height, isPhone: isPhone)
        try prefer(["prefers-color-scheme": isDark ? "dark" : "light"])
    }

    deinit {
        child.send(SIGKILL, toGroup: true)
        _ = child.wait(until: nil)
        close(input)
        close(output)
    }

    /// Sends a signal to all its processes. Nothing can be asked after one that ends or stops them.
    public func send(_ signal: Int32) { child.send(signal, toGroup: true) }

    /// Its processes' memory in bytes, of the pages' alone: what a page leaks, it leaks there.
    public var pageMemory: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.reduce(0) { sum, process in
            let line = String(
                decoding: FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data(), as: UTF8.self)
            guard line.contains("--type=renderer"), line.contains(profile.path) || getpgid(process) == child.pid else {
                return sum
            }
            let pages = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8))?
                .split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return sum + (pages ?? 0) * Int(getpagesize())
        }
    }

    // MARK: The protocol

    /// Asks one thing, and waits for the answer.
    @discardableResult
    public func call(_ method: String, _ parameters: [String: Any] = [:], timeout: Double = 60) throws -> [String: Any]
    {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        try send(JSONSerialization.data(withJSONObject: message) + [0])
        let end = ContinuousClock.now + .seconds(timeout)
        while true {
            guard let answer = try receive(until: end) else { throw Failure(description: "\(method): no answer") }
            guard answer["id"] as? Int == number else {
                note(answer)
                continue
            }
            if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func note(_ event: [String: Any]) {
        let parameters = event["params"] as? [String: Any] ?? [:]
        switch event["method"] as? String {
        case "Runtime.exceptionThrown":
            let details = parameters["exceptionDetails"] as? [String: Any]
            let exception = details?["exception"] as? [String: Any]
            complaints.append("\(exception?["description"] ?? details?["text"] ?? "an exception")")
        case "Log.entryAdded":
            let entry = parameters["entry"] as? [String: Any] ?? [:]
            guard entry["level"] as? String == "error" else { break }
            let (text, url) = (entry["text"] as? String ?? "", entry["url"] as? String ?? "")
            guard text.contains("net::ERR_NETWORK_CHANGED") else {
                complaints.append("\(text) \(url)")
                break
            }
            if url.hasSuffix(".js") || url.hasSuffix(".css") { lacksParts = true }
        default: break
        }
    }

    private func send(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(input, rest.baseAddress, rest.count)
                guard count > 0 else { throw Failure(description: "the browser has ended") }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }

    private func receive(until end: ContinuousClock.Instant) throws -> [String: Any]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let zero = buffer.firstIndex(of: 0) {
                let message = try JSONSerialization.jsonObject(with: buffer[buffer.startIndex..<zero])
                buffer = Data(buffer[buffer.index(after: zero)...])
                return message as? [String: Any]
            }
            let rest = ContinuousClock.now.duration(to: end).components
            guard rest.seconds >= 0, rest.attoseconds >= 0 else { return nil }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, Int32(min(1000, rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000 + 1)))
            guard waiting.revents != 0 else { continue }
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { throw Failure(description: "the browser has ended") }
            buffer += chunk[..<count]
        }
    }

    // MARK: The process

    private static func ends() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        // Away from 3 and 4, under which the browser looks for them.
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        ends.forEach { close($0) }
        return (moved[0], moved[1])
    }

    private static let devices = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]

    private static let screen = ["--auto-select-desktop-capture-source=Entire screen"]

    private static func spawn(
        _ profile: TemporaryFolder, _ options: [String], _ environment: [String: String?], reading: Int32,
        writing: Int32
    ) throws -> Child {
        let arguments =
            [
                "chromium", "--remote-debugging-pipe", "--user-data-dir=\(profile.path)",
                "--no-sandbox",
                "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--disable-extensions", "--mute-audio", "--autoplay-policy=no-user-gesture-required",
                "--force-color-profile=srgb", "--enable-precise-memory-info",
            ] + options + ["about:blank"]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [0, 1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, reading, 3)
        posix_spawn_file_actions_adddup2(&actions, writing, 4)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        // Temporary files of a killed browser are removed together with the profile.
        let own = ["HOME": profile.path, "TMPDIR": profile.path]
        let variables = ProcessInfo.processInfo.environment.merging(own) { $1 }
            .merging(environment.compactMapValues(\.self)) { $1 }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw Failure(description: "chromium: \(String(cString: strerror(code)))") }
        return Child(child)
    }
}
