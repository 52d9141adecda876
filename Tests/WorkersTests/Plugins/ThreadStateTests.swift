import TestSupport
import Testing

@testable import PluginHosting

/// What a plugin changes of the thread that calls it.
@Suite(.waits) struct ThreadStateTests {
    private static let harms: [(harm: String, aspect: ThreadState.Aspect)] = [
        ("ROUNDS_UP", .floatingPoint), ("FLUSHES_DENORMALS", .floatingPoint), ("LOSES_PRECISION", .floatingPoint),
        ("LEAVES_MMX", .floatingPoint), ("TRAPS", .floatingPoint), ("BLOCKS_SIGNALS", .signalMask),
    ]

    /// One after the other: each has to find what the one before has left, if it did.
    @Test(arguments: [("LOAD", "load"), ("CREATE", "create"), ("PROCESS", "process"), ("TASK", "process")])
    func whatACallChangesOfItsThreadIsGivenBackAndTold(place: String, phase: String) throws {
        try TemporaryFolder.with { folder in
            for (harm, aspect) in Self.harms {
                try Self.check(try Self.built(harm, at: place, in: folder), aspect, phase)
            }
        }
    }

    /// The limit is the process's, and other tests write large files.
    @Test(arguments: [("LOAD", "load"), ("CREATE", "create"), ("PROCESS", "process"), ("TASK", "process")])
    func aLimitOfFilesIsGivenBackAndTold(place: String, phase: String) async throws {
        try await TemporaryFolder.with { folder in
            let library = try Self.built("LIMITS_FILE_SIZE", at: place, in: folder)
            await #expect(processExitsWith: .success) { [library = library as String, phase = phase as String] in
                try ThreadStateTests.check(library, .fileSize, phase)
            }
        }
    }

    private static func built(_ harm: String, at place: String, in folder: TemporaryFolder) throws -> String {
        try PluginFixture.build("Bad/bad", ["HARM=\(harm)", "HARM_AT=\(place)"], as: "\(harm)-\(place)", in: folder)
    }

    private static func check(_ path: String, _ aspect: ThreadState.Aspect, _ phase: String) throws {
        var told: [String] = []
        let before = ThreadState()
        let registry = PluginRegistry(
            searchPaths: [], notice: { told.append("\($0.path): \($0.phase), \($1.aspect)") })
        let instance = try registry.load(path: path, effectID: "test.bad").instance(.rgba8, 4, 3)
        let (input, output) = (FrameMemory(.rgba8, 4, 3), FrameMemory(.rgba8, 4, 3))
        for _ in 0..<2 { _ = try instance.process(FrameCall(input: input.frame, output: output.frame)) }
        #expect(before.restore().map(\.aspect) == [], "\(path)")
        let times = phase == "process" ? 2 : 1
        #expect(told == Array(repeating: "\(path): \(phase), \(aspect)", count: times))
    }
}
