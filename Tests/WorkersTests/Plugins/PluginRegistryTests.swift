import Foundation
import TestSupport
import Testing

@testable import PluginHosting

/// Finding, opening and refusing libraries.
@Suite(.waits) struct PluginRegistryTests {
    @Test func aScanSurvivesEverythingThatIsNoPlugin() throws {
        try TemporaryFolder.with { folder in
            try PluginFixture.build("crash", as: "a_good", in: folder)
            try PluginFixture.build("not_a_plugin", as: "b_no_entry", in: folder)
            try folder.write("this is not a library", to: "c_text.so")
            try folder.write("", to: "d_empty.so")
            try PluginFixture.build("entry", ["MAJOR=2"], as: "e_major", in: folder)
            try PluginFixture.build("entry", ["MINOR_NEEDED=7"], as: "f_minor", in: folder)
            try PluginFixture.build("entry", ["MAGIC=1"], as: "g_magic", in: folder)
            try PluginFixture.build("entry", ["ENTRY_SIZE=40"], as: "h_short", in: folder)
            try PluginFixture.build("entry", ["INIT_STATUS=CUTROOM_ERROR_FATAL"], as: "i_init", in: folder)
            try PluginFixture.build("entry", ["UNDEFINED"], as: "j_undefined", in: folder)
            try PluginFixture.build("crash", as: "k_duplicate", in: folder)
            try PluginFixture.build("entry", ["LACKS_INIT"], as: "m_lacks", in: folder)
            // An AArch64 library as far as the loader looks.
            var foreign = try Data(contentsOf: URL(filePath: folder.file("a_good.so")))
            (foreign[18], foreign[19]) = (183, 0)
            try foreign.write(to: URL(filePath: folder.file("n_machine.so")))
            try folder.write("ignored", to: "readme.txt")
            try FileManager.default.createDirectory(
                atPath: folder.file("l_folder.so"), withIntermediateDirectories: true)

            let (effects, problems) = PluginRegistry(searchPaths: [folder.path, "/no/such/folder"]).descriptors()
            #expect(effects.map(\.id) == ["test.crash"])
            #expect(effects.first?.path == folder.file("a_good.so"))
            let expected = [
                ("/no/such/folder", "No such file"), ("b_no_entry.so", "does not export cutroom_plugin_entry"),
                ("c_text.so", "dynamic loader refuses"), ("d_empty.so", "dynamic loader refuses"),
                ("e_major.so", "built for version 2 of the plugin interface"), ("f_minor.so", "needs version 1.7"),
                ("g_magic.so", "magic number"), ("h_short.so", "40 bytes"), ("i_init.so", "the licence server sleeps"),
                ("j_undefined.so", "no_such_function_anywhere"), ("k_duplicate.so", "comes first on the search path"),
                ("l_folder.so", "cannot be read"), ("m_lacks.so", "its entry lacks the function init"),
                ("n_machine.so", "it is built for ARM (64 bits), but this Cutroom runs on"),
            ]
            #expect(problems.count == expected.count)
            for (path, reason) in expected {
                #expect(
                    problems.contains {
                        $0.path.hasSuffix(path) && $0.reason.contains(reason) && $0.reason.contains(path)
                    },
                    "\(path): \(problems.filter { $0.path.hasSuffix(path) })")
            }
        }
    }

    @Test func badDescriptorsCostOnlyThemselves() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("descriptors", in: folder)
            let registry = PluginRegistry(searchPaths: [path])
            let (effects, problems) = registry.descriptors()
            #expect(effects.map(\.id) == ["test.good", "test.transition", "test.reach"])
            for (effect, reason) in [
                ("test.outside", "default 2.0"), ("test.nan", "bounds 0.0…nan"), ("test.reversed", "bounds 1.0…0.0"),
                ("test.twice", "two parameters ‘x’"), ("test.bad_id", "no id"), ("test.no_choices", "without values"),
                ("test.unknown_type", "type 99"), ("number 8", "reverse domain name"),
                ("test.no_process", "lacks the function process"),
                ("number 15", "its id ‘test.Capital’ is not a reverse domain name of a–z"),
                ("number 16", "its id ‘test..empty’ is not"), ("test.bare", "lacks the functions create and process"),
                ("number 10", "earlier effect"), ("test.new_kind", "kind 77"), ("number 12", "16 bytes"),
                ("number 18", "no table"),
            ] {
                #expect(
                    problems.contains { $0.reason.contains(effect) && $0.reason.contains(reason) },
                    "\(effect): \(problems)"
                )
            }
            #expect(problems.count == 16)
            #expect(try registry.load(path: path, effectID: "test.transition").descriptor.kind == .transition)
            let far = #expect(throws: PluginError.self) { try registry.load(path: path, effectID: "test.reach") }
            #expect(far?.reason.contains("251 frames before the current one") == true)
            let error = #expect(throws: PluginError.self) { try registry.load(path: path, effectID: "test.goood") }
            #expect(error?.code == .unknownEffect)
            #expect(error?.description.contains("did you mean ‘test.good’?") == true)
            let hidden = #expect(throws: PluginError.self) { try registry.load(path: path, effectID: "test.outside") }
            #expect(hidden?.reason.contains("default 2.0") == true)
        }
    }

    /// What an effect asks for and no render gives: it is listed, with the reason.
    @Test(arguments: PluginFixture.needs) func whatNoRenderGivesIsRefused(defines: [String], reason: String) throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("limits", defines, in: folder)
            let registry = PluginRegistry(searchPaths: [path])
            let (effects, problems) = registry.descriptors()
            #expect(problems.isEmpty && effects.first?.refusal?.contains(reason) == true, "\(effects) \(problems)")
            let error = #expect(throws: PluginError.self) { try registry.load(path: path, effectID: "test.limits") }
            #expect(error?.code == .unsupportedKind && error?.reason.contains(reason) == true, "\(error as Any)")
        }
    }

    private static let sound = [
        "FIXTURE_SOUND=1", "FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER", "FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR",
    ]

    @Test(arguments: [
        ["EXTRA=.warm_up=250"], ["EXTRA=.reach_before=250,.reach_after=250"],
        ["EXTRA=.reach_before=1048576,.reach_after=1048576"] + sound,
        ["EXTRA=.params=params,.param_count=1,.param_stride=sizeof*params"],
    ]) func whatIsJustAllowedIsTaken(defines: [String]) throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("limits", defines, in: folder)
            _ = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.limits")
        }
    }

    @Test func aSourceHasNoReach() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build(
                "limits", ["EXTRA=.reach_before=251,.reach_after=3", "FIXTURE_KIND=CUTROOM_KIND_SOURCE"], in: folder)
            let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.limits")
            #expect(loaded.descriptor.reachBefore == 0 && loaded.descriptor.reachAfter == 0)
        }
    }

    /// Only a script that uses one is told that no sound is shown.
    @Test func analysersOfSoundAreListed() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build(
                "measures", ["FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR"], in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [path]).descriptors()
            #expect(problems.isEmpty && effects.map(\.id) == ["test.measures"], "\(effects) \(problems)")
            let effect = try #require(effects.first)
            #expect(effect.kind == .analyser && effect.formats == ["pcmf32_planar"] && effect.refusal == nil)
        }
    }

    @Test func hiddenLibrariesAreUsedOnlyWhereTheyAreNamed() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("crash", as: ".hidden", in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [folder.path]).descriptors()
            #expect(effects.isEmpty && problems.isEmpty, "\(effects) \(problems)")
            #expect(PluginRegistry(searchPaths: [path]).descriptors().effects.map(\.id) == ["test.crash"])
        }
    }

    @Test func functionsOfOneNameDoNotMeet() throws {
        try TemporaryFolder.with { folder in
            let input = FrameMemory(.rgba8, 4, 3)
            for number: UInt8 in [1, 2] {
                let path = try PluginFixture.build(
                    "Bad/bad", ["EXTRA_SYMBOL=\(number)"], as: "helper\(number)", in: folder)
                let output = FrameMemory(.rgba8, 4, 3)
                var call = FrameCall(input: input.frame, output: output.frame)
                input.fill { _, _, _ in 0 }
                call.values = ["amount": .numbers([10])]
                let instance = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.bad")
                    .instance(.rgba8, 4, 3)
                #expect(try instance.process(call) == .output)
                #expect(output.samples[0] == 10 + number, "\(output.samples)")
            }
        }
    }

    /// A library that is no longer held stays loaded.
    @Test func librariesAreNeverClosed() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("crash", as: "never_closed", in: folder)
            weak var registry: PluginRegistry?
            weak var effect: LoadedEffect?
            do {
                let scan = PluginRegistry(searchPaths: [path])
                let loaded = try scan.load(path: path, effectID: "test.crash")
                _ = try loaded.instance(.rgba8, 4, 4)
                (registry, effect) = (scan, loaded)
            }
            #expect(registry == nil && effect == nil)
            // Opens only what is still there.
            let handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
            #expect(handle != nil)
            if let handle { dlclose(handle) }
        }
    }

    @Test(arguments: [
        ("EXTRA=.params=params,.param_count=1025,.param_stride=sizeof*params", "1025 parameters and may have 1024"),
        ("EXTRA=.param_count=1,.param_stride=sizeof*params", "1 parameters and has none"),
        ("EXTRA=.params=params,.param_count=1,.param_stride=8", "8 bytes apart"),
        ("EXTRA=.params=params,.param_count=1,.param_stride=sizeof*params+4", "bytes apart"),
        ("COUNT=10001", "claims to have 10001 effects; 10000 are allowed"),
    ]) func impossibleClaimsAreNotBelieved(define: String, reason: String) throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("limits", [define], in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [path]).descriptors()
            #expect(effects.isEmpty && problems.count == 1 && problems[0].reason.contains(reason), "\(problems)")
        }
    }

    /// Opening it would wait forever for a writer.
    @Test(.ends(within: .seconds(300))) func aPipeIsNoLibrary() throws {
        try TemporaryFolder.with { folder in
            #expect(mkfifo(folder.file("a_pipe.so"), 0o600) == 0)
            try PluginFixture.build("crash", as: "b_good", in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [folder.path]).descriptors()
            #expect(effects.map(\.id) == ["test.crash"])
            #expect(problems.count == 1 && problems[0].reason.contains("it cannot be read"), "\(problems)")
        }
    }

    /// A plugin built with a later or an earlier header, whose structures are longer or shorter
    /// than this host's.
    @Test(arguments: ["longer", "shorter"]) func otherStructSizesWork(name: String) throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build(name, in: folder)
            let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.\(name)")
            if name == "longer" {
                #expect(effect.descriptor.parameters.map(\.id) == ["one", "two"])
                #expect(effect.descriptor.parameters.map(\.initial) == [[0.25], [0.5]])
            }
            // What is known is taken, what is not known is ignored, and silence is the cautious
            // answer.
            #expect(effect.descriptor.ignoresTimeline == (name == "longer"))
            let (input, output) = (FrameMemory(.rgba8, 5, 3), FrameMemory(.rgba8, 5, 3))
            input.fill { _, x, y in UInt8(x + 20 * y) }
            let instance = try effect.instance(.rgba8, 5, 3)
            #expect(try instance.process(FrameCall(input: input.frame, output: output.frame)) == .output)
            #expect(output.samples == input.samples)
            try instance.reset()
        }
    }

    @Test func missingLibrariesAndRepeatedLoads() throws {
        try TemporaryFolder.with { folder in
            let registry = PluginRegistry(searchPaths: [])
            let error = #expect(throws: PluginError.self) { try registry.load(path: "/no/such.so", effectID: "a.b") }
            #expect(error?.code == .missing)
            let path = try PluginFixture.build("crash", in: folder)
            let link = folder.file("link.so")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            let (first, second) = (
                try registry.load(path: path, effectID: "test.crash"),
                try registry.load(path: link, effectID: "test.crash")
            )
            #expect(first.effect.original == second.effect.original)
            // Both names are one library.
            #expect(PluginRegistry(searchPaths: [folder.path, link, path]).descriptors().problems.isEmpty)
        }
    }

    @Test func theDigestIsTheFiles() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("crash", in: folder)
            let sum = try Command.run(["sha256sum", path]).text.prefix(64)
            #expect(PluginRegistry(searchPaths: [path]).descriptors().effects.first?.digest == String(sum))
        }
    }

    @Test(arguments: [("cc", "c", "c11"), ("c++", "cpp", "c++17")])
    func theHeaderCompilesAlone(compiler: String, suffix: String, standard: String) throws {
        try TemporaryFolder.with { folder in
            let source = try folder.write(
                "#include <cutroom/plugin.h>\nint main(void) { return 0; }\n", to: "a.\(suffix)")
            let result = try Command.run(
                [
                    compiler, "-std=\(standard)", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I",
                    TestPlugin.include,
                    "-c", source,
                    "-o", folder.file("a.o"),
                ])
            #expect(result.succeeded, "\(result)")
        }
    }
}
