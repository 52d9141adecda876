import Composition
import Draft
import Files
import Foundation
import Jobs
import Media
import Messaging
import Text

extension ProbeJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.probe(self) }
}

extension AssembleJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.assemble(self) }
}

extension VerifyJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.verify(self) }
}

extension WorkerContext {
    func probe(_ job: ProbeJob) throws -> ProbeJob.Reply {
        var files: [ProbeJob.File] = []
        for (index, file) in job.files.enumerated() {
            do throws(MediaError) {
                switch file.content {
                case .media:
                    let info = try Probe.probe(path: file.path, pulse: libavPulse)
                    files.append(
                        info.excess.map { ProbeJob.File(failure: "‘\(file.path)’ cannot be read: it \($0)") }
                            ?? ProbeJob.File(info: info))
                case .data: files.append(ProbeJob.File(info: try Probe.identify(path: file.path)))
                case .font:
                    let info = try Probe.identify(path: file.path)
                    files.append(
                        TitleRasterizer.refusal(ofFont: file.path).map { ProbeJob.File(failure: $0) }
                            ?? ProbeJob.File(info: info))
                }
            } catch {
                if error.code == .cancelled { throw Cancelled() }
                if error.code == .openFiles { throw error }
                files.append(ProbeJob.File(failure: error.description))
            }
            try progress(done: index + 1, total: job.files.count)
        }
        return ProbeJob.Reply(files: files, libraries: MediaLibraries.versions, missingCodecs: Encoders.missing)
    }

    /// The steps of progress of jobs that count in shares: fine enough that every frame is a
    /// change.
    private static let resolution = 1_000_000

    /// Progress is half for reading the parts, half for writing the file.
    func assemble(_ job: AssembleJob) throws -> AssembleJob.Reply {
        let output = fenced(job.output)
        let total = job.segments.count + (job.sound == nil ? 0 : 1)
        var damaged: [String] = []
        for (index, part) in (job.segments + (job.sound.map { [$0] } ?? [])).enumerated() {
            let file = try? digest(part.path)
            // A digest that the host stopped is no finding.
            try progress(done: Self.resolution / 2 * index / total, total: Self.resolution)
            if file?.size != part.file.size || file?.digest != part.file.digest { damaged.append(part.path) }
        }
        guard damaged.isEmpty else { return AssembleJob.Reply(written: nil, damaged: damaged) }
        let segments = job.segments.map {
            Assembler.Segment(path: $0.path, frameCount: $0.file.count)
        }
        let report = { [weak self] (share: Double) in
            try self?.progress(done: Int((0.5 + share / 2) * Double(Self.resolution)), total: Self.resolution) ?? ()
        }
        let frames = job.segments.reduce(0) { $0 + $1.file.count }
        switch job.container {
        case .png, .jpg:
            let count = try ImageEncoder.write(
                segments: segments, folder: output, suffix: job.container.rawValue, frameRate: job.frameRate,
                progress: report)
            return AssembleJob.Reply(
                written: WrittenFile(path: output, file: RenderedFile(count: count, size: 0, digest: "")))
        case .gif:
            try GIFWriter.write(
                segments: segments, output: output, width: job.size.width, height: job.size.height,
                frameRate: job.frameRate,
                progress: report)
        default:
            try Assembler.assemble(
                segments: segments, sound: job.sound.map { Assembler.Sound(path: $0.path, sampleCount: $0.file.count) },
                output: output, container: job.container, color: job.color,
                indexFirst: job.indexFirst, frameRate: job.frameRate, subtitles: job.subtitles ?? [], progress: report)
        }
        return AssembleJob.Reply(written: try written(output, count: frames))
    }

    func verify(_ job: VerifyJob) throws -> NoReply {
        try Verifier.verify(
            path: job.path, container: job.container, color: job.color,
            frames: job.frames, frameRate: job.frameRate, samples: job.samples, sampleRate: job.sampleRate,
            width: job.size.width, height: job.size.height, subtitleTracks: job.subtitleTracks
        ) { [weak self] in try self?.progress(done: Int($0 * Double(Self.resolution)), total: Self.resolution) ?? () }
        return NoReply()
    }

    /// The same of several. To be called after the last frame was read, too: a file may change
    /// while it is open.
    func checkUnchanged(_ files: [MediaFile]) throws(JobFailure) {
        for file in files { try checkUnchanged(file) }
    }

    /// See ``Composition/MediaFile/checkUnchanged()``.
    func checkUnchanged(_ file: MediaFile) throws(JobFailure) { try file.checkUnchanged() }

    /// Returns the size and SHA-256 of a file.
    func digest(_ path: String) throws -> FileDigest {
        do {
            return try OpenFile(path, .readOnly).digest { try pulse(advances: true) }
        } catch let error as Errno {
            throw JobFailure(.resource, "The rendered part ‘\(path)’ cannot be read: \(error); render again.")
        }
    }

    /// Describes a finished file in a report.
    func written(_ path: String, count: Int, payload: Int64? = nil) throws -> WrittenFile {
        let found = try digest(path)
        return WrittenFile(
            path: path, file: RenderedFile(count: count, size: found.size, digest: found.digest, payload: payload))
    }
}
