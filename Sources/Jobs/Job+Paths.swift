import Composition
import Draft
import Foundation

extension Job {
    /// A job as it has travelled.
    public init(_ kind: JobKind, payload: Data) throws {
        let decoder = JSONDecoder()
        switch kind {
        case .probe: self = .probe(try decoder.decode(ProbeJob.self, from: payload))
        case .inspect: self = .inspect(try decoder.decode(InspectJob.self, from: payload))
        case .trial: self = .trial(try decoder.decode(TrialJob.self, from: payload))
        case .fonts: self = .fonts(try decoder.decode(FontJob.self, from: payload))
        case .segment: self = .segment(try decoder.decode(SegmentJob.self, from: payload))
        case .sound: self = .sound(try decoder.decode(SoundJob.self, from: payload))
        case .assemble: self = .assemble(try decoder.decode(AssembleJob.self, from: payload))
        case .verify: self = .verify(try decoder.decode(VerifyJob.self, from: payload))
        case .snapshot: self = .snapshot(try decoder.decode(SnapshotJob.self, from: payload))
        case .analysis: self = .analysis(try decoder.decode(AnalysisJob.self, from: payload))
        case .soundPieces: self = .soundPieces(try decoder.decode(SoundPiecesJob.self, from: payload))
        case .peaks: self = .peaks(try decoder.decode(PeaksJob.self, from: payload))
        }
    }

    /// The same job with every path in it changed: the one traversal of what a job reads, loads and writes.
    public func mappingPaths(_ change: PathChange) -> Job {
        switch self {
        case .probe(var job):
            job.files = job.files.map { file in
                let use: PathUse = file.content == .font ? .hands(nil) : .reads(nil)
                return DraftFile(change(file.path, use), file.content)
            }
            return .probe(job)
        case .inspect(var job):
            let use: PathUse = job.files.isEmpty ? .searches : .loads(files: job.files)
            job.searchPaths = job.searchPaths.map { change($0, use) }
            job.leftOut = job.leftOut.map { change($0, .searches) }
            return .inspect(job)
        case .trial(var job):
            job.effect.mapFiles { change($0, .hands(nil)) }
            job.plugin.mapPath(change)
            return .trial(job)
        case .fonts(var job):
            job.fonts = job.fonts.map { font in TitleFont(font.name, file: font.file.map { change($0, .hands(nil)) }) }
            for index in job.titles.indices {
                job.titles[index].title.fontFile = job.titles[index].title.fontFile.map { change($0, .hands(nil)) }
            }
            return .fonts(job)
        case .segment(var job):
            job.mapPaths(change)
            return .segment(job)
        case .sound(var job):
            job.mapPaths(change)
            return .sound(job)
        case .soundPieces(var job):
            job.sound.mapPaths(change)
            return .soundPieces(job)
        case .peaks(var job):
            job.file.path = change(job.file.path, .reads(job.file.info))
            return .peaks(job)
        case .assemble(var job):
            for index in job.segments.indices { job.segments[index].path = change(job.segments[index].path, .joins) }
            if let path = job.sound?.path { job.sound?.path = change(path, .joins) }
            job.output = change(job.output, .writes)
            return .assemble(job)
        case .verify(var job):
            job.path = change(job.path, .joins)
            return .verify(job)
        case .snapshot(var job):
            job.slice.mapPaths(change)
            job.output = change(job.output, .writes)
            return .snapshot(job)
        case .analysis(var job):
            job.file.path = change(job.file.path, .reads(job.file.info))
            job.effect.mapFiles { change($0, .hands(nil)) }
            for index in job.files.indices {
                job.files[index].path = change(job.files[index].path, .hands(job.files[index].info))
            }
            job.plugin.mapPath(change)
            return .analysis(job)
        }
    }

    /// What a job does with each path that it names; what is known of a file comes before the mere name.
    public var paths: [String: Set<PathUse>] {
        var paths: [String: Set<PathUse>] = [:]
        _ = mappingPaths { path, use in
            paths[path, default: []].insert(use)
            return path
        }
        return paths
    }
}

extension JobKind {
    /// A job's reply with every path in it changed.
    /// - Parameters:
    ///   - path: changes what is a path.
    ///   - text: changes what people read, in which paths may occur.
    public func mappingPaths(
        inReply reply: Data, _ path: (String) -> String, text: (String) -> String
    ) throws -> Data {
        func changed<Reply: Codable>(_: Reply.Type, _ change: (inout Reply) -> Void) throws -> Data {
            var value = try JSONDecoder().decode(Reply.self, from: reply)
            change(&value)
            return try JSONEncoder().encode(value)
        }
        switch self {
        case .soundPieces:
            return try changed([WrittenFile].self) { files in
                for index in files.indices { files[index].path = path(files[index].path) }
            }
        case .segment, .sound: return try changed(WrittenFile.self) { $0.path = path($0.path) }
        case .snapshot: return try changed(SnapshotJob.Reply.self) { $0.path = path($0.path) }
        case .assemble:
            return try changed(AssembleJob.Reply.self) { reply in
                if let written = reply.written { reply.written?.path = path(written.path) }
                reply.damaged = reply.damaged.map(path)
            }
        case .inspect:
            return try changed(InspectJob.Reply.self) { reply in
                for index in reply.effects.indices { reply.effects[index].path = path(reply.effects[index].path) }
                reply.problems = reply.problems.map(text)
            }
        case .probe:
            return try changed(ProbeJob.Reply.self) { reply in
                for index in reply.files.indices { reply.files[index].failure = reply.files[index].failure.map(text) }
            }
        case .trial: return try changed(TrialJob.Reply.self) { $0.refusal = $0.refusal.map(text) }
        case .fonts, .verify, .analysis, .peaks: return reply
        }
    }
}
