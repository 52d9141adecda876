import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Frames in guarded memory.
@Suite(.waits, .enabled(if: !Sanitizer.isActive, "memory faults are the sanitizer's")) struct GuardedCallTests {
    private static func instance(_ defines: [String], _ folder: TemporaryFolder) throws -> EffectInstance {
        let library = try PluginFixture.build("misbehaves", defines + ["FRAME=1"], in: folder)
        var setup = PluginSetup(format: .rgba8, width: 37, height: 23, frameRate: Rational(30))
        setup.isGuarded = true
        return try PluginRegistry(searchPaths: []).load(path: library, effectID: "test.misbehaves").makeInstance(setup)
    }

    private static func process(_ instance: EffectInstance, frame: Int) throws -> FrameMemory {
        let (input, output) = (FrameMemory(.rgba8, 37, 23), FrameMemory(.rgba8, 37, 23))
        input.fill { plane, x, y in UInt8(truncatingIfNeeded: 7 * x + 3 * y + plane) }
        var call = FrameCall(input: input.frame, output: output.frame)
        call.index = frame
        call.outputPlace = .frame(100 + frame)
        _ = try instance.process(call)
        return output
    }

    @Test func theFrameComesBackAndNothingElse() throws {
        try TemporaryFolder.with { folder in
            let output = try Self.process(try Self.instance([], folder), frame: 0)
            #expect(output.samples == (0..<37 * 23 * 4).map { $0 % 4 == 3 ? 255 : 0 })
            #expect(output.paddingIsUntouched)
        }
    }

    @Test(arguments: [
        ("WRITES_BESIDE", "it writes outside of the output: 3 bytes beyond the end of row 3, which has 148"),
        ("WRITES_BEFORE", "it writes outside of the output: 5 bytes before its first row"),
    ])
    func writesBesideTheRowsAreFound(define: String, reason: String) throws {
        try TemporaryFolder.with { folder in
            let instance = try Self.instance([define], folder)
            for _ in 0..<2 {
                _ = try Self.process(instance, frame: 0)
                do {
                    _ = try Self.process(instance, frame: 1)
                    Issue.record("nothing was found")
                } catch let error as PluginError {
                    #expect(error.code == .strayWrite && error.reason == reason && error.place == .frame(101))
                }
            }
        }
    }

    /// The guards stop these at once.
    @Test(arguments: ["WRITES_BEYOND", "WRITES_INPUT"]) func othersAreStopped(define: String) async throws {
        try await TemporaryFolder.with { folder in
            let library = folder.file("m.so")
            try TestPlugin.build("misbehaves.c", [define, "FRAME=1"], to: library)
            await #expect(processExitsWith: .signal(SIGSEGV)) { [library = library as String] in
                var setup = PluginSetup(format: .rgba8, width: 37, height: 23, frameRate: Rational(30))
                setup.isGuarded = true
                let effect = try PluginRegistry(searchPaths: []).load(path: library, effectID: "test.misbehaves")
                _ = try GuardedCallTests.process(try effect.makeInstance(setup), frame: 1)
            }
        }
    }
}
