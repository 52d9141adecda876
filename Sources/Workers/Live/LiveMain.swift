import CPosix
import Composition
import Files
import Foundation
import Glibc
import Media
import Messaging
import Recording
import Text

/// A process that puts the effects of a recording on its live pictures. Pictures come on standard
/// input and go out on standard output, each with a header before it. The recorder, which starts
/// it, continues without it if it crashes or is too slow.
struct LiveMain {
    private let folder: LiveFolder
    private let plan: LivePlan
    private let source = LiveSource()
    private let worker: WorkerContext
    private let output: Int32

    /// Runs until the recorder closes the input.
    static func run(_ folder: LiveFolder) -> Never {
        // Pictures only: libraries and plugins print to both.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard output >= 0, null >= 0 else { _exit(71) }
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, standard) }
        _ = cposix_die_with_parent()
        signal(SIGPIPE, SIG_IGN)
        _ = Isolation.enter(own: folder.path, connects: false)
        TitleRasterizer.prepareProcess()
        // Before any plugin brings libraries along.
        _ = MediaLibraries.versions
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.plan))
            let live = LiveMain(folder, try JSONDecoder().decode(LivePlan.self, from: data), output)
            try live.run()
            _exit(0)
        } catch {
            let failure = (error as? any JobFailureConvertible)?.jobFailure
            let complaint = LiveComplaint(
                failure?.message ?? "\(error)", library: failure?.blame?.path, effectID: failure?.blame?.effectID)
            try? JSONEncoder().encode(complaint).write(to: URL(fileURLWithPath: folder.complaint))
            _exit(70)
        }
    }

    private init(_ folder: LiveFolder, _ plan: LivePlan, _ output: Int32) {
        (self.folder, self.plan, self.output) = (folder, plan, output)
        worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.breadcrumb))
    }

    private func run() throws {
        let (width, height) = (plan.slice.size.width, plan.slice.size.height)
        var supplies = worker.supplies
        supplies.live = source
        ThreadPool.shared.width = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))
        // With the first frame of each, something may be opened.
        let beginnings = Set(plan.slice.instructions.map { $0.range.frames(rate: plan.slice.frameRate).lowerBound })
        var graph: PictureGraph?
        var number = 0
        while let header = LiveHeader.read(from: STDIN_FILENO) {
            let picture = try Picture(width: width, height: height, format: .yuv420p)
            guard picture.read(from: STDIN_FILENO) else { return }
            if number >= plan.slice.frameCount {
                graph?.close()
                (graph, number) = (nil, 0)
            }
            let current = try graph ?? PictureGraph(plan.slice, firstFrame: 0, supplies)
            graph = current
            source.picture = picture
            if beginnings.contains(number), !LiveHeader.opening.write(to: output) { return }
            let made = try current.frame(number)
            number += 1
            guard sendWarnings() else { return }
            guard header.write(to: output), made.write(to: output) else { return }
        }
        graph?.close()
    }

    /// Sends what plugins have warned of.
    /// - Returns: false if the recorder is gone.
    private func sendWarnings() -> Bool {
        for text in worker.plugins.changes.take() + worker.plugins.warnings.take() {
            let sentence = text.prefix(1).uppercased() + text.dropFirst()
            let bytes = Array(sentence.utf8.prefix(Int(LiveHeader.longestWarning)))
            guard LiveHeader.warning(bytes: bytes.count).write(to: output), writeAll(bytes, to: output) else {
                return false
            }
        }
        return true
    }
}
