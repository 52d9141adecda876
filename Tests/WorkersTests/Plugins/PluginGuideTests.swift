import Draft
import Foundation
import PluginABI
import TestSupport
import Testing

@testable import PluginHosting

/// What `docs/plugins.md` shows works as shown.
@Suite(.waits) struct PluginGuideTests {
    @Test func theGuidesPluginBuildsAndWorks() throws {
        try TemporaryFolder.with { folder in
            let guide = try String(contentsOfFile: Project.root + "/docs/plugins.md", encoding: .utf8)
            // The first is a whole plugin; others show a call.
            let blocks = guide.components(separatedBy: "```c\n").dropFirst().compactMap {
                $0.components(separatedBy: "```").first
            }
            let code = try #require(blocks.first { $0.hasPrefix("#include <cutroom/plugin.h>") })
            let source = try folder.write(code, to: "negative.c")
            let library = folder.file("negative.so")
            try TestPlugin.build(source, to: library)
            let registry = PluginRegistry(searchPaths: [folder.path])
            #expect(registry.descriptors().effects.map(\.id) == ["org.example.negative"])
            #expect(registry.descriptors().problems.isEmpty)
            let effect = try registry.load(path: library, effectID: "org.example.negative")
            let (input, output) = (FrameMemory(.rgba8, 13, 7), FrameMemory(.rgba8, 13, 7))
            input.fill { _, byte, row in UInt8(byte * 4 + row) }
            let instance = try effect.instance(.rgba8, 13, 7)
            for (amount, negative) in [(1.0, true), (0, false)] {
                var call = FrameCall(input: input.frame, output: output.frame)
                call.values = ["amount": .numbers([amount])]
                #expect(try instance.process(call) == .output)
                let expected = input.samples.enumerated().map { $0 % 4 == 3 || !negative ? $1 : 255 - $1 }
                #expect(output.samples == expected && output.paddingIsUntouched)
            }
        }
    }

    /// What `pkg-config --modversion` says is the header's version.
    @Test func pkgConfigHasTheHeadersVersion() throws {
        let text = try String(contentsOfFile: Project.root + "/Plugins/cutroom-plugin.pc.in", encoding: .utf8)
        #expect(text.contains("\nVersion: \(CUTROOM_ABI_MAJOR).\(CUTROOM_ABI_MINOR)\n"), "\(text)")
    }
}
