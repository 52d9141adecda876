import FoundationEssentials
import Glibc
import Messaging
import Testing

@testable import Farm

/// Runs a test with a queue with real worker processes (`WorkerFixture`), in a folder of its own
/// that must be empty at the end.
func withQueue<Result>(
    workers: Int = 2, adjust: (inout JobQueue.Configuration) -> Void = { _ in },
    _ body: (JobQueue, _ folder: String) async throws -> Result
) async throws -> Result {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = JobQueue.Configuration(
        workers: workers, workerPath: fixturePath, engine: "test", runtimeDirectory: folder)
    // In a sanitized build a crash must stay a signal, and not become the sanitizer's own exit.
    for sanitizer in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
        configuration.environment[sanitizer] =
            "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
    }
    adjust(&configuration)
    let queue = try JobQueue(configuration: configuration)
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(queue, folder))
    } catch {
        result = .failure(error)
    }
    await queue.shutdown(graceful: true)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("cutroom-queue-") }
    #expect(left.isEmpty, "the queue left files behind")
    #expect(processes(mentioning: folder).isEmpty, "the queue left processes behind")
    return try result.get()
}

func makeFolder() throws -> String {
    var template = Array("/tmp/cutroom-farm-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The fixture is built beside the test program.
let fixturePath: String = {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)]) + "/WorkerFixture"
}()

/// Returns the ids of the processes, except zombies, with a text in their command line.
func processes(mentioning text: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { pid in
        guard pid != getpid(), let data = contents(of: "/proc/\(pid)/cmdline") else { return false }
        return String(decoding: data, as: UTF8.self).contains(text)
    }
}

/// Makes an empty file.
func touch(_ path: String) { close(creat(path, 0o600)) }

/// Reads a file of /proc to its end: such files report a size of 0.
func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return all }
        all += buffer.prefix(count)
    }
}

/// Waits until a condition holds; fails the test after half a minute.
func eventually(_ what: Comment, _ condition: () -> Bool) async throws {
    for _ in 0..<3000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never came true: \(what)")
    throw CancellationError()
}

/// The events of a call's `onEvent`.
final class EventLog: Sendable {
    private let list = Locked<[JobEvent]>([])
    var events: [JobEvent] { list.withLock { $0 } }
    func add(_ event: JobEvent) { list.withLock { $0.append(event) } }

    var retries: [String] { events.compactMap { if case .retrying(_, let reason) = $0 { reason } else { nil } } }
    var starts: Int { events.count { if case .started = $0 { true } else { false } } }
}

extension JobSpec {
    init(_ id: String, _ kind: String, _ payload: String = "") {
        self.init(id: JobID(id), kind: kind, payload: Data(payload.utf8))
    }
}

func text(_ data: Data?) -> String { String(decoding: data ?? Data(), as: UTF8.self) }
