import FoundationEssentials
import Glibc
import Messaging
import Synchronization

struct FixtureHandler: JobHandler {
    let launch: WorkerLaunch

    struct Unexpected: Error {}

    func run(kind: String, payload: Data, context: JobContext) throws -> Data {
        let text = String(decoding: payload, as: UTF8.self)
        let number = Int32(text) ?? 0
        switch kind {
        case "echo": return payload
        case "whoami": return Data("\(launch.worker) \(getpid())".utf8)
        case "warning": context.warn(text)
        case "run-name": return Data(context.runName.utf8)
        case "sleep":  // milliseconds, with pulses and progress
            for step in 0..<max(1, Int(number) / 5) {
                try context.progress(done: step, total: Int(number) / 5)
                SystemThread.pause(.milliseconds(5))
            }
            return Data("\(launch.worker) \(getpid())".utf8)
        case "until":  // payload: a file whose coming ends the job
            while access(text, F_OK) != 0 {
                try context.progress(done: context.progress.done + 1, total: 0)
                SystemThread.pause(.milliseconds(5))
            }
            return Data("\(launch.worker) \(getpid())".utf8)
        case "crash":
            note("about to crash by signal \(number)")
            raise(number)
        case "crash-in-plugin":
            let trail = BreadcrumbWriter(breadcrumbPath: launch.breadcrumb)
            trail?.write(
                Breadcrumb(phase: .process, path: "/plugins/bad.so", plugin: "bad", effectID: "org.bad", frame: 12))
            raise(SIGSEGV)
        case "sleep-in-plugin":  // milliseconds in one call, without a pulse
            inPlugin { SystemThread.pause(.milliseconds(Int(number))) }
        case "work-in-plugin":  // milliseconds of arithmetic in one call, without a pulse; 0: for ever
            inPlugin {
                let start = SuspendingClock.now
                var sum: UInt64 = 1
                while number == 0 || SuspendingClock.now - start < .milliseconds(Int(number)) {
                    for step in 0..<100_000 as Range<UInt64> { sum = (sum ^ step) &* 0x100_0000_01b3 }
                }
                precondition(sum != 0)
            }
        case "signal-in-plugin": inPlugin { _ = raise(number) }
        case "exit-in-plugin": inPlugin { exit(number) }
        case "crash-with-fault":  // payload: what it notes of the fault
            try payload.write(to: URL(filePath: launch.fault))
            raise(SIGSEGV)
        case "crash-among-pipes":  // what the host reads after a crash is pipes without another end
            for path in [launch.breadcrumb, launch.fault, launch.directory + "/stderr"] {
                unlink(path)
                mkfifo(path, 0o600)
            }
            raise(SIGSEGV)
        case "crash-once":  // payload: a file that the first run leaves behind
            if access(text, F_OK) != 0 {
                close(creat(text, 0o600))
                raise(SIGABRT)
            }
            return Data("survived".utf8)
        case "note-rest": RestNote.path.withLock { $0 = text }  // payload: a file that is made by a rest
        case "exit": exit(number)
        case "hang":  // no pulse
            while true { SystemThread.pause(.seconds(1)) }
        case "stall":  // pulses, no progress
            while true {
                try context.pulse()
                SystemThread.pause(.milliseconds(20))
            }
        case "steps":  // milliseconds; no unit is ever done, but steps are
            for _ in 0..<max(1, Int(number) / 20) {
                try context.step()
                SystemThread.pause(.milliseconds(20))
            }
        case "deaf":  // hears the cancellation and goes on
            while true {
                try? context.pulse()
                SystemThread.pause(.milliseconds(20))
            }
        case "stop-itself":  // SIGSTOP: silent until somebody continues or kills it
            raise(SIGSTOP)
            return Data("late".utf8)
        case "fail":
            throw JobFailure(
                JobFailure.Category(rawValue: text) ?? .internal, "It failed as asked.", details: ["cause"])
        case "throw": throw Unexpected()
        case "large": return Data(count: Int(number) << 20)
        case "scratch":
            let folder = try context.scratchDirectory()
            try payload.write(to: URL(filePath: folder + "/file-\(context.epoch)"))
            return Data(folder.utf8)
        case "decode":  // payload: what it says it decodes, for ever
            DecodedFile.current.withLock { $0 = text }
            while true { SystemThread.pause(.seconds(1)) }
        default: throw JobFailure(.input, "There is no kind of job named \(kind).")
        }
        return Data()
    }

    func rest() {
        if let path = RestNote.path.withLock({ $0.take() }) { close(creat(path, 0o600)) }
    }

    /// Leaves the note of a plugin's call during a body.
    private func inPlugin(_ body: () -> Void) {
        let trail = BreadcrumbWriter(breadcrumbPath: launch.breadcrumb)
        trail?.write(
            Breadcrumb(phase: .process, path: "/plugins/bad.so", plugin: "bad", effectID: "org.bad", frame: 12))
        body()
        trail?.clear()
    }
}

/// The file that the fixture's next rest makes.
enum RestNote {
    static let path = Mutex<String?>(nil)
}

/// What the fixture says that it decodes.
enum DecodedFile {
    static let current = Mutex<String?>(nil)
}
