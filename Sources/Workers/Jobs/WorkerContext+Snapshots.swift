import Composition
import Jobs
import Media

extension SnapshotJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.takeSnapshot(self) }
}

extension WorkerContext {
    /// Renders a frame as a segment would be, and writes it as a picture: that of an HDR canvas
    /// tone-mapped to SDR.
    func takeSnapshot(_ job: SnapshotJob) throws -> SnapshotJob.Reply {
        let output = fenced(job.output)
        let slice = job.slice
        let graph = try PictureGraph(slice, firstFrame: job.firstFrame, supplies)
        defer { graph.close() }
        var picture: Picture?
        let first = -(slice.leadFrames ?? 0)
        let count = slice.frameCount - first
        for index in 0..<count {
            try progress(done: index, total: count)
            picture = try graph.frame(first + index)
        }
        try checkUnchanged(slice.allFiles)
        if let shown = picture, slice.color.isHDR { picture = try shown.toneMapped(from: slice.color, peak: job.peak) }
        if let size = job.scaledSize, let shown = picture {
            picture = try PictureScaler(width: size.width, height: size.height).scale(shown)
        }
        if let picture {
            try StillImage.write(picture, to: output, format: job.format, isPassing: job.isPassing == true)
        }
        return SnapshotJob.Reply(path: output)
    }
}
