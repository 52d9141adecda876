import Composition
import Draft
import Jobs
import Rendering
import TestSupport
import Testing
import Values

/// A render reports what its parts met in damaged media: once, whoever made the parts, or ends over
/// it.
@Suite struct RenderDamageTests {
    /// Parts that all show the same second of the first file, as their workers report it.
    private func damaged(_ plan: RenderPlan) throws -> DamageReport {
        let file = try #require(plan.composition.files.first { $0.draft == nil })
        let range = Time(flicks: Time.flicksPerSecond)..<Time(flicks: 2 * Time.flicksPerSecond)
        let stranger = FileIdentity(size: 999, modified: 0, digest: "of another render")
        return DamageReport([
            SourceDamage(file.info.identity, isSound: false, [range]), SourceDamage(stranger, isSound: true, [range]),
        ])
    }

    /// Renders to the point where the parts are there.
    /// - Parameter cached: parts come from the cache; else workers make them.
    private func run(_ plan: RenderPlan, isStrict: Bool, cached: Bool, _ damage: DamageReport?) -> [RenderStateMachine
        .Action]
    {
        var render = RenderStateMachine(
            plan, RenderStateMachine.Options(folder: "/p", temporary: "/o/.t", isStrict: isStrict))
        var part = RenderedFile(count: 60, size: 1, digest: "d")
        part.damage = damage
        var actions = render.start()
        var all = actions
        if case .lookUp(let versions)? = actions.last {
            actions = []
            for version in versions {
                let found = cached ? WrittenFile(path: "/p/\(version.part)", file: part) : nil
                actions += render.cacheAnswered(version, found)
            }
            all += actions
        }
        var waiting = actions
        while !waiting.isEmpty, !cached {
            guard case .submit(let orders) = waiting.removeFirst() else { continue }
            for order in orders where order.job.mayRunTwice && order.job.joinedBytes == nil {
                let next = render.rendered(order.number, WrittenFile(path: "/p/\(order.number)", file: part))
                all += next
                waiting += next
            }
        }
        return all
    }

    private func notices(_ actions: [RenderStateMachine.Action]) -> [DamagedMedia] {
        actions.compactMap { if case .tell(.damagedMedia(let media)) = $0 { media } else { nil } }
    }

    @Test(arguments: [false, true]) func eachStretchIsToldOnce(cached: Bool) throws {
        let plan = try Plans.plain(seconds: 6)
        let told = notices(run(plan, isStrict: false, cached: cached, try damaged(plan)))
        #expect(told.count == 1)
        let media = try #require(told.first)
        #expect(media.path == plan.composition.files.first { $0.draft == nil }?.path)
        #expect(media.text.hasSuffix("is damaged: its picture is wrong or missing from 1 s to 2 s"))
        #expect(notices(run(plan, isStrict: false, cached: cached, nil)).isEmpty)
    }

    /// A copy that was damaged in its middle has the size and the digest of the whole file.
    @Test func aWholeFileIsNotTakenForItsDamagedCopy() throws {
        let plan = try Plans.plain(seconds: 1)
        var copy = try #require(plan.composition.files.first { $0.draft == nil }).info.identity
        copy.modified += 1
        let report = DamageReport([SourceDamage(copy, isSound: false, [.zero..<Time(flicks: 1)])])
        #expect([DamagedMedia]([report], in: plan.composition).isEmpty)
    }

    @Test(arguments: [false, true]) func strictRendersEndOverIt(cached: Bool) throws {
        let plan = try Plans.plain(seconds: 6)
        let actions = run(plan, isStrict: true, cached: cached, try damaged(plan))
        guard case .finish(.failure(let failure))? = actions.last else {
            Issue.record("it goes on: \(actions)")
            return
        }
        #expect(failure.cause == .input)
        #expect(failure.message.contains("from 1 s to 2 s"), "\(failure.message)")
        #expect(failure.message.contains("--strict"))
        #expect(notices(actions).isEmpty)
        if case .finish? = run(plan, isStrict: true, cached: cached, nil).last { Issue.record("intact media end it") }
    }

    @Test func manyStretchesAreCounted() throws {
        let plan = try Plans.plain(seconds: 1)
        let file = try #require(plan.composition.files.first { $0.draft == nil })
        let second = Time.flicksPerSecond
        let ranges = (Int64(0)..<150).map { Time(flicks: $0 * second)..<Time(flicks: $0 * second + 1) }
        let report = DamageReport([SourceDamage(file.info.identity, isSound: true, ranges)])
        let found = [DamagedMedia]([report], in: plan.composition)
        #expect(found.count == 20 && found.last?.others == 130 && found.first?.others == 0)
        #expect(found.last?.text.hasSuffix("and in 130 more places after that") == true)
    }
}
