import Composition
import Draft
import Jobs
import TestSupport
import Testing

/// A trial asks plugins for the same things as the render.
@Suite struct TrialJobTests {
    private static let setup = ParameterDescriptor(
        id: "graph", kind: .string, label: "Graph", unit: "", help: "", isAnimatable: false, minimum: 0, maximum: 0,
        initial: [], initialText: "", choices: [])

    private var catalog: Catalog {
        var catalog = RandomDraft.catalog
        for index in catalog.effects.indices { catalog.effects[index].parameters.append(Self.setup) }
        return catalog
    }

    private func effect(_ id: String, _ graph: String) -> PluginEffect {
        PluginEffect(effectID: id, parameters: ["amount": .numbers(.constant(0.25)), "graph": .text(graph)])
    }

    /// Each place of a draft, with what a slice and the sound's job carry for it.
    @Test func `each use is asked for what it works on, and for what cannot change`() throws {
        var clip = Clip.made(4)
        clip.effects = [Effect(.picture(.filter(effect("org.test.pure", "clip"))))]
        let rect = Rect(x: -3, y: 5, width: 31, height: 17)
        var draft = Draft(
            [clip, .sound(0, 5)],
            effects: [
                Effect(.sound(effect("org.test.echo", "sound"))),
                Effect(.picture(.overlay(SourceOverlay(effect("org.test.made", "over"), rect: rect)))),
                Effect(.picture(.overlay(SourceOverlay(effect("org.test.made", "all"))))),
            ])
        draft.export.audio.channels = 1
        draft.export.audio.sampleRate = 44_100
        let catalog = catalog
        let jobs = draft.pluginUses(catalog).compactMap { TrialJob($0, of: draft, catalog) }
        let plan = try RenderPlan(draft, catalog: catalog, container: .mov, libraries: "libav 1")
        let slice = try #require(plan.segmentJob(0, output: "")).slice
        let canvas = slice.stage(slice.size)
        let sound = try #require(plan.soundMix).stage
        #expect(canvas.size == Canvas.Size(width: 640, height: 360))
        #expect(sound.sampleRate == 44_100 && sound.channels == 1)
        #expect(
            Set(jobs.map { "\($0.effect.parameters["graph"] ?? .text("")) \($0.stage)" })
                == Set(
                    [
                        (ParameterValue.text(""), EffectStage.picture(canvas)), (.text("clip"), .picture(canvas)),
                        (.text("sound"), .sound(sound)),
                        (.text("over"), .picture(slice.overlayStage(rect.size))),
                        (.text("all"), .picture(slice.overlayStage(canvas.size))),
                    ].map { "\($0) \($1)" }))
        #expect(jobs.allSatisfy { $0.effect.parameters["amount"] == nil })
        for job in jobs { #expect(job.plugin.digest == catalog.effect(job.effect.effectID)?.digest) }
    }

    /// Only one of several equal uses has to be tried.
    @Test func `uses that differ in what can change are one job`() throws {
        let catalog = catalog
        let draft = Draft(
            [.made(4), .made(2, .constant(0.75))], effects: [Effect(.picture(.filter(effect("org.test.pure", "a"))))])
        let jobs = draft.pluginUses(catalog).compactMap { TrialJob($0, of: draft, catalog) }
        #expect(jobs.count == 3 && Set(jobs).count == 2)
    }
}
