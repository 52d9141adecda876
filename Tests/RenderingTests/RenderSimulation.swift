import Composition
import Jobs
import Rendering
import TestSupport
import Testing

/// A render in a test tube: a cache, workers, a disk and somebody with a finger on Ctrl-C, all
/// drawn from one seed. It does what the render says in any order, checks at each step what must
/// hold at all times, and knows beforehand how the render has to end.
struct RenderSimulation {
    /// What a submitted job will do, and what has happened to it.
    struct Run {
        var order: WorkOrder
        var isCancelled = false
    }

    /// What can go wrong in this world, in per cent of the occasions.
    struct Weather {
        var hits = 0
        var damagedFiles = 0
        var failures = 0
        var stops = 0
        var shutdowns = 0
        var isVerified = true
        var isCommitted = true
        /// Workers say extremes in every field.
        var isHostile = false

        init(_ random: inout SplitMix64) {
            hits = random.pick([0, 0, 30, 90, 100])
            damagedFiles = random.pick([0, 0, 0, 10, 60, 300])
            failures = random.pick([0, 0, 0, 0, 5])
            stops = random.pick([0, 0, 0, 2, 10])
            shutdowns = random.pick([0, 0, 0, 0, 0, 2])
            isVerified = !random.chance(1, in: 12)
            isCommitted = !random.chance(1, in: 12)
            isHostile = random.chance(1, in: 3)
        }
    }

    let seed: String
    let plan: RenderPlan
    let options: RenderStateMachine.Options
    var random: SplitMix64
    var render: RenderStateMachine
    let weather: Weather
    /// The effects that fail wherever they are used, by part.
    var failing: [Part: Culprit] = [:]

    // What waits to happen.
    var unanswered: [PartVersion] = []
    var runs: [WorkOrder.Number: Run] = [:]
    var committing: String?

    // What the world knows.
    var highestNumber = 0
    /// Whole parts by path, with the part and the job that made them; nil: from the cache.
    var files: [String: (part: Part, job: Job?)] = [:]
    var damaged: Set<String> = []
    var kept: Set<String> = []
    /// How many times damaged parts are made again; and how many times damaged runs are, since the
    /// last time.
    var repairs = 0
    var runRepairs = 0
    /// Files that were said to be damaged.
    var reported: Set<String> = []
    var wasDamaged: Bool { repairs > 0 || runRepairs > 0 }
    var verifiedPaths: Set<String> = []
    var commits = 0
    var ends: [Result<RenderStateMachine.Summary, RenderFailure>] = []
    /// The first thing after which the render cannot succeed.
    var reason: RenderFailure?
    var detours = 0

    init(_ plan: RenderPlan, seed: UInt64, case index: Int) {
        self.seed = "CUTROOM_SEED=\(seed), case \(index)"
        self.plan = plan
        random = .forCase(index, of: seed)
        weather = Weather(&random)
        options = RenderStateMachine.Options(
            folder: "/parts", temporary: "/out/.temporary", skipsFailingEffects: random.chance(2, in: 3))
        render = RenderStateMachine(plan, options)
        if random.chance(1, in: 3) {
            for segment in plan.segments where random.chance(1, in: 3) {
                failing[.segment(segment.index)] = culprit(Plans.stateless)
            }
            for run in plan.runs where random.chance(1, in: 2) { failing[.run(run.index)] = culprit(Plans.sound) }
        }
    }

    private func culprit(_ id: String) -> Culprit { Culprit(library: "/plugins/\(id).so", effectID: id, frame: 3) }

    mutating func percent(_ share: Int) -> Bool { random.chance(share, in: 100) }

    // MARK: The course of events

    mutating func run() {
        perform(render.start())
        var steps = 0
        while ends.isEmpty, steps < 20_000 {
            steps += 1
            step()
        }
        #expect(ends.count == 1, "\(seed): it does not end")
        #expect(runs.isEmpty, "\(seed): jobs run after the end")
        check()
        // Nothing wakes the dead.
        for actions in [render.cancel(), render.start(), render.committed(), render.commitFailed(.stopped)] {
            #expect(actions.isEmpty, "\(seed): \(actions) after the end")
        }
        perform(noise())
    }

    private mutating func step() {
        if percent(weather.stops), percent(20) {
            if committing == nil { reason = reason ?? .stopped }
            perform(render.cancel())
            return
        }
        if percent(5) {
            let actions = noise()
            #expect(actions.isEmpty, "\(seed): \(actions) to noise")
            return
        }
        if let path = committing { return commit(path) }
        if !unanswered.isEmpty {
            answer(unanswered.remove(at: Int.random(in: 0..<unanswered.count, using: &random)))
        } else if let number = runs.keys.sorted().randomElement(using: &random) {
            go(on: number)
        }
    }

    /// Events about what is not there.
    private mutating func noise() -> [RenderStateMachine.Action] {
        let number = WorkOrder.Number(highestNumber + Int.random(in: 1...3, using: &random))
        let extreme: Int64 = random.pick([0, 1, 1 << 48])
        let file = WrittenFile(
            path: "/nowhere", file: RenderedFile(count: Int(extreme), size: extreme, digest: "", payload: .min))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return render.rendered(number, file)
        case 1: return render.failed(number, RenderFailure(.software, "nobody's"))
        case 2: return render.cancelled(number)
        case 3:
            return render.progressed(number, done: random.pick([.min, 7, .max]), total: random.pick([.min, 9, .max]))
        case 4: return render.cacheAnswered(PartVersion(.segment(0), key: "nobody's"), file)
        case 5: return render.assembled(number, AssembleJob.Reply(written: file))
        default: return render.verified(number)
        }
    }

    private mutating func answer(_ version: PartVersion) {
        var file: WrittenFile?
        if percent(weather.hits) {
            let path = "/parts/cached-\(version.key)-\(version.part)"
            file = WrittenFile(path: path, file: made(version.part))
            files[path] = (version.part, nil)
            if percent(weather.damagedFiles) { damaged.insert(path) }
        }
        perform(render.cacheAnswered(version, file))
    }

    /// What a worker says of a part. Its numbers may be anything that decoding lets pass
    /// (``FileNumber``).
    private mutating func made(_ part: Part) -> RenderedFile {
        let count =
            switch part {
            case .segment(let index): plan.segments[index].frameCount
            case .run(let index): plan.runs[index].sampleCount
            case .sound: plan.sampleCount ?? 0
            }
        guard weather.isHostile else { return RenderedFile(count: count, size: 100, digest: "d") }
        return RenderedFile(
            count: random.pick([0, count, 1 << 48]), size: random.pick([0, 100, 1 << 48]), digest: "d",
            payload: random.pick([nil, .min, 0, 100, .max]))
    }

    private mutating func commit(_ path: String) {
        committing = nil
        if weather.isCommitted {
            commits += 1
            perform(render.committed())
        } else {
            let failure = RenderFailure(.output, "it cannot be put in place")
            reason = reason ?? failure
            perform(render.commitFailed(failure))
        }
    }

    // MARK: Workers

    private mutating func go(on number: WorkOrder.Number) {
        guard let run = runs[number] else { return }
        if percent(30) {
            // Workers may say anything.
            let done = Int.random(in: random.pick([0...60, -5...1_000_000_000, Int.max - 1...Int.max]), using: &random)
            return perform(render.progressed(number, done: done, total: random.pick([0, 60, -1, Int.max])))
        }
        if percent(5) { return perform(render.retried(number)) }
        if run.isCancelled ? percent(70) : percent(weather.shutdowns) {
            runs[number] = nil
            reason = reason ?? .stopped
            return perform(render.cancelled(number))
        }
        runs[number] = nil
        if percent(weather.failures) { return fail(number, run, RenderFailure(.software, "the worker died")) }
        switch run.order.job.work {
        case let job as SegmentJob: finishPart(number, run, job.output)
        case let job as MixJob: finishPart(number, run, job.output)
        case let job as SoundJob: encode(number, run, job)
        case let job as AssembleJob: assemble(number, job)
        case let job as VerifyJob: verify(number, job)
        default: Issue.record("\(seed): a render asks for \(run.order.job.kind)")
        }
    }

    private mutating func fail(_ number: WorkOrder.Number, _ run: Run, _ failure: RenderFailure) {
        let leadsAround = failure.culprit.map { run.order.job.leavingOut($0.effectID, of: $0.library) != nil } ?? false
        if leadsAround, options.skipsFailingEffects, reason == nil {
            detours += 1
        } else {
            reason = reason ?? failure
        }
        perform(render.failed(number, failure))
    }

    private mutating func finishPart(_ number: WorkOrder.Number, _ run: Run, _ output: String) {
        guard let part = part(of: run.order) else { return }
        if let culprit = failing[part], run.order.job.leavingOut(culprit.effectID, of: culprit.library) != nil {
            return fail(number, run, RenderFailure(.software, "the plugin fails", culprit: culprit))
        }
        let path = "\(output).\(number.value)"
        files[path] = (part, run.order.job)
        if percent(weather.damagedFiles / 4) { damaged.insert(path) }
        perform(render.rendered(number, WrittenFile(path: path, file: made(part))))
    }

    /// Encodes the sound, where all of its runs are what their workers wrote.
    private mutating func encode(_ number: WorkOrder.Number, _ run: Run, _ job: SoundJob) {
        let broken = Set(job.runs.map(\.part.path)).filter(damaged.contains).sorted()
        reported.formUnion(broken)
        if broken.isEmpty {
            let path = "\(job.output).\(number.value)"
            files[path] = (.sound, run.order.job)
            if percent(weather.damagedFiles / 4) { damaged.insert(path) }
            let written = WrittenFile(path: path, file: made(.sound))
            return perform(render.assembled(number, SoundJob.Reply(written: written)))
        }
        if runRepairs == 3, reason == nil {
            let message = "The rendered part ‘\(broken[0])’ is not what its worker wrote; the disk may be damaged."
            reason = RenderFailure(.machine, message)
        }
        runRepairs += 1
        perform(render.assembled(number, SoundJob.Reply(written: nil, damaged: broken)))
    }

    private mutating func assemble(_ number: WorkOrder.Number, _ job: AssembleJob) {
        let parts = job.segments + (job.sound.map { [$0] } ?? [])
        let broken = parts.map(\.path).filter(damaged.contains)
        reported.formUnion(broken)
        if !broken.isEmpty, repairs == 3 {
            let message = "The rendered part ‘\(broken[0])’ is not what its worker wrote; the disk may be damaged."
            reason = reason ?? RenderFailure(.machine, message)
        }
        if !broken.isEmpty { (repairs, runRepairs) = (repairs + 1, 0) }
        let written = WrittenFile(path: job.output + ".1", file: RenderedFile(count: 1, size: 1, digest: "d"))
        perform(render.assembled(number, AssembleJob.Reply(written: broken.isEmpty ? written : nil, damaged: broken)))
    }

    private mutating func verify(_ number: WorkOrder.Number, _ job: VerifyJob) {
        guard weather.isVerified else {
            let failure = RenderFailure(.software, "the file is wrong")
            reason = reason ?? failure
            return perform(render.failed(number, failure))
        }
        verifiedPaths.insert(job.path)
        perform(render.verified(number))
    }

    func part(of order: WorkOrder) -> Part? {
        switch order.job.work {
        case is SegmentJob: order.place.map { .segment($0.index) }
        case let job as MixJob: job.output.split(separator: "-").last.flatMap { Int($0) }.map { .run($0) }
        case is SoundJob: .sound
        default: nil
        }
    }
}
