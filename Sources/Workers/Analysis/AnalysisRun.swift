import Composition
import Draft
import Jobs
import Media
import Messaging
import PluginHosting

/// An analyser at work: shows it the pictures of a file, in order, and takes its numbers.
final class AnalysisRun {
    private let job: AnalysisJob
    private let pictures: ClipPictures
    private let instance: EffectInstance
    private let format: PluginFormat
    private let reach: FrameReach
    /// The pictures around the current frame, by their frames' numbers.
    private var shown: [Int: PluginPicture] = [:]
    /// What the last picture was made from: several frames may show it.
    private var last: (canvas: Picture, picture: PluginPicture)?

    /// - Throws: where a file is not what it was, or the plugin cannot be used or refuses its parameters.
    init(_ job: AnalysisJob, _ workshop: Workshop) throws {
        self.job = job
        try workshop.checkUnchanged(job.files)
        pictures = try ClipPictures(job.file, size: job.grid.size, mode: .stretch, workshop)
        let loaded = try workshop.plugins.effect(job.effect.effectID, in: job.plugin)
        guard let format = loaded.pictureFormat() else {
            throw JobFailure(
                .plugin, "The analyser ‘\(job.effect.effectID)’ of ‘\(job.plugin.path)’ looks at no pictures.")
        }
        self.format = format
        reach = job.plugin.window ?? .none
        var setup = PluginSetup(
            format: format, width: job.grid.size.width, height: job.grid.size.height, frameRate: job.grid.frameRate)
        setup.isGuarded = workshop.plugins.isParanoid
        setup.values = job.effect.setupValues(loaded.descriptor)
        // Of its own: an instance that others share could be anywhere.
        instance = try loaded.makeInstance(setup)
    }

    /// The numbers of a frame; to be asked for in order.
    func frame(_ index: Int) throws -> [String: [Double]] {
        let window = index - reach.before...index + reach.after
        shown = shown.filter { window.contains($0.key) }
        for frame in window where shown[frame] == nil && (0..<job.grid.frameCount).contains(frame) {
            shown[frame] = try picture(frame)
        }
        let frames = window.map { frame in shown[frame].map { stamped($0.lent(.canvas(format)), frame) } }
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

    private func picture(_ frame: Int) throws -> PluginPicture {
        let canvas = try pictures.picture(before: job.grid.middle(of: frame), isReversed: false)
        if let last, last.canvas === canvas { return last.picture }
        let picture = try PluginPicture(format, like: canvas)
        picture.read(canvas)
        last = (canvas, picture)
        return picture
    }

    private func stamped(_ lent: PluginFrame, _ index: Int) -> PluginFrame {
        var frame = lent
        frame.index = index
        frame.time = Time(frame: index, rate: job.grid.frameRate)
        frame.duration = Time(frame: 1, rate: job.grid.frameRate)
        return frame
    }

    /// Gives the decoder back to the pool.
    func close() { pictures.close() }
}

extension Workshop {
    func analyse(_ job: AnalysisJob) throws -> AnalysisTrack {
        let run = try AnalysisRun(job, self)
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
