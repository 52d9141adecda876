import Composition
import Farm
import Foundation
import Jobs
import Messaging
import Rendering

/// Renders a plan through the queue: a task passes events to a ``Render`` and carries out its
/// actions. File work is done on separate threads, which may block.
///
/// In any case, no partial output and no temporary file is left; finished parts stay in the cache.
package struct Renderer: Sendable {
    package let session: HostSession
    package let plan: RenderPlan
    package let output: OutputFile
    package let parts: any PartStore
    let watcher: any RenderWatcher
    /// Whether effects of plugins that fail are left out of the affected parts; otherwise a failure
    /// ends the render.
    package let skipsFailingEffects: Bool
    /// Whether damaged media end the render; otherwise they are reported.
    package var isStrict = false

    package init(
        session: HostSession, plan: RenderPlan, output: OutputFile, parts: any PartStore,
        watcher: any RenderWatcher, skipsFailingEffects: Bool, isStrict: Bool = false
    ) {
        self.session = session
        self.plan = plan
        self.output = output
        self.parts = parts
        self.watcher = watcher
        self.skipsFailingEffects = skipsFailingEffects
        self.isStrict = isStrict
    }

    /// Runs the render.
    /// - Throws: the error that ended the render. Nothing of it runs any more then.
    package func run() async throws(HostError) -> RenderStateMachine.Summary {
        let temporary = parts.stage(output)
        let render = RenderStateMachine(
            plan,
            RenderStateMachine.Options(
                folder: parts.partsFolder, temporary: temporary, skipsFailingEffects: skipsFailingEffects,
                isStrict: isStrict))
        let (events, inbox) = AsyncStream<RenderLoop.Event>.makeStream()
        let files = FileLane("render")
        // A cancelled task gets no more events, but its jobs still have to end.
        let work = Task {
            var loop = RenderLoop(render, self, inbox, files)
            return await loop.run(events)
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            inbox.yield(.stop)
        }
        await files.run { output.removeRuns(of: temporary) }
        do throws(RenderFailure) {
            return try result.get()
        } catch {
            throw output.named(error, temporary)
        }
    }
}

/// The task's own state: the render, and the jobs of its orders.
struct RenderLoop {
    enum Event: Sendable {
        case queue(JobEvent)
        case found(PartVersion, WrittenFile?)
        /// Parts were reported as damaged; the queue knows which jobs made them.
        case damaged(WorkOrder.Number, AssembleJob.Reply)
        case committed(HostError?)
        case stop
    }

    private var render: RenderStateMachine
    private let renderer: Renderer
    private let inbox: AsyncStream<Event>.Continuation
    private let files: FileLane
    private let client: JobClient
    private var orders: [JobID: WorkOrder] = [:]
    private var jobs: [WorkOrder.Number: JobID] = [:]
    /// The jobs that have written parts, by path.
    private var makers: [String: (job: JobID, file: RenderedFile)] = [:]

    init(
        _ render: RenderStateMachine, _ renderer: Renderer, _ inbox: AsyncStream<Event>.Continuation, _ files: FileLane
    ) {
        self.render = render
        self.renderer = renderer
        self.inbox = inbox
        self.files = files
        client = renderer.session.queue.client()
    }

    /// Runs the loop.
    /// - Returns: the result of the render.
    mutating func run(_ events: AsyncStream<Event>) async -> Result<RenderStateMachine.Summary, RenderFailure> {
        let line = Task { [client, inbox] in
            for await event in client.events { inbox.yield(.queue(event)) }
        }
        defer { line.cancel() }
        if let end = perform(render.start()) { return end }
        for await event in events {
            if let end = perform(tell(event)) { return end }
        }
        return .failure(.stopped)
    }

    // MARK: Events

    private mutating func tell(_ event: Event) -> [RenderStateMachine.Action] {
        switch event {
        case .queue(let event): tell(event)
        case .found(let version, let file): render.cacheAnswered(version, file)
        case .damaged(let number, let reply): render.assembled(number, reply)
        case .committed(nil): render.committed()
        case .committed(let error?): render.commitFailed(RenderFailure(error))
        case .stop: render.cancel()
        }
    }

    private mutating func tell(_ event: JobEvent) -> [RenderStateMachine.Action] {
        switch event {
        case .started(let lease, let worker): started(lease, worker)
        case .progressed(let job, let progress):
            orders[job].map { render.progressed($0.number, done: progress.done, total: progress.total) } ?? []
        case .retrying(let job, _):
            orders[job].map {
                returned($0); return render.retried($0.number)
            } ?? []
        case .completed(let job, let result): forget(job).map { take(result, of: $0, job) } ?? []
        case .failed(let job, let failure):
            forget(job).map {
                returned($0); return render.failed($0.number, RenderFailure(QueueError(job, failure)))
            } ?? []
        case .cancelled(let job):
            forget(job).map {
                returned($0); return render.cancelled($0.number)
            } ?? []
        }
    }

    private func started(_ lease: Lease, _ worker: WorkerID) -> [RenderStateMachine.Action] {
        if let key = orders[lease.job]?.key { renderer.parts.lent(key, lease, to: worker) }
        return []
    }

    private func returned(_ order: WorkOrder) {
        if let key = order.key { renderer.parts.returned(key) }
    }

    private mutating func forget(_ job: JobID) -> WorkOrder? {
        let order = orders.removeValue(forKey: job)
        if let order { jobs[order.number] = nil }
        return order
    }

    private mutating func take(_ result: Data, of order: WorkOrder, _ job: JobID) -> [RenderStateMachine.Action] {
        do {
            let decoder = JSONDecoder()
            switch order.job.work {
            case is AssembleJob:
                let reply = try decoder.decode(AssembleJob.Reply.self, from: result)
                if let path = reply.written?.path, !Self.isBelow(path, render.options.temporary) {
                    return render.failed(order.number, Self.strange(path, job))
                }
                if reply.damaged.isEmpty { return render.assembled(order.number, reply) }
                blame(order.number, reply)
                return []
            case is SoundJob:
                var reply = try decoder.decode(SoundJob.Reply.self, from: result)
                guard reply.damaged.isEmpty else {
                    blame(order.number, reply)
                    return []
                }
                reply.written = reply.written.map { own($0, of: job) }
                return render.assembled(order.number, reply)
            case is VerifyJob: return render.verified(order.number)
            default:
                let part = try decoder.decode(WrittenFile.self, from: result)
                return render.rendered(order.number, own(part, of: job))
            }
        } catch {
            let message = "The result of job \(job) cannot be read; host and worker differ in version."
            return render.failed(order.number, RenderFailure(.software, message, details: ["\(error)"]))
        }
    }

    /// Notes the job that wrote a part. A remote worker may report any file: one that does not
    /// belong to the render counts as damaged, and another worker makes the part again.
    private mutating func own(_ part: WrittenFile, of job: JobID) -> WrittenFile {
        var part = part
        if part.lies(in: render.options.folder) {
            makers[part.path] = (job, part.file)
        } else {
            part.path = render.options.folder + "/none"
            client.blame([job])
        }
        return part
    }

    /// Checks parts that were reported as damaged, because that report may be wrong, too. The queue
    /// learns of the jobs before the parts are made again.
    private mutating func blame(_ number: WorkOrder.Number, _ reply: AssembleJob.Reply) {
        let accused = reply.damaged.compactMap { path in
            makers.removeValue(forKey: path).map { (path: path, job: $0.job, file: $0.file) }
        }
        files.post { [client, inbox] in
            client.blame(
                accused.filter { part in
                    let found = try? FinishedOutput.Opened(path: part.path, part.path)
                    return found?.file.size != part.file.size || (try? found?.digest()) != part.file.digest
                }.map(\.job))
            inbox.yield(.damaged(number, reply))
        }
    }

    /// Returns whether a file's path is the expected one followed by its run's name: nothing else
    /// gets the output's name.
    private static func isBelow(_ path: String, _ beginning: String) -> Bool {
        path.hasPrefix(beginning) && !path.split(separator: "/").contains("..")
    }

    private static func strange(_ path: String, _ job: JobID) -> RenderFailure {
        RenderFailure(.software, "Job \(job) names the file ‘\(path)’, which does not belong to the render.")
    }

    // MARK: Actions

    /// Carries out actions.
    /// - Returns: the result of the render; nil while it continues.
    private mutating func perform(
        _ actions: [RenderStateMachine.Action]
    ) -> Result<RenderStateMachine.Summary, RenderFailure>? {
        var waiting = actions[...]
        while let action = waiting.popFirst() {
            switch action {
            case .lookUp(let versions): lookUp(versions)
            case .submit(let orders): waiting = submit(orders) + waiting
            case .cancel(let numbers): client.cancel(numbers.compactMap { jobs[$0] })
            case .keep(let part, let key): renderer.parts.keep(part, as: key)
            case .forget(let key): renderer.parts.forget(key)
            case .commit(let path): commit(path)
            case .report(let progress): renderer.watcher.update(progress)
            case .tell(let notice): renderer.watcher.tell(notice)
            case .finish(let result): return result
            }
        }
        return nil
    }

    private func lookUp(_ versions: [PartVersion]) {
        files.post { [inbox, parts = renderer.parts] in
            for version in versions { inbox.yield(.found(version, parts.find(version))) }
        }
    }

    private func commit(_ path: String) {
        files.post { [inbox, renderer] in
            do throws(HostError) {
                try renderer.parts.commit(path, to: renderer.output, count: renderer.plan.composition.frameCount)
                inbox.yield(.committed(nil))
            } catch {
                inbox.yield(.committed(error))
            }
        }
    }

    /// Submits orders as jobs.
    /// - Returns: the actions that follow if the queue does not accept them.
    private mutating func submit(_ new: [WorkOrder]) -> [RenderStateMachine.Action] {
        do throws(QueueError) {
            var specs: [JobSpec] = []
            for order in new {
                let spec = try renderer.session.spec(
                    order.job, name: order.key.flatMap(renderer.parts.lentJob), priority: order.priority,
                    sequence: order.place.map { JobSpec.Sequence(group: $0.group, index: $0.index) })
                orders[spec.id] = order
                jobs[order.number] = spec.id
                specs.append(spec)
            }
            try client.submit(specs)
            return []
        } catch {
            let failure = RenderFailure(error)
            return new.flatMap { order in
                if let job = jobs[order.number] { _ = forget(job) }
                return render.failed(order.number, failure)
            }
        }
    }
}
