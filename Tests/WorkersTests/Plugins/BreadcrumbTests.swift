import Draft
import Foundation
import Messaging
import TestSupport
import Testing

@testable import PluginHosting

/// What is left of a worker that died inside a plugin.
@Suite(.waits) struct BreadcrumbTests {
    @Test func aCrashNamesPluginEffectAndFrame() async throws {
        try await TemporaryFolder.with { folder in
            let library = try PluginFixture.build("crash", in: folder)
            let trail = folder.file("trail")
            await #expect(processExitsWith: .signal(SIGSEGV)) {
                [library = library as String, trail = trail as String] in
                try run(library, "test.crash", frames: 60, trail: trail)
            }
            #expect(
                Breadcrumb.read(file: trail)
                    == Breadcrumb(
                        phase: .process, path: library, plugin: "Fixture", effectID: "test.crash", frame: 40))
        }
    }

    @Test func aHangIsNamedWhenTheWorkerIsKilled() async throws {
        try await TemporaryFolder.with { folder in
            let library = try PluginFixture.build("hang", in: folder)
            let trail = folder.file("trail")
            await #expect(processExitsWith: .signal(SIGALRM)) {
                [library = library as String, trail = trail as String] in
                alarm(1)
                try run(library, "test.hang", frames: 1, trail: trail)
            }
            #expect(
                Breadcrumb.read(file: trail)
                    == Breadcrumb(
                        phase: .process, path: library, plugin: "Fixture", effectID: "test.hang", frame: 0))
        }
    }

    @Test func nothingIsLeftAfterACall() throws {
        try TemporaryFolder.with { folder in
            let library = try PluginFixture.build("crash", in: folder)
            try run(library, "test.crash", frames: 3, trail: folder.file("trail"))
            #expect(Breadcrumb.read(file: folder.file("trail")) == nil)
        }
    }

    @Test func recordsComeBackAsWritten() throws {
        try TemporaryFolder.with { folder in
            let writer = try #require(BreadcrumbWriter(breadcrumbPath: folder.file("trail")))
            for crumb in [
                Breadcrumb(phase: .load, path: "/a b/ü\n.so", plugin: "x"),
                Breadcrumb(phase: .create, path: String(repeating: "p", count: 4095), plugin: "", effectID: "org.x"),
                Breadcrumb(phase: .process, path: "/p.so", plugin: "P", effectID: "o.e", frame: 1 << 40),
            ] {
                writer.write(crumb)
                #expect(Breadcrumb.read(file: folder.file("trail")) == crumb)
            }
            writer.clear()
            #expect(Breadcrumb.read(file: folder.file("trail")) == nil)
        }
    }

    /// Whatever a stray write leaves on the page, reading answers, and only with what was written
    /// whole.
    @Test func damagedPagesAreRefused() throws {
        try TemporaryFolder.with { folder in
            #expect(Breadcrumb.read(file: folder.file("none")) == nil)
            #expect(BreadcrumbWriter(breadcrumbPath: folder.file("no/such/folder")) == nil)
            let path = folder.file("trail")
            let writer = try #require(BreadcrumbWriter(breadcrumbPath: path))
            let crumb = Breadcrumb(phase: .process, path: "/p.so", plugin: "P", effectID: "o.e", frame: 7)
            writer.write(crumb)
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            let seed = Seed.announced(for: "damagedPagesAreRefused", cases: 500)
            for index in 0..<500 {
                var random = SplitMix64.forCase(index, of: seed)
                var bytes = good
                if random.chance(1, in: 5) {
                    bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
                } else {
                    for _ in 0...Int.random(in: 0..<4, using: &random) {
                        bytes[Int.random(in: 0..<80, using: &random)] = UInt8.random(in: 0...255, using: &random)
                    }
                }
                let file = try folder.write(bytes, to: "damaged")
                let found = Breadcrumb.read(file: file)
                #expect(found == nil || found == crumb, "case \(index)")
            }
        }
    }
}

/// Runs an effect over `frames` tiny frames.
private func run(_ library: String, _ effectID: String, frames: Int, trail: String) throws {
    let writer = try #require(BreadcrumbWriter(breadcrumbPath: trail))
    let effect = try PluginRegistry(searchPaths: [], breadcrumb: writer).load(path: library, effectID: effectID)
    let (input, output) = (FrameMemory(.rgba8, 4, 4), FrameMemory(.rgba8, 4, 4))
    let instance = try effect.instance(.rgba8, 4, 4)
    for index in 0..<frames {
        var call = FrameCall(input: input.frame, output: output.frame)
        call.index = index
        _ = try instance.process(call)
    }
}
