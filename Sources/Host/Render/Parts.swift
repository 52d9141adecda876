import Composition
import Foundation
import Jobs
import Synchronization

/// The parts of a render: which are there, and how far the others are. Shared by the queue's thread and the renderer.
final class Parts: Sendable {
    enum Name: Hashable, Sendable {
        case segment(Int)
        case sound
    }

    private struct Entry {
        var path: String
        var file: RenderedFile
        var isCached: Bool
    }

    private struct State {
        var entries: [Name: Entry] = [:]
        /// Frames (samples) of parts that are being rendered.
        var running: [Name: Int] = [:]
    }

    let plan: RenderPlan
    private let state = Mutex(State())
    /// The segments that are looked at for progress; nil: all.
    private let chosen: Set<Int>?

    /// - Parameter segments: those to render; nil: all.
    init(_ plan: RenderPlan, segments: [Int]? = nil) {
        self.plan = plan
        chosen = segments.map(Set.init)
    }

    func isChosen(_ segment: Int) -> Bool { chosen?.contains(segment) ?? true }

    /// All parts of `other`, of the same plan; or its sound alone, which a picture's quality does not change.
    func adopt(_ other: Parts) {
        let isSame = other.plan.video == plan.video
        let entries = other.state.withLock { $0.entries }
        state.withLock { $0.entries.merge(entries.filter { isSame || $0.key == .sound }) { $1 } }
    }

    /// Bytes of a segment's encoded frames.
    func payload(_ segment: Int) -> Int64? {
        state.withLock { $0.entries[.segment(segment)].map { $0.file.payload ?? $0.file.size } }
    }

    func put(_ name: Name, _ path: String, _ file: RenderedFile, isCached: Bool) {
        state.withLock {
            $0.entries[name] = Entry(path: path, file: file, isCached: isCached)
            $0.running[name] = nil
        }
    }

    func advance(_ name: Name, to done: Int) {
        state.withLock { if $0.entries[name] == nil { $0.running[name] = done } }
    }

    func isMissing(_ name: Name) -> Bool { state.withLock { $0.entries[name] == nil } }

    /// Drops the parts that lie at `paths`.
    /// - Returns: their keys.
    func forget(_ paths: [String]) -> [String] {
        state.withLock { state in
            let names = state.entries.filter { paths.contains($0.value.path) }.keys
            for name in names { state.entries[name] = nil }
            return names.compactMap { name in
                switch name {
                case .segment(let index): plan.segments[index].key
                case .sound: plan.soundKey
                }
            }
        }
    }

    func part(_ name: Name, firstFrame: Int) throws(HostError) -> AssembleJob.Part {
        guard let entry = state.withLock({ $0.entries[name] }) else {
            throw HostError(.software, "A part of the render is missing: \(name).")
        }
        return AssembleJob.Part(path: entry.path, firstFrame: firstFrame, file: entry.file)
    }

    /// In frames; in samples where there is no picture.
    func progress(stage: String) -> RenderProgress {
        let hasPicture = plan.video != nil
        return state.withLock { state in
            let frames = plan.segments.reduce(0) { isChosen($1.index) ? $0 + $1.frameCount : $0 }
            var progress = RenderProgress(
                total: hasPicture ? frames : plan.sampleCount ?? 0, done: 0, stage: stage,
                sampleRate: hasPicture ? nil : plan.audio?.sampleRate)
            for (name, entry) in state.entries where (name == .sound) != hasPicture {
                progress.done += entry.file.count
            }
            for (name, done) in state.running where (name == .sound) != hasPicture { progress.done += done }
            progress.done = min(progress.done, progress.total)
            return progress
        }
    }
}
