import Draft
import TestSupport
import Testing

@testable import Workers

/// Instances that serve everybody who asks for the same.
@Suite struct SharedInstanceTests {
    private func instances(
        after status: Double, _ defines: [String] = ["SHARED"]
    ) throws -> (before: EffectInstance, after: EffectInstance) {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("errors", defines, in: folder)
            let shelf = PluginShelf(breadcrumb: folder.file("breadcrumb"))
            let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.errors")
            let setup = PluginSetup(format: .rgba8, width: 4, height: 4, frameRate: Rational(25))
            let first = try shelf.instance(of: loaded, setup)
            let (input, output) = (FrameMemory(.rgba8, 4, 4), FrameMemory(.rgba8, 4, 4))
            var call = FrameCall(input: input.frame, output: output.frame)
            call.values = ["status": .numbers([status])]
            withExtendedLifetime((input, output)) { _ = try? first.process(call) }
            return (first, try shelf.instance(of: loaded, setup))
        }
    }

    @Test func oneServesAll() throws {
        let (first, second) = try instances(after: 0)
        #expect(first === second)
    }

    @Test func anErrorThatPassesLeavesIt() throws {
        let (first, second) = try instances(after: -2)
        #expect(first === second)
    }

    /// Else what comes later would depend on what this process did before.
    @Test(arguments: [-7, -99]) func aDeadOneServesNobody(status: Double) throws {
        let (first, second) = try instances(after: status)
        #expect(first !== second && first.isDead && !second.isDead)
    }

    @Test func otherEffectsHaveOneForEach() throws {
        let (first, second) = try instances(after: 0, [])
        #expect(first !== second)
    }
}
