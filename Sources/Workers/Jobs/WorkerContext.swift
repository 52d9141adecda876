import CPosix
import Composition
import Draft
import Foundation
import Media
import Messaging

/// What a worker keeps from job to job, and the job that it is doing.
final class WorkerContext {
    let video = ReaderPool<VideoReader>(idleLimit: 3)
    let sound = ReaderPool<AudioReader>(idleLimit: 2)
    let looks = LookCache()
    let stills = StillCache()
    let layerStills = LayerStills()
    let plugins: LoadedPlugins
    /// Damage that the current job meets; used only by the render thread while it works.
    let damage = DamageNotes()
    /// The folder into which the job writes; nil: none.
    private(set) var spillFolder: String?
    let renderThread = RenderThread()
    /// Where the render thread's pulses go while it works; its alone then.
    var ahead: RenderAhead? { didSet { plugins.watch.set(ahead) } }
    private var context: JobContext?

    init(plugins: LoadedPlugins) { self.plugins = plugins }

    func begin(_ context: JobContext) {
        self.context = context
        takeShare()
        _ = damage.take([])
        plugins.watch.begin(context)
    }

    func end() {
        (context, spillFolder) = (nil, nil)
        ThreadPool.shared.width = 1
        plugins.watch.end()
        // Decoders and encoders come and go with their large buffers; what is free is the system's
        // again.
        cposix_trim_memory()
    }

    /// Forgets the files that were left open for the next job.
    func closeReaders() {
        video.closeAll()
        sound.closeAll()
    }

    /// Gives back the disk space that is held for the next job.
    func freeDiskSpace() { video.close { $0.holdsDiskSpace } }

    /// Says that the work goes on, and throws where it is not wanted any more. To be called by the
    /// thread that works.
    /// - Parameter advances: a bounded piece of work was finished, which counts as progress.
    func pulse(advances: Bool) throws {
        if let ahead { try ahead.pulse(advances: advances) } else { try beat(advances: advances) }
    }

    /// The same, straight to the host: for the job's own thread alone.
    func beat(advances: Bool) throws {
        if advances { try context?.step() } else { try context?.pulse() }
        takeShare()
    }

    /// Takes as many threads as the host gives.
    private func takeShare() { if let context { ThreadPool.shared.width = context.threads } }

    /// Ends this worker after the running job.
    func endWorker() { context?.endWorker() }

    func progress(done: Int, total: Int) throws {
        try context?.progress(done: done, total: total)
        takeShare()
    }

    /// The name that this run of a job writes under: a run that was taken for lost can then not
    /// disturb its successor.
    func fenced(_ output: String) -> String { "\(output).\(context?.runName ?? "0")" }

    /// Lets frames that play backwards, and do not fit into memory, lie beside what the job writes.
    func spill(beside output: String) { spillFolder = (output as NSString).deletingLastPathComponent }

    /// For libav, which may call it while no job is running.
    var libavPulse: Pulse { { [weak self] in try self?.pulse(advances: $0) } }
}

extension MediaError: JobFailureConvertible {
    public var jobFailure: JobFailure {
        if code == .openFiles {
            return JobFailure(.unavailable, "A worker cannot open another file: \(reason).", details: chain)
        }
        if let lackOfMemory { return JobFailure(.resource, lackOfMemory, details: Array(chain.dropFirst())) }
        let category: JobFailure.Category =
            switch code {
            case .cancelled: .cancelled
            case _ where isOfTheMachine: .resource
            // For Cutroom's own files.
            case .encode, .mux, .wrongContent: .internal
            default: .input
            }
        return category == .cancelled
            ? Cancelled().jobFailure : JobFailure(category, description, details: Array(chain.dropFirst()))
    }
}
