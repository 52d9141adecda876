import Agent
import CFreshMemory
import CPosix
import Composition
import Foundation
import Jobs
import Media
import Messaging
import PluginCheck
import Recording
import Text

/// The worker process: serves one host until it is told to stop. It is started by `cutroom`, or by
/// a node's agent, which is the same program (`--connect`), and has no other connection.
@main
enum WorkerMain {
    static func main() {
        cutroom_fresh_memory_begin()
        if let launch = PluginCheckLaunch(arguments: Array(CommandLine.arguments.dropFirst())) {
            // It writes beside its report alone.
            let folder = (launch.report as NSString).deletingLastPathComponent
            let isolation = Isolation.enter(own: folder, connects: false)
            _exit(PluginChecker.run(launch, isolation: isolation.description))
        }
        if let folder = LiveFolder(arguments: Array(CommandLine.arguments.dropFirst())) { LiveMain.run(folder) }
        guard let launch = WorkerLaunch(arguments: Array(CommandLine.arguments.dropFirst())) else {
            exit(serveFarm())
        }
        noteMemoryAtDeath(launch)
        let isolation = Isolation.enter(own: launch.directory, writable: launch.writable, connects: true)
        TitleRasterizer.prepareProcess()
        // Before any plugin brings libraries along.
        _ = MediaLibraries.versions
        do {
            let session = try WorkerSession(launch, engine: Engine.version, isolation: isolation.description) {
                DecoderCalls.current.oldest
            }
            let ending = session.run(JobRunner(launch))
            if case .refused(let reason) = ending { complain("The host refused this worker: \(reason)") }
            // Static destructors of third-party libraries are not worth a crash at the end.
            _exit(ending.exitCode)
        } catch {
            complain("The worker cannot listen to \(launch.endpoint): \(error)")
            exit(69)
        }
    }

    /// What people start: a node of a farm, or help.
    private static func serveFarm() -> Int32 {
        let words = Array(CommandLine.arguments.dropFirst())
        guard !words.isEmpty else {
            complain(
                "cutroom-worker is started by cutroom; run ‘cutroom render’ instead. To work for a farm, see ‘cutroom-worker --help’."
            )
            return 64
        }
        if words.contains("--version") {
            print("cutroom-worker \(Engine.version)")
            return 0
        }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return AgentCommand.main(words, engine: Engine.version, workerPath: program) { MemoryFault($0)?.what }
    }

    /// Where memory is limited, a crash may come of that.
    private static func noteMemoryAtDeath(_ launch: WorkerLaunch) {
        guard MemoryLimit.text != nil else { return }
        let note = open(launch.memory, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if note >= 0 { _ = cposix_note_memory_at_death(note) }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
