import Composition
import Draft
import Farm
import Foundation
import Glibc
import Hashing
import HostCore
import Jobs
import Messaging
import Preview
import Rendering

/// Drives a preview: passes events to a ``Preview`` and carries out its actions with the queue.
/// Results are in the same cache as the parts of files, under their own keys.
actor PreviewDriver {
    /// Messages to the client that shows the preview.
    enum News: Sendable {
        case ready([String])
        case failed(key: String, message: String)
        case progress(rendered: Int, total: Int)
        /// All damage of the media in what is rendered so far.
        case damaged([String])
    }

    /// A plan to play, and its session.
    struct Showing: Sendable {
        var session: HostSession
        var plan: RenderPlan
        var pieces: [RenderPlan.SoundPiece]
    }

    private var machine: Preview
    private let client: JobClient
    private let cache: SegmentCache
    private let tell: @Sendable (News) -> Void
    private let files = FileLane("preview")

    private var showing: Showing?
    /// The plan's segments by key.
    private var segments: [String: Int] = [:]
    /// The plan's runs by their keys.
    private var runs: [String: Int] = [:]
    /// How many times damaged runs of a sound were mixed again, by the sound's key.
    private var repairs: [String: Int] = [:]
    private static let mostRepairs = 3
    /// What lies in the parts folder, by its key.
    private var parts: [String: WrittenFile] = [:]
    private var orders: [JobID: Running] = [:]
    private var jobs: [Int: JobID] = [:]
    private var waiters: [Int: CheckedContinuation<Preview.Answer, Never>] = [:]
    private var onDemandJobs: [Int: OnDemandJob] = [:]
    private var lastNumber = 0
    /// The damage of the media in the existing parts.
    private(set) var damage: [String] = []

    private struct Running {
        var number: Int
        var work: Preview.Work
        /// The keys of its files, in the order of the job's result.
        var keys: [String]
        /// Another run may give a different result, which is not cached.
        var isUncertain: Bool
    }

    private struct OnDemandJob {
        var job: Job
        var session: HostSession
        var result: Data?
    }

    /// Creates a driver.
    /// - Parameter workers: the maximum number of workers.
    init(
        _ queue: JobQueue, _ cache: SegmentCache, workers: Int, reach: (behind: Int, ahead: Int),
        tell: @escaping @Sendable (News) -> Void
    ) {
        machine = Preview(workers: workers, reach: reach)
        client = queue.client()
        (self.cache, self.tell) = (cache, tell)
    }

    /// Processes the events of jobs until the queue ends.
    func run() async {
        for await event in client.events { take(event) }
        for waiter in waiters.values { waiter.resume(returning: .gone) }
        waiters = [:]
    }

    // MARK: Requests

    func show(_ new: Showing) {
        showing = new
        (segments, runs, repairs) = ([:], [:], [:])
        for run in new.plan.runs where runs[run.key] == nil { runs[run.key] = run.index }
        for segment in new.plan.segments where segments[segment.key] == nil { segments[segment.key] = segment.index }
        let keys = new.plan.runs.filter { runs[$0.key] == $0.index }.map(\.key)
        let sound = new.plan.soundKey.map { Playlist.Sound(key: $0, runs: keys, pieces: new.pieces.map(\.key)) }
        let playlist = Playlist(
            parts: new.plan.segments.map {
                Playlist.Part(key: $0.key, frames: $0.firstFrame..<$0.firstFrame + $0.frameCount)
            }, sound: new.pieces.isEmpty ? nil : sound)
        perform(machine.show(playlist))
        noteDamage()
    }

    private func noteDamage() {
        guard let showing else { return }
        let names = showing.session.catalog.names
        let found = [DamagedMedia](parts.values.compactMap(\.file.damage), in: showing.plan.composition)
        let texts = found.map { names.applied(to: $0.text) }
        guard texts != damage else { return }
        damage = texts
        tell(.damaged(texts))
    }

    func move(to playhead: Playhead) { perform(machine.move(to: playhead)) }

    /// The keys of files that can be fetched, and of those that cannot be rendered.
    var standing: (ready: [String], failed: [(key: String, message: String)]) { (machine.ready, machine.failures) }

    /// The result of a request for a part or a piece of sound.
    enum Found: Sendable {
        case file(Data)
        case failed(String)
        /// Nothing that is shown has such a key.
        case unknown
    }

    func find(_ key: String) async -> Found {
        // Try again if the existing file is damaged.
        for _ in 0..<2 {
            guard let work = machine.work(for: key) else { return .unknown }
            switch await wait(for: work, isUrgent: true) {
            case .gone: return .unknown
            case .failed(let message): return .failed(message)
            case .ready: break
            }
            guard let part = parts[key] else { return .unknown }
            if let data = await files.run({ Self.read(part) }) { return .file(data) }
            cache.forget(key)
            parts[key] = nil
            perform(machine.lost(work))
        }
        return .failed("The rendered part cannot be read; the disk may be damaged.")
    }

    /// Runs one job, before all work that no client waits for.
    /// - Parameter isUrgent: see ``Preview/wait(_:for:isUrgent:)``.
    /// - Returns: the job's result; nil if no client waits any more.
    func run(_ job: Job, in session: HostSession, isUrgent: Bool) async throws(HostError) -> Data? {
        lastNumber += 1
        let number = lastNumber
        onDemandJobs[number] = OnDemandJob(job: job, session: session)
        let answer = await wait(for: .onDemand(number), isUrgent: isUrgent)
        let result = onDemandJobs.removeValue(forKey: number)?.result
        switch answer {
        case .ready: return result
        case .failed(let message): throw HostError(.data, message)
        case .gone: return nil
        }
    }

    private func wait(for work: Preview.Work, isUrgent: Bool) async -> Preview.Answer {
        lastNumber += 1
        let wait = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .gone) }
                waiters[wait] = continuation
                perform(machine.wait(wait, for: work, isUrgent: isUrgent))
            }
        } onCancel: {
            Task { await self.leave(wait) }
        }
    }

    private func leave(_ wait: Int) {
        guard let waiter = waiters.removeValue(forKey: wait) else { return }
        waiter.resume(returning: .gone)
        perform(machine.leave(wait))
    }

    /// Returns the content of a part; nil if it is not what the worker wrote.
    private static func read(_ part: WrittenFile) -> Data? {
        guard let data = FileManager.default.contents(atPath: part.path), Int64(data.count) == part.file.size,
            SHA256.hash(data) == part.file.digest
        else { return nil }
        return data
    }

    // MARK: Events

    private func take(_ event: JobEvent) {
        switch event {
        case .started, .progressed, .retrying: break
        case .completed(let job, let result): if let order = forget(job) { finished(order, result) }
        case .failed(let job, let failure):
            if let order = forget(job) {
                perform(machine.failed(order.number, sentence(QueueError(job, failure).message)))
            }
        case .cancelled(let job): if let order = forget(job) { perform(machine.cancelled(order.number)) }
        }
    }

    private func forget(_ job: JobID) -> Running? {
        guard let order = orders.removeValue(forKey: job) else { return nil }
        jobs[order.number] = nil
        return order
    }

    private func finished(_ order: Running, _ result: Data) {
        do {
            switch order.work {
            case .onDemand(let number):
                if onDemandJobs[number] != nil { onDemandJobs[number]?.result = result } else { removeUnread(result) }
            case .part, .run: keep([try JSONDecoder().decode(WrittenFile.self, from: result)], of: order)
            case .sound(let key):
                let reply = try JSONDecoder().decode(SoundPiecesJob.Reply.self, from: result)
                guard reply.damaged.isEmpty else { return mixAgain(reply.damaged, order.number, key) }
                keep(reply.pieces, of: order)
            }
            perform(machine.finished(order.number))
        } catch {
            perform(
                machine.failed(
                    order.number, "The result of a job cannot be read; host and worker differ in version."))
        }
        progress()
    }

    /// Forgets runs that are not what their workers wrote: they are mixed again, and then the sound
    /// is encoded.
    private func mixAgain(_ damaged: [String], _ number: Int, _ sound: String) {
        repairs[sound, default: 0] += 1
        guard repairs[sound, default: 0] <= Self.mostRepairs else {
            perform(
                machine.failed(number, "The rendered part ‘\(damaged[0])’ cannot be read; the disk may be damaged."))
            return
        }
        let lost = parts.filter { runs[$0.key] != nil && damaged.contains($0.value.path) }
        for (key, part) in lost {
            cache.forget(key)
            parts[key] = nil
            remove([part])
            perform(machine.lost(.run(key)))
        }
        perform(machine.cancelled(number))
    }

    /// Removes what a job wrote whose result nothing waits for any more.
    private func removeUnread(_ result: Data) {
        guard let reply = try? JSONDecoder().decode(SnapshotJob.Reply.self, from: result) else { return }
        let file = WrittenFile(path: reply.path, file: RenderedFile(count: 0, size: 0, digest: ""))
        if file.lies(in: cache.partsFolder) { remove([file]) }
    }

    private func keep(_ files: [WrittenFile], of order: Running) {
        // A worker may name any file.
        for (key, file) in zip(order.keys, files) where file.lies(in: cache.partsFolder) {
            if !order.isUncertain { cache.keep(file, as: key) }
            take(file, as: key)
        }
    }

    /// Adds a file of the parts folder, or removes it if nothing shows it.
    private func take(_ file: WrittenFile, as key: String) {
        guard machine.work(for: key) != nil, parts[key] == nil else { return remove([file]) }
        parts[key] = file
        if file.file.damage != nil { noteDamage() }
    }

    private func remove(_ gone: [WrittenFile]) {
        // Workers choose the names: unlink does not remove folders.
        files.post { for file in gone { unlink(file.path) } }
    }

    private func progress() {
        guard let plan = showing?.plan else { return }
        tell(.progress(rendered: machine.renderedFrames, total: plan.composition.frameCount))
    }

    // MARK: Actions

    private func perform(_ actions: [Preview.Action]) {
        var waiting = actions[...]
        while let action = waiting.popFirst() {
            switch action {
            case .lookUp(let works): lookUp(works)
            case .submit(let order): waiting = submit(order) + waiting
            case .cancel(let number): if let job = jobs[number] { client.cancel([job]) }
            case .answer(let wait, let answer): waiters.removeValue(forKey: wait)?.resume(returning: answer)
            case .tellReady(let keys): tell(.ready(keys))
            case .tellFailed(let key, let message): tell(.failed(key: key, message: message))
            case .drop: drop()
            }
        }
    }

    private func lookUp(_ works: [Preview.Work]) {
        for work in works {
            let (keys, isUncertain) = products(of: work)
            guard !isUncertain, cache.keeps else {
                perform(machine.found(work, false))
                continue
            }
            files.post { [cache, self] in
                let found = keys.map { cache.find($0, as: "\($0)-\(UInt32.random(in: .min ... .max))") }
                Task { await self.found(work, keys, found.compactMap(\.self)) }
            }
        }
    }

    private func found(_ work: Preview.Work, _ keys: [String], _ files: [WrittenFile]) {
        let isWhole = files.count == keys.count
        if isWhole { for (key, file) in zip(keys, files) { take(file, as: key) } } else { remove(files) }
        perform(machine.found(work, isWhole))
    }

    /// Returns the keys of the results, and whether another run may give different ones.
    private func products(of work: Preview.Work) -> (keys: [String], isUncertain: Bool) {
        guard let showing else { return ([], true) }
        switch work {
        case .part(let key): return ([key], segments[key].map { showing.plan.segments[$0].isUncertain == true } ?? true)
        case .run(let key): return ([key], runs[key].map { showing.plan.runs[$0].isUncertain == true } ?? true)
        case .sound: return (showing.pieces.map(\.key), showing.plan.isSoundUncertain == true)
        case .onDemand: return ([], true)
        }
    }

    /// Submits an order.
    /// - Returns: further actions if the queue rejects it.
    private func submit(_ order: Preview.Order) -> [Preview.Action] {
        guard let (job, session, place) = job(for: order.work) else {
            return machine.failed(order.number, "This is no longer shown.")
        }
        do throws(QueueError) {
            let spec = try session.spec(
                job, priority: order.isUrgent ? 2 : 1, sequence: place.map { .init(group: "preview", index: $0) })
            let (keys, isUncertain) = products(of: order.work)
            orders[spec.id] = Running(number: order.number, work: order.work, keys: keys, isUncertain: isUncertain)
            jobs[order.number] = spec.id
            try client.submit([spec])
            return []
        } catch {
            if let job = jobs[order.number] { _ = forget(job) }
            return machine.failed(order.number, sentence(error.message))
        }
    }

    private func job(for work: Preview.Work) -> (Job, HostSession, Int?)? {
        if case .onDemand(let number) = work { return onDemandJobs[number].map { ($0.job, $0.session, nil) } }
        guard let showing else { return nil }
        let output = "\(cache.partsFolder)/\(UInt32.random(in: .min ... .max))"
        switch work {
        case .part(let key):
            guard let index = segments[key] else { return nil }
            return showing.plan.segmentJob(index, output: "\(output)-part").map {
                (Job($0), showing.session, index)
            }
        case .run(let key):
            guard let index = runs[key] else { return nil }
            return showing.plan.mixJob(index, output: "\(output)-run").map { (Job($0), showing.session, nil) }
        case .sound:
            let mixed = showing.plan.runs.compactMap { run in
                parts[run.key].map { AssembleJob.Part(path: $0.path, file: $0.file) }
            }
            return showing.plan.soundJob(mixed, output: "\(output)-sound").map {
                (Job(SoundPiecesJob($0, pieceSamples: showing.plan.pieceSamples)), showing.session, nil)
            }
        case .onDemand: return nil
        }
    }

    /// Removes the files that nothing shows any more; the cache keeps its own copies.
    private func drop() {
        let gone = parts.filter { machine.work(for: $0.key) == nil }
        guard !gone.isEmpty else { return }
        for key in gone.keys { parts[key] = nil }
        noteDamage()
        remove(Array(gone.values))
    }
}
