import Composition
import Draft
import Jobs
import Media
import Messaging
import PluginHosting
import Values

/// An analyser at work: shows it the pictures of a file, in order, and takes its numbers.
final class AnalysisRun {
    private let job: AnalysisJob
    /// The nodes of the file's pictures, one for each frame of the job's grid.
    private let content: ContentNodes
    private let pictures: WindowCache
    private let view: PluginView
    private let instance: EffectInstance
    private let format: PluginFormat
    private let reach: FrameReach

    /// - Throws: where a file is not what it was, or the plugin cannot be used or refuses its
    ///   parameters.
    init(_ job: AnalysisJob, _ supplies: PictureSupplies) throws {
        self.job = job
        for file in [job.file] + job.files { try file.checkUnchanged() }
        reach = job.plugin.window ?? .none
        content = supplies.content(of: job.file, on: CanvasFit(size: job.grid.size, mode: .stretch)) {
            [grid = job.grid] in
            .before(grid.middle(of: $0), .forwards)
        }
        let shown = Switch<Surface>()
        shown.add(content.output, for: 0..<job.grid.frameCount)
        pictures = WindowCache(shown, reach: reach, past: .ends)
        let loaded = try supplies.plugins.effect(job.effect.effectID, in: job.plugin)
        guard let format = loaded.pictureFormat() else {
            throw JobFailure(
                .plugin, "The analyser ‘\(job.effect.effectID)’ of ‘\(job.plugin.path)’ looks at no pictures.")
        }
        self.format = format
        view = PluginView(format)
        var setup = PluginSetup(
            format: format, width: job.grid.size.width, height: job.grid.size.height, frameRate: job.grid.frameRate)
        setup.isGuarded = supplies.plugins.isParanoid
        setup.values = job.effect.setupValues(loaded.descriptor)
        // Its own instance: a shared one could be at any position.
        instance = try loaded.makeInstance(setup)
    }

    /// The numbers of a frame; to be asked for in order.
    func frame(_ index: Int) throws -> [String: [Double]] {
        guard let window = try pictures.window(around: index, reach) else {
            throw JobFailure(.internal, "frame \(index) lies outside the analysis")
        }
        let frames = try view.show([window])[0].enumerated().map { place, picture in
            picture.map { stamped($0.lent(.canvas(format)), index + place - reach.before) }
        }
        var call = FrameCall(inputs: [FrameWindow(frames: frames, before: reach.before)], output: nil)
        call.time = Time(frame: index, rate: job.grid.frameRate)
        call.timelineTime = call.time
        call.duration = Time(frame: job.grid.frameCount, rate: job.grid.frameRate)
        call.values = job.effect.values(at: call.time, instance.descriptor)
        call.index = index
        call.seed = job.effect.seed(index, name: nil)
        call.isDiscontinuity = index == 0
        return try instance.analyse(call)
    }

    private func stamped(_ lent: PluginFrame, _ index: Int) -> PluginFrame {
        var frame = lent
        frame.index = index
        frame.time = Time(frame: index, rate: job.grid.frameRate)
        frame.duration = Time(frame: 1, rate: job.grid.frameRate)
        return frame
    }

    /// Gives the decoder back to the pool.
    func close() { for part in content.parts { part.close() } }
}

extension AnalysisJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.analyse(self) }
}

extension WorkerContext {
    func analyse(_ job: AnalysisJob) throws -> AnalysisTrack {
        let run = try AnalysisRun(job, supplies)
        defer { run.close() }
        var track = AnalysisTrack(grid: job.grid)
        var cost = 0
        for index in 0..<job.grid.frameCount {
            try progress(done: index, total: job.grid.frameCount)
            let numbers = try run.frame(index)
            cost += AnalysisTrack.cost(of: numbers)
            guard cost <= Analysis.largestTrack else {
                throw JobFailure(
                    .input,
                    "‘\(job.effect.effectID)’ gives more numbers than a script can hold (\(Analysis.largestTrack >> 20) MB after "
                        + "\(index) of \(job.grid.frameCount) frames); give a shorter ‘range’ or a lower ‘fps’.")
            }
            track.frames.append(numbers)
        }
        try checkUnchanged([job.file] + job.files)
        return track
    }
}
