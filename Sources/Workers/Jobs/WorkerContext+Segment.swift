import Composition
import Foundation
import Jobs
import Media
import Messaging

extension SegmentJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.renderSegment(self) }
}

extension WorkerContext {
    /// Composes a segment's frames on the render thread and encodes them on this one.
    func renderSegment(_ job: SegmentJob) throws -> WrittenFile {
        let slice = job.slice
        // Before others are opened: what the segment does not show takes no memory beside them.
        video.keepOnly(Set(slice.allFiles.map(\.path)))
        let output = fenced(job.output)
        spill(beside: output)
        let size = job.scaledSize ?? slice.size
        let encoder = try SegmentEncoder(
            path: output, encoding: job.encoding, width: size.width, height: size.height, frameRate: slice.frameRate)
        let scaler = job.scaledSize.map { PictureScaler(width: $0.width, height: $0.height) }
        do {
            try renderAhead(job) { frames in
                for index in 0..<slice.frameCount {
                    try progress(done: index, total: slice.frameCount)
                    var picture = try frames.take(pulse: beat)
                    if let scaler { picture = try scaler.scale(picture) }
                    if let peak = job.peak { picture = try picture.toneMapped(from: slice.color, peak: peak) }
                    try encoder.append(picture)
                }
            }
            let count = try encoder.finish(pulse: beat)
            try checkUnchanged(slice.allFiles)
            var part = try written(output, count: count, payload: encoder.payload)
            part.file.damage = damage.take(slice.allFiles)
            return part
        } catch {
            try? FileManager.default.removeItem(atPath: output)
            throw error
        }
    }

    /// Lets `body` take the segment's frames, in order, while they are being made on the render
    /// thread.
    private func renderAhead(_ job: SegmentJob, _ body: (RenderAhead) throws -> Void) throws {
        // The render thread has the worker for itself until `stop` returns; only the line to the
        // host stays here.
        nonisolated(unsafe) let worker = self
        let ahead = RenderAhead(on: renderThread) { ahead in
            worker.ahead = ahead
            defer { worker.ahead = nil }
            let slice = job.slice
            let graph = try PictureGraph(slice, firstFrame: job.firstFrame, worker.supplies)
            defer { graph.close() }
            for index in -(slice.leadFrames ?? 0)..<0 {
                try ahead.pulse(advances: true)
                _ = try graph.frame(index)
            }
            for index in 0..<slice.frameCount { try ahead.put(try graph.frame(index)) }
        }
        defer { ahead.stop() }
        try body(ahead)
    }
}
