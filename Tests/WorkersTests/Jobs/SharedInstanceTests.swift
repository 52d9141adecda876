import TestSupport
import Testing
import Values

@testable import PluginHosting
@testable import Workers

/// Instances that serve all requests with the same values.
@Suite(.waits) struct SharedInstanceTests {
    private func instances(
        after status: Double, _ defines: [String] = ["SHARED"]
    ) throws -> (before: EffectInstance, after: EffectInstance) {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("errors", defines, in: folder)
            let shelf = LoadedPlugins(breadcrumb: folder.file("breadcrumb"))
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

    /// The flag alone is not enough.
    @Test(arguments: [
        [], ["SHARED", "CONCURRENCY=CUTROOM_CONCURRENCY_INSTANCE"], ["SHARED", "STATE=CUTROOM_STATE_SEQUENTIAL"],
        ["SHARED", "STATE=CUTROOM_STATE_WARM_UP"],
    ]) func otherEffectsHaveOneForEach(defines: [String]) throws {
        let (first, second) = try instances(after: 0, defines)
        #expect(first !== second)
    }

    @Test func theSameIsFormatSizeRateAndWhatIsGivenOnce() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build(
                "errors", ["SHARED", "FIXTURE_FORMATS=CUTROOM_FORMAT_RGBA8,CUTROOM_FORMAT_RGBAF32"], in: folder)
            let shelf = LoadedPlugins(breadcrumb: folder.file("breadcrumb"))
            let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.errors")
            func instance(_ change: (inout PluginSetup) -> Void = { _ in }) throws -> EffectInstance {
                var setup = PluginSetup(format: .rgba8, width: 4, height: 4, frameRate: Rational(25))
                change(&setup)
                return try shelf.instance(of: loaded, setup)
            }
            let changes: [(inout PluginSetup) -> Void] = [
                { _ in }, { $0.width = 5 }, { $0.format = .rgbaFloat }, { $0.frameRate = Rational(30) },
                { $0.values = ["text": .text("a")] }, { $0.values = ["text": .text("b")] },
                { $0.values = ["refuse": .numbers([0])] },
            ]
            let all = try changes.map { try instance($0) }
            #expect(Set(all.map(ObjectIdentifier.init)).count == changes.count)
            for (change, known) in zip(changes, all) { #expect(try instance(change) === known) }
        }
    }

    /// A worker that lives long does not keep all that it ever made.
    @Test func after32AllAreForgotten() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("errors", ["SHARED"], in: folder)
            let shelf = LoadedPlugins(breadcrumb: folder.file("breadcrumb"))
            let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.errors")
            func instance(_ width: Int) throws -> EffectInstance {
                try shelf.instance(
                    of: loaded, PluginSetup(format: .rgba8, width: width, height: 4, frameRate: Rational(25)))
            }
            let first = try (1...32).map(instance)
            #expect(try (1...32).map(instance).elementsEqual(first) { $0 === $1 })
            let more = try instance(33)
            #expect(try instance(1) !== first[0] && instance(33) === more)
        }
    }
}
