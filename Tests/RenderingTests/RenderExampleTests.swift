import Composition
import Draft
import Jobs
import Rendering
import TestSupport
import Testing

/// What a render says, and what it takes up again.
@Suite struct RenderExampleTests {
    private static let options = RenderStateMachine.Options(
        folder: "/parts", temporary: "/out/.t", skipsFailingEffects: true)

    /// A worker's answer to an order for a part.
    private func file(_ order: WorkOrder, _ plan: RenderPlan) -> WrittenFile {
        switch order.job.work {
        case let job as SegmentJob:
            let count = order.place.map { plan.segments[$0.index].frameCount } ?? 0
            return WrittenFile(path: job.output, file: RenderedFile(count: count, size: 1, digest: "d"))
        case let job as MixJob:
            return WrittenFile(path: job.output, file: RenderedFile(count: job.mix.sampleCount, size: 1, digest: "d"))
        case let job as SoundJob:
            return WrittenFile(path: job.output, file: RenderedFile(count: job.sampleCount, size: 1, digest: "d"))
        default: return WrittenFile(path: "/out/.t.1", file: RenderedFile(count: 1, size: 1, digest: "d"))
        }
    }

    private func orders(_ actions: [RenderStateMachine.Action]) -> [WorkOrder] {
        var found: [WorkOrder] = []
        for case .submit(let orders) in actions { found += orders }
        return found
    }

    private func notices(_ actions: [RenderStateMachine.Action]) -> [Notice] {
        var found: [Notice] = []
        for case .tell(let notice) in actions { found.append(notice) }
        return found
    }

    private func end(_ actions: [RenderStateMachine.Action]) -> Result<RenderStateMachine.Summary, RenderFailure>? {
        if case .finish(let result)? = actions.last { result } else { nil }
    }

    /// Starts a render and answers that the cache has nothing.
    private func begin(_ render: inout RenderStateMachine) -> [RenderStateMachine.Action] {
        var actions = render.start()
        if case .lookUp(let versions)? = actions.last {
            for version in versions { actions += render.cacheAnswered(version, nil) }
        }
        return actions
    }

    /// Renders all parts.
    /// - Returns: the actions with the order to assemble.
    private func assembling(_ render: inout RenderStateMachine) -> [RenderStateMachine.Action] {
        var actions = begin(&render)
        var waiting = orders(actions)
        while !waiting.isEmpty, waiting[0].job.kind != "assemble" {
            let order = waiting.removeFirst()
            actions = render.rendered(order.number, file(order, render.plan))
            waiting += orders(actions)
        }
        return actions
    }

    // MARK: The course of things

    @Test func `the sound comes first, then the segments in order`() throws {
        var render = RenderStateMachine(try Plans.plain(seconds: 6), Self.options)
        let orders = orders(begin(&render))
        #expect(orders.map(\.job.kind) == ["mix", "segment", "segment", "segment"])
        #expect(orders.map(\.priority) == [1, 0, 0, 0])
        #expect(orders.compactMap(\.place) == (0..<3).map { WorkOrder.Place(group: "picture", index: $0) })
        let outputs = orders.compactMap { ($0.job.work as? SegmentJob)?.output }
        #expect(outputs == ["/parts/segment-0", "/parts/segment-1", "/parts/segment-2"])
    }

    @Test func `what the cache has is not rendered`() throws {
        let plan = try Plans.plain(seconds: 6)
        var render = RenderStateMachine(plan, Self.options)
        guard case .lookUp(let versions)? = render.start().last else {
            Issue.record("it looks nothing up")
            return
        }
        let keys = [plan.soundKey ?? ""] + plan.runs.map(\.key) + plan.segments.map(\.key)
        #expect(versions.map(\.key) == keys)
        var actions: [RenderStateMachine.Action] = []
        for version in versions {
            let file = RenderedFile(count: 60, size: 1, digest: "d")
            let found = version.part == .segment(1) ? nil : WrittenFile(path: "/parts/\(version.part)", file: file)
            actions += render.cacheAnswered(version, found)
        }
        let missing = orders(actions)
        #expect(missing.map { $0.place?.index } == [1])
        #expect(actions.contains(.report(RenderProgress(total: 180, done: 120, stage: "rendering"))))
        actions = render.rendered(missing[0].number, file(missing[0], plan))
        #expect(actions.first == .keep(file(missing[0], plan), key: plan.segments[1].key))
        let assemble = try #require(orders(actions).first)
        actions = render.assembled(assemble.number, AssembleJob.Reply(written: file(assemble, plan)))
        let verify = try #require(orders(actions).first)
        #expect(render.verified(verify.number).last == .commit(path: "/out/.t.1"))
        guard case .success(let summary)? = end(render.committed()) else {
            Issue.record("it does not succeed")
            return
        }
        #expect(summary.cachedSegments == 2 && summary.segments == 3 && summary.frames == 180)
    }

    @Test func `a render that was given up goes on where it was`() throws {
        let plan = try Plans.plain(seconds: 14)
        var first = RenderStateMachine(plan, Self.options)
        var known: [PartVersion: WrittenFile] = [:]
        for order in orders(begin(&first)).prefix(4) {
            let file = file(order, plan)
            for case .keep(file, let key) in first.rendered(order.number, file) {
                let part = order.place.map { Part.segment($0.index) } ?? .run(0)
                known[PartVersion(part, key: key)] = file
            }
        }
        #expect(known.count == 4)
        var second = RenderStateMachine(plan, Self.options, there: known)
        let rest = orders(begin(&second))
        #expect(rest.map { $0.place?.index } == [nil, 3, 4], "the second clip begins as the first does")
        #expect(rest[0].job.kind == "sound")
        for order in orders(assembling(&second)) { #expect(order.job.kind == "assemble") }
    }

    @Test func `a stop before anything is done ends at once`() throws {
        var render = RenderStateMachine(try Plans.plain(seconds: 6), Self.options)
        #expect(end(render.cancel()) == .failure(.stopped))
        var looking = RenderStateMachine(try Plans.plain(seconds: 6), Self.options)
        _ = looking.start()
        #expect(end(looking.cancel()) == .failure(.stopped))
    }

    @Test func `a stop waits for the jobs, and what they still finish is kept`() throws {
        var render = RenderStateMachine(try Plans.plain(seconds: 6), Self.options)
        let orders = orders(begin(&render))
        #expect(render.cancel() == [.cancel(orders.map(\.number))])
        #expect(render.cancel().isEmpty)
        for order in orders.dropFirst() { #expect(render.cancelled(order.number).isEmpty) }
        let actions = render.rendered(orders[0].number, file(orders[0], render.plan))
        guard case .keep? = actions.first else {
            Issue.record("it is not kept: \(actions)")
            return
        }
        #expect(end(actions) == .failure(.stopped) && actions.count == 2)
    }

    // MARK: The sound

    @Test func `the sound is encoded when its last run is mixed, and alike runs are mixed once`() throws {
        let plan = try Plans.runs()
        #expect(plan.runs.map(\.twin) == [nil, 0, nil, nil], "\(plan.runs)")
        var render = RenderStateMachine(plan, Self.options)
        let mixes = orders(begin(&render)).filter { $0.job.kind == "mix" }
        #expect(mixes.count == 3)
        for order in mixes.dropLast() { #expect(orders(render.rendered(order.number, file(order, plan))).isEmpty) }
        let last = try #require(mixes.last)
        let next = orders(render.rendered(last.number, file(last, plan)))
        let sound = try #require(next.first?.job.work as? SoundJob)
        #expect(next.count == 1 && next[0].priority == 1 && next[0].key == plan.soundKey)
        #expect(sound.runs.map(\.firstSample) == plan.runs.map(\.firstSample))
        #expect(
            sound.runs[0].part.path == sound.runs[1].part.path && sound.runs[1].part.path != sound.runs[2].part.path)
    }

    @Test func `what the cache has of a sound's runs is not mixed`() throws {
        let plan = try Plans.runs()
        var render = RenderStateMachine(plan, Self.options)
        guard case .lookUp(let versions)? = render.start().last else { return }
        var actions: [RenderStateMachine.Action] = []
        for version in versions {
            let isThere = version.part != .sound && version.part != .run(2)
            let found = WrittenFile(path: "/parts/\(version.name)", file: RenderedFile(count: 1, size: 1, digest: "d"))
            actions += render.cacheAnswered(version, isThere ? found : nil)
        }
        #expect(orders(actions).map(\.job.kind) == ["mix"])
    }

    @Test func `a cached sound needs no runs`() throws {
        let plan = try Plans.runs()
        var render = RenderStateMachine(plan, Self.options)
        guard case .lookUp(let versions)? = render.start().last else { return }
        var actions: [RenderStateMachine.Action] = []
        for version in versions {
            let found = WrittenFile(path: "/parts/\(version.name)", file: RenderedFile(count: 1, size: 1, digest: "d"))
            if case .run = version.part {
                actions += render.cacheAnswered(version, nil)
            } else {
                actions += render.cacheAnswered(version, found)
            }
        }
        #expect(orders(actions).map(\.job.kind) == ["assemble"])
    }

    @Test func `damaged runs are mixed again three times, and then the disk is reported`() throws {
        let plan = try Plans.runs()
        var render = RenderStateMachine(plan, Self.options)
        var waiting = orders(begin(&render))
        var (mixed, failure): (Int, RenderFailure?) = (0, nil)
        while failure == nil, !waiting.isEmpty {
            let order = waiting.removeFirst()
            var actions: [RenderStateMachine.Action]
            if let sound = order.job.work as? SoundJob {
                let reply = SoundJob.Reply(written: nil, damaged: [sound.runs[3].part.path])
                actions = render.assembled(order.number, reply)
                if mixed < 6 { #expect(actions.contains(.forget(key: plan.runs[3].key)), "\(actions)") }
            } else {
                mixed += order.job.kind == "mix" ? 1 : 0
                actions = render.rendered(order.number, file(order, plan))
            }
            waiting += orders(actions)
            if case .failure(let end)? = end(actions) { failure = end }
        }
        #expect(mixed == 3 + 3)
        #expect(failure?.message.contains("is not what its worker wrote") == true, "\(failure as Any)")
    }

    // MARK: Messages

    @Test func `a plugin that fails in a segment is told of with its frames`() throws {
        var render = RenderStateMachine(try Plans.withPlugins(seconds: 6), Self.options)
        let failing = try #require(orders(begin(&render)).first { $0.place?.index == 1 })
        let culprit = Culprit(
            library: "/plugins/\(Plans.stateless).so", effectID: Plans.stateless, frame: 70)
        let failure = RenderFailure(.software, "It divided by zero.", culprit: culprit)
        let actions = render.failed(failing.number, failure)
        #expect(
            notices(actions).map(\.text) == [
                "the output is without the effect ‘org.test.pure’ from 2 s to 4 s (frames 60 to 119): It divided by zero."
            ])
        // A second time there is nothing left to leave out.
        let again = try #require(orders(actions).first)
        #expect(again.place == failing.place && again.number > failing.number)
        #expect(notices(render.failed(again.number, failure)).isEmpty)
    }

    @Test func `a plugin that fails in the sound is told of with its samples`() throws {
        var render = RenderStateMachine(try Plans.withPlugins(seconds: 6), Self.options)
        let failing = try #require(orders(begin(&render)).first)
        let culprit = Culprit(library: "/plugins/\(Plans.sound).so")
        let actions = render.failed(failing.number, RenderFailure(.software, "It hung.", culprit: culprit))
        let notice = try #require(notices(actions).first)
        #expect(
            notice.text
                == "the output is without the effects of ‘/plugins/org.test.echo.so’ in the sound from 0 s to 6 s: It hung."
        )
        guard case .detour(let detour) = notice else { return }
        #expect(detour.stretch.samples == 0..<264_600, "44.1 kHz, as the file has")
    }

    @Test func `damaged parts are made again three times, and then the disk is told of`() throws {
        var render = RenderStateMachine(try Plans.plain(seconds: 6), Self.options)
        var assemble = try #require(orders(assembling(&render)).first)
        let reply = AssembleJob.Reply(written: nil, damaged: ["/parts/segment-1"])
        for _ in 1...3 {
            var actions = render.assembled(assemble.number, reply)
            #expect(notices(actions) == [.damaged(paths: ["/parts/segment-1"])])
            #expect(notices(actions).map(\.text) == ["a damaged part is rendered again: ‘/parts/segment-1’"])
            #expect(actions.contains(.forget(key: render.plan.segments[1].key)))
            let again = orders(actions)
            #expect(again.map { $0.place?.index } == [1])
            actions = render.rendered(again[0].number, file(again[0], render.plan))
            assemble = try #require(orders(actions).first)
        }
        let failure = RenderFailure(
            .machine, "The rendered part ‘/parts/segment-1’ is not what its worker wrote; the disk may be damaged.")
        #expect(end(render.assembled(assemble.number, reply)) == .failure(failure))
    }

    @Test(arguments: [(0.25, "more"), (-0.25, "less")])
    func `a bit rate that is missed is told of`(difference: Double, word: String) {
        #expect(
            Notice.missesBitRate(asked: 1, difference: difference).text
                == "the picture takes 25 % \(word) than the 1 bits per second that were asked for, whatever its quality"
        )
    }

    @Test func `a picture that cannot take its bit rate says so`() throws {
        var render = RenderStateMachine(try Plans.withBitRate(seconds: 3), Self.options)
        var actions = begin(&render)
        var told: [Notice] = []
        var stages: Set<String> = []
        for _ in 0..<40 {
            told += notices(actions)
            for case .report(let progress) in actions { stages.insert(progress.stage) }
            let new = orders(actions)
            guard let first = new.first, first.job.kind != "assemble" else { break }
            actions = []
            for order in new {
                let next = render.rendered(order.number, file(order, render.plan))
                actions += next
                // The next quality may be in the cache, too.
                for case .lookUp(let versions) in next {
                    for version in versions { actions += render.cacheAnswered(version, nil) }
                }
            }
        }
        #expect(told.count == 1 && stages == ["measuring", "rendering", "assembling"])
        guard case .missesBitRate(1_000_000, let difference)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(difference < -0.99)
    }
}
