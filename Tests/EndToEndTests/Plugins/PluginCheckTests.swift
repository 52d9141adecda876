import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// `cutroom plugin check` finds what is wrong, by the test that is for it, and nothing else.
    @Suite(.enabled(if: !PluginBench.isSanitized, "memory faults and the heap are the sanitizer's"))
    struct PluginCheckTests {
        /// What a fixture does wrong (`-D`), which test finds it, and words of what is said.
        struct Fault: CustomTestStringConvertible, Sendable {
            var define: String
            var more: [String] = []
            var test: String
            var words: String
            var death: String?
            /// Words of where it was found; empty: anywhere.
            var at = ""
            /// Another form of a fault in the list: that nothing else is blamed is known of that
            /// one.
            var isVariant = false
            var testDescription: String { define }
        }

        /// What a fixture leaves changed in its thread or process, by which call.
        private static func harm(_ harm: String, _ place: String, _ test: String, _ words: String? = nil) -> Fault {
            let call = ["load": "loading the library", "task": "a task of cutroom_host.parallel"][place] ?? place
            let aspect = test == "floating-point" ? "the floating-point mode" : "the signal mask"
            return Fault(
                define: "HARM=\(harm)", more: ["HARM_AT=\(place.uppercased())"], test: test,
                words: words ?? "\(call) changes \(aspect)")
        }

        private static let instance = "CONCURRENCY=CUTROOM_CONCURRENCY_INSTANCE"
        private static let ignoring = "CAPABILITIES=CUTROOM_IGNORES_TIMELINE"
        private static let faults: [Fault] = [
            Fault(define: "EXTRA_SYMBOL", test: "symbols", words: "exports ‘helper’"),
            Fault(define: "SLOW_LOAD", test: "load", words: "ms of processor time"),
            Fault(define: "WRONG_INDEX", test: "entry", words: "effect(1) is not null"),
            Fault(define: "INIT_ONCE", test: "entry", words: "second time"),
            Fault(define: "ANSWERS_ANYTHING", test: "entry", words: "answers an unknown id"),
            Fault(
                define: "REFUSES_WHERE=is_default", test: "basic", words: "default values are refused: not this one"),
            Fault(define: "CREATE_REFUSES=3", test: "basic", words: "create refuses an ordinary size", isVariant: true),
            Fault(
                define: "FIXTURE_FORMATS=CUTROOM_FORMAT_RGBA8,CUTROOM_FORMAT_RGBAF32", test: "basic",
                words: "create refuses an ordinary size", at: "rgbaf32", isVariant: true),
            Fault(define: "WRITES_BEYOND", test: "bounds", words: "beyond", death: "crash"),
            Fault(define: "WRITES_PADDING", test: "bounds", words: "writes outside of the output", death: "crash"),
            Fault(
                define: "READS_BEYOND", test: "bounds", words: "beyond the last byte of input 0", death: "crash"),
            Fault(
                define: "WRITES_BEFORE", test: "bounds", words: "1 bytes before the first byte of the output",
                death: "crash"),
            Fault(define: "ODD_CRASHES", test: "sizes", words: "SIG", death: "crash"),
            Fault(
                define: "CREATE_ODD=CUTROOM_ERROR_MEMORY", test: "sizes", words: "create failed with status -3",
                isVariant: true),
            Fault(
                define: "PROCESS_ODD=CUTROOM_ERROR_FORMAT", test: "sizes", words: "process failed with status -1",
                isVariant: true),
            Fault(define: "WRITES_INPUT", test: "inputs", words: "writes to input 0", death: "crash"),
            Fault(define: "READS_PADDING", test: "layout", words: "strides"),
            Fault(define: "INSISTS_ON_SIZE", test: "structs", words: "structures are a field longer"),
            Fault(define: "ASSERTS_FINITE", test: "floats", words: "SIGABRT", death: "crash"),
            Fault(define: "SHORT_STATUS=CUTROOM_ERROR_MEMORY", test: "structs", words: "the other -3", isVariant: true),
            Fault(
                define: "NEEDS_EXTENSION", test: "structs", words: "SIGSEGV", death: "crash", at: "a field shorter"),
            Fault(define: "FORGETS_OPAQUE", test: "inputs", words: "writes to input 0", death: "crash"),
            Fault(define: "ANY_FORMAT", test: "misuse", words: "not listed"),
            Fault(
                define: "FAILS_WHERE=is_most", test: "parameters", words: "process failed with status -3",
                at: "values at their maximum"),
            Fault(
                define: "FAILS_WHERE=is_least", test: "parameters", words: "process failed with status -3",
                at: "values at their minimum", isVariant: true),
            Fault(
                define: "FAILS_WHERE=!is_default&&!is_most&&!is_least", test: "parameters",
                words: "process failed with status -3", at: "random values", isVariant: true),
            Fault(
                define: "FAILS_ALONE", test: "parameters", words: "process failed with status -3",
                at: "‘amount’ at its maximum", isVariant: true),
            Fault(
                define: "REFUSES_WHERE=is_most", more: ["SAYS_NOTHING"], test: "parameters",
                words: "process failed with status -2", isVariant: true),
            Fault(
                define: "CREATE_REFUSES=100", more: ["PARAM_FLAGS=CUTROOM_PARAM_SETUP_ONLY", "SAYS_NOTHING"],
                test: "parameters", words: "create failed with status -2", isVariant: true),
            Fault(define: "EXITS_LATER", test: "parameters", words: "exit code 3", death: "exit"),
            Fault(define: "HISTORY", test: "parameter-history", words: "values of earlier frames"),
            Fault(define: "STATIC_STATE", more: [instance], test: "repeatable", words: "second instance"),
            Fault(define: "UNINITIALIZED", test: "processes", words: "second process"),
            Fault(define: "STATIC_VALUE", more: [instance], test: "instances", words: "another instance"),
            Fault(define: "NOT_PURE", more: [instance], test: "pure", words: "frame 39 alone"),
            Fault(
                define: "REMEMBERS_WHERE=is_most", more: [instance], test: "pure", words: "frame 39 alone",
                at: "values at their maximum", isVariant: true),
            Fault(
                define: "REMEMBERS_WHERE=!is_default&&!is_most", more: [instance], test: "pure",
                words: "frame 39 alone", at: "random values", isVariant: true),
            Fault(
                define: "REMEMBERS_IN_ALPHA", more: [instance], test: "pure", words: "frame 39 alone",
                at: "with straight alpha", isVariant: true),
            Fault(
                define: "WARM_UP", more: [instance, "STATE=CUTROOM_STATE_WARM_UP", "RESETS"], test: "warm-up",
                words: "warm-up of 2"),
            Fault(
                define: "WRONG_SLICES", more: ["CAPABILITIES=CUTROOM_CAN_ROW_SLICES"], test: "row-slices",
                words: "not in the slice"),
            Fault(
                define: "JOINS_BADLY", more: ["CAPABILITIES=CUTROOM_CAN_ROW_SLICES"], test: "row-slices",
                words: "2 slices are not the whole frame", isVariant: true),
            Fault(
                define: "MIRRORS", more: ["CAPABILITIES=CUTROOM_CAN_IN_PLACE"], test: "in-place",
                words: "input's memory"),
            Fault(define: "DEPENDS_ON_THREADS", test: "threads", words: "with 4 threads"),
            Fault(define: "LOSES_SUMS", test: "threads", words: "with 4 threads", isVariant: true),
            Fault(
                define: "KEEPS_DURATION", more: ["CAPABILITIES=CUTROOM_CAN_SHARE_INSTANCE"], test: "shared-instance",
                words: "serves other ranges"),
            Fault(
                define: "USES_TIMELINE_TIME", more: [ignoring], test: "timeline", words: "elsewhere on the timeline",
                at: "frame 0 of an effect that begins 1 later"),
            Fault(define: "USES_INDEX", more: [ignoring], test: "timeline", words: "elsewhere on the timeline"),
            Fault(define: "USES_PTS", more: [ignoring], test: "timeline", words: "elsewhere on the timeline"),
            Fault(
                define: "KNOWS_FRAMES_BY_INDEX", more: [ignoring, instance], test: "timeline",
                words: "frame 1 is another one elsewhere", at: "begins 2 later"),
            Fault(define: "RACE", test: "concurrency", words: "several threads"),
            Fault(define: "RACE", more: [instance], test: "concurrency", words: "several threads", isVariant: true),
            Fault(
                define: "THREAD_BOUND", more: ["CONCURRENCY=CUTROOM_CONCURRENCY_PROCESS"], test: "concurrency",
                words: "several threads", isVariant: true),
            Fault(
                define: "NOT_PURE", more: [instance, "STATE=CUTROOM_STATE_SEQUENTIAL", "RESET_FORGETS_NOTHING"],
                test: "reset",
                words: "after a reset"),
            Fault(define: "RACES_IN_TABLE", test: "concurrency", words: "several threads", at: "other values in each"),
            Fault(
                define: "RACES_IN_TABLE", more: [instance], test: "concurrency", words: "several threads",
                at: "other values in each", isVariant: true),
            Fault(define: "RACES_SHORTLY", test: "concurrency", words: "several threads", at: "other values in each"),
            Fault(
                define: "KEEPS_CALL", more: [instance], test: "stray-threads",
                words: "touches a structure of the call after the call", death: "crash"),
            Fault(define: "WRITES_ODD_INPUT", test: "inputs", words: "writes to input 0", death: "crash", at: "52×31"),
            Fault(
                define: "WRITES_AND_PASSES", test: "basic", words: "writes the output and returns CUTROOM_PASS",
                isVariant: true),
            Fault(define: "ASSERTS_SOME", test: "floats", words: "SIGABRT", death: "crash"),
            Fault(define: "LOGS_LATIN", test: "parameters", words: "a text that is not UTF-8", isVariant: true),
            Fault(define: "LEAKS_INSTANCE", test: "leaks", words: "an instance, with a frame, leaves"),
            Fault(define: "LEAKS_FRAME", test: "leaks", words: "a frame leaves"),
            Fault(define: "LEAKS_MAPPING", test: "leaks", words: "a frame leaves memory mapped"),
            Fault(define: "LEAKS_BLOCK", test: "leaks", words: "a frame leaves memory of cutroom_host.alloc"),
            Fault(define: "RELEASES_TWICE", test: "leaks", words: "or a second time", isVariant: true),
            Fault(
                define: "RELEASES_OTHERS", test: "basic", words: "cutroom_host.alloc did not give", isVariant: true),
            Fault(define: "LEAKS_FILE", test: "leaks", words: "leaves a file open"),
            harm("ROUNDS_UP", "process", "floating-point"),
            harm("ROUNDS_DOWN", "create", "floating-point"), harm("ROUNDS_TO_ZERO", "load", "floating-point"),
            harm("FLUSHES_DENORMALS", "load", "floating-point"), harm("LOSES_PRECISION", "process", "floating-point"),
            harm("LEAVES_MMX", "process", "floating-point"), harm("TRAPS", "process", "floating-point"),
            harm("ROUNDS_UP", "task", "floating-point"), harm("BLOCKS_SIGNALS", "process", "process-state"),
            harm("BLOCKS_SIGNALS", "load", "process-state"), harm("BLOCKS_SIGNALS", "task", "process-state"),
            harm("CHANGES_LOCALE_OF_ALL", "process", "process-state", "locale"),
            harm("CHANGES_LOCALE_OF_THREAD", "create", "process-state", "locale"),
            harm("CHANGES_FOLDER_OF_ALL", "process", "process-state", "current folder"),
            Fault(define: "STRAY_THREAD", more: [instance], test: "stray-threads", words: "left when all instances"),
            Fault(
                define: "TOUCHES_LATER", more: [instance], test: "stray-threads",
                words: "touches the output after the call", death: "crash"),
            Fault(define: "PRINTS", test: "standard-output", words: "‘frame 0’"),
        ]

        /// Quick tests that must not blame a plugin for something else.
        private static let innocents = ["entry", "descriptor", "repeatable", "layout"]
        /// What makes a frame depend on other calls in the process fails other comparisons too, in
        /// an order that chance decides; and what crashes with one kind of alpha fails wherever
        /// each is lent.
        private static let widespread: Set = ["STATIC_STATE", "TOUCHES_LATER"]

        /// One that the loader sees, a crash, two that are found by comparing, a race, a leak, and
        /// one that changes the process.
        private static let usualFaults: Set = [
            "EXTRA_SYMBOL", "WRITES_BEYOND", "READS_PADDING", "STATIC_STATE", "RACE", "RACES_IN_TABLE", "KEEPS_CALL",
            "WRITES_ODD_INPUT", "ASSERTS_SOME", "LEAKS_FRAME",
            "HARM=CHANGES_FOLDER_OF_ALL",
        ]

        @Test(arguments: faults.filter { usualFaults.contains($0.define) && !$0.isVariant })
        func `each fault is found by its test`(fault: Fault) throws { try Self.find(fault) }

        private static func find(_ fault: Fault) throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", [fault.define] + fault.more)
            let others =
                fault.isVariant || widespread.contains(fault.define)
                ? [] : innocents.filter { $0 != fault.test }
            let report = try bench.check(library, only: [fault.test] + others)
            #expect(report.failed == [fault.test], "\(report)")
            let result = try #require(report[fault.test])
            let text = result.findings.map(\.what).joined(separator: "\n")
            #expect(text.contains(fault.words), "\(text)")
            #expect(result.death == fault.death)
            #expect(fault.at.isEmpty || result.findings.contains { $0.at?.contains(fault.at) == true }, "\(report)")
            #expect(result.findings.allSatisfy { !$0.advice.isEmpty })
            #expect(result.command.contains("--only \(fault.test) --seed 1"))
        }

        @Test func `an exception that leaves the plugin is named`() throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("Bad/throws.cpp"), only: ["basic", "sizes"])
            #expect(report.failed == ["sizes"])
            #expect(report["sizes"]?.death == "exception")
            let finding = try #require(report["sizes"]?.findings.last)
            #expect(finding.what.contains("std::runtime_error") && finding.what.contains("odd width"), "\(finding)")
            #expect(finding.at?.contains("1×1") == true, "\(finding)")
        }

        @Test func `a hang ends at the time limit and spares the other tests`() throws {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build("hang.c"), only: ["basic", "sizes", "pure"], ["--time-limit", "1"])
            #expect(report.failed == ["basic"] && report.with("not_run") == ["sizes", "pure"])
            #expect(report["basic"]?.death == "hang")
            #expect(report["basic"]?.findings.last?.what.contains("does not return within 1 s") == true)
        }

        @Test func `a hang with other values than the defaults is the test's of those`() throws {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build("Bad/bad.c", ["HANGS_LATER"]), only: ["basic", "parameters", "pure"],
                ["--time-limit", "1"])
            #expect(report["parameters"]?.death == "hang" && report["basic"]?.outcome == "passed", "\(report)")
            #expect(report.with("not_run").isEmpty)
        }

        @Test(arguments: [
            ("EMITS_BAD_NAME", "‘Bad Key’; names are"), ("EMITS_TIME", "‘time’, which a frame has itself"),
            ("EMITS_NAN", "numbers must be finite"), ("EMITS_MUCH", "more than 4096 numbers"),
            ("EMITS_ENDLESS", "more than 4096 numbers"),
        ])
        func `what no analysis takes is not passed`(define: String, words: String) throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("measures.c", [define]), only: ["basic", "pure"])
            #expect(report.failed == ["pure"] && report["pure"]?.death == nil, "\(report)")
            #expect(report["pure"]?.findings.first?.what.contains(words) == true, "\(report)")
        }

        @Test func `sound that no render takes is not passed`() throws {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build("loud.c"), only: ["basic", "floats", "parameters"])
            #expect(report.failed == ["parameters"], "\(report)")
            let finding = try #require(report["parameters"]?.findings.first)
            #expect(finding.what.contains("it makes inf in channel 0, sample 0, of finite sound"), "\(finding)")
        }

        @Test(arguments: [
            (["EXTRA=.state=CUTROOM_STATE_WARM_UP,.warm_up=251"], "251 to warm up"),
            (["EXTRA=.reach_before=251"], "251 frames before"),
            (["EXTRA=.capabilities=CUTROOM_NEEDS_NETWORK"], "needs the network"),
            (
                [
                    "EXTRA=.reach_after=1048577", "FIXTURE_SOUND=1", "FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER",
                    "FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR",
                ], "1048577 after it"
            ),
        ])
        func `what every render refuses is not passed`(defines: [String], words: String) throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("limits.c", defines), only: ["load", "descriptor"])
            #expect(report.failed == ["descriptor"], "\(report)")
            #expect(report["descriptor"]?.findings.contains { $0.what.contains(words) } == true, "\(report)")
        }

        private static let sound = ["FIXTURE_SOUND=1", "FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER"]

        private static let badDeclarations: [([String], String)] = [
            (["FIXTURE_FORMATS=CUTROOM_FORMAT_YUV420P8"], "none of the formats that every host has"),
            (["FIXTURE_FORMATS=CUTROOM_FORMAT_RGBA8,CUTROOM_FORMAT_RGBA8"], "lists a format twice"),
            (["FIXTURE_FORMATS=CUTROOM_FORMAT_RGBA8,CUTROOM_FORMAT_PCMF32_PLANAR"], "lists a format of sound"),
            (
                sound + ["FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR,CUTROOM_FORMAT_RGBA8"],
                "lists a format of pictures"
            ),
            (sound + ["FIXTURE_FORMATS=9"], "none of the formats that every host has"),
            (["EXTRA=.capabilities=CUTROOM_WANTS_KEY"], "wants a key and is no audio filter"),
            (["EXTRA=.state=CUTROOM_STATE_SEQUENTIAL"], "has state and no reset"),
            (["EXTRA=.state=CUTROOM_STATE_WARM_UP,.reset=reset"], "a warm-up of no frames"),
            (["EXTRA=.capabilities=CUTROOM_CAN_SHARE_INSTANCE"], "not both pure and re-entrant"),
            (
                [
                    "EXTRA=.capabilities=CUTROOM_CAN_SHARE_INSTANCE,.concurrency=CUTROOM_CONCURRENCY_REENTRANT,"
                        + ".state=CUTROOM_STATE_SEQUENTIAL,.reset=reset"
                ], "not both pure and re-entrant"
            ),
            (["CHANGES"], "the descriptor of test.limits changes"), (["MOVES"], "effect(0) gives another address"),
        ]

        /// Every second of ``Sweep``'s.
        @Test(arguments: badDeclarations.every(2))
        func `declarations that do not go together, or change, are not passed`(defines: [String], words: String) throws
        {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("limits.c", defines), only: ["descriptor"])
            #expect(report.failed == ["descriptor"], "\(report)")
            let found = report["descriptor"]?.findings.map(\.what) ?? []
            #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
        }

        /// What an effect may say no to: sizes in create, values with a sentence in both.
        @Test(arguments: [
            (["CREATE_ODD=CUTROOM_ERROR_FORMAT"], ["basic", "sizes", "bounds"]),
            (["REFUSES_WHERE=is_most"], ["basic", "parameters", "pure"]),
            (["REFUSES_WHERE=is_default", "HAS_PATH"], ["basic", "parameters"]),
            (["SHORT_STATUS=CUTROOM_ERROR_UNSUPPORTED"], ["basic", "structs"]),
            (["CREATE_REFUSES=100", "PARAM_FLAGS=CUTROOM_PARAM_SETUP_ONLY"], ["basic", "parameters", "instances"]),
        ])
        func `what an effect may refuse does not fail it`(defines: [String], tests: [String]) throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("Bad/bad.c", defines), only: tests)
            #expect(report.passed && report.with("passed") == tests, "\(report)")
        }

        /// Where the race would be one between calls, none comes.
        @Test func `no more calls come at once than an effect declares`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", ["RACE", "CONCURRENCY=CUTROOM_CONCURRENCY_PROCESS"])
            let report = try bench.check(library, only: ["concurrency"])
            #expect(report.with("passed") == ["concurrency"], "\(report)")
        }

        @Test(
            arguments: [
                (["BUFFERS"], "misuse", "beyond the last byte of memory of cutroom_host.alloc"),
                (["BUFFERS", "LOOKS", "SULKS"], "misuse", "process failed with status -1"),
                (["READS_MASK"], "structs", "structures are a field shorter"), (["BUFFERS", "LOOKS"], nil, ""),
            ] as [([String], String?, String)])
        func `sound in longer blocks, and from older hosts, is tried`(defines: [String], fails: String?, words: String)
            throws
        {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build("loud.c", defines), only: ["basic", "structs", "sizes", "misuse"])
            #expect(report.failed == (fails.map { [$0] } ?? []) && report.with("passed").contains("basic"), "\(report)")
            guard let fails else { return }
            #expect(report[fails]?.findings.contains { $0.what.contains(words) } == true, "\(report)")
        }

        /// An effect that stands no such picture fails the tests that lend some, and no other. All
        /// lend straight alpha.
        @Test(arguments: ["STRAIGHT", "PREMULTIPLIED"])
        func `pictures of each alpha are lent by the tests that the guide names`(alpha: String) throws {
            let guide = try String(contentsOfFile: Project.root + "/docs/plugins/check.md", encoding: .utf8)
            let sentence = try #require(
                guide.components(separatedBy: "pictures with premultiplied alpha: ").dropFirst().first?
                    .components(separatedBy: ".").first)
            // The names are between every second pair of backticks.
            let named = sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            try #require(named.count == 9)
            let bench = try PluginBench()
            let library = try bench.build(
                "Bad/bad.c",
                [
                    "FORGETS_ALPHA=CUTROOM_ALPHA_\(alpha)", "FIXTURE_FORMATS=CUTROOM_FORMAT_RGBAF32",
                    "CAPABILITIES=CUTROOM_CAN_ROW_SLICES|CUTROOM_CAN_IN_PLACE",
                ])
            let others = ["structs", "repeatable", "instances", "pure"]
            let failing = named.filter { $0 != "basic" } + (alpha == "STRAIGHT" ? others : [])
            let report = try bench.check(library, only: named.filter { $0 != "basic" } + others)
            #expect(named.contains("basic") && report.failed.sorted() == failing.sorted(), "\(report)")
            #expect(report.with("passed").sorted() == (alpha == "STRAIGHT" ? [] : others.sorted()), "\(report)")
            for result in report.results where result.outcome == "failed" {
                #expect(
                    result.findings.last?.at?.contains("with \(alpha.lowercased()) alpha") == true, "\(result)")
            }
            #expect(try bench.check(library, only: ["basic"]).failed == ["basic"])
        }

        /// The others would fail as well, with advice about something else.
        @Test func `where frames differ by chance nothing else is tested`() throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("Bad/bad.c", ["STATIC_STATE", Self.instance]))
            #expect(report.failed == ["repeatable"] && report.with("not_run").count > 15, "\(report)")
            #expect(report.with("not_run").allSatisfy { report[$0]?.reason?.contains("‘repeatable’") == true })
        }

        @Test(arguments: [([String](), ["files"]), (["DECLARES"], [])])
        func `a library that reads files that it does not declare is not passed`(
            defines: [String], failed: [String]
        ) throws {
            let bench = try PluginBench()
            let library = try bench.build("reads.c", defines)
            try bench.studio.folder.write("a", to: "data/add.bin")
            let report = try bench.check(library, only: ["basic", "processes", "files"])
            #expect(report.failed == failed && report.with("not_run").isEmpty, "\(report)")
            let what = report["files"]?.findings.first?.what
            #expect(failed.isEmpty || what?.contains("without other files beside the library") == true, "\(report)")
        }

        @Test func `what a plugin prints is shown, once`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", ["COMPLAINS", "LOGS_LATIN"])
            let tests = ["--only", "basic", "--only", "repeatable"]
            let text = try bench.studio.run(["plugin", "check", library] + tests).text
            #expect(text.components(separatedBy: "Output: the lamp is dim").count == 2, "\(text)")
            #expect(text.contains("cutroom_host.log a text that is not UTF-8"), "\(text)")
        }

        @Test(arguments: [
            ("WHOLE", "‘count’ of whole numbers with the bound 0.5"), ("WHOLE", "with the default 1.5"),
            ("LATIN", "has a help that is not UTF-8"), ("LATIN", "has a label of the parameter ‘count’ that is not"),
        ])
        func `odd bounds of whole numbers, and texts in another code, are not passed`(
            define: String, words: String
        ) throws {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build("odd.c", [define]), only: ["descriptor", "basic", "parameters"])
            #expect(report.failed == ["descriptor"], "\(report)")
            #expect(report["descriptor"]?.findings.contains { $0.what.contains(words) } == true, "\(report)")
        }

        @Test func `a crash is explained with the signal and the place`() throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("Bad/bad.c", ["WRITES_INPUT"]), only: ["inputs"])
            let finding = try #require(report["inputs"]?.findings.last)
            #expect(finding.what == "it writes to input 0 (frame 0), at byte 0 (SIGSEGV)")
            #expect(finding.at == "52×30 rgba8, default values, frame 0")
        }

        @Test func `descriptors that cannot be used fail`() throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("descriptors.c"), only: ["descriptor"])
            let text = report["descriptor"]?.findings.map(\.what).joined(separator: "\n") ?? ""
            #expect(
                report.failed == ["descriptor"] && text.contains("test.outside") && text.contains("bounds"), "\(text)")
        }

        @Test(arguments: [
            ("not_a_plugin.c", [String](), "cutroom_plugin_entry"), ("entry.c", ["MAJOR=2"], "version 2"),
            ("entry.c", ["INIT_STATUS=-3"], "licence server"), ("entry.c", ["UNDEFINED"], "no_such_function_anywhere"),
        ])
        func `what is no plugin fails to load`(source: String, defines: [String], words: String) throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build(source, defines))
            #expect(report.failed == ["load"])
            #expect(report["load"]?.findings.last?.what.contains(words) == true, "\(report)")
        }

        @Test func `the guide's plugin passes, and the guide has every test`() throws {
            let bench = try PluginBench()
            let guide = try String(contentsOfFile: Project.root + "/docs/plugins.md", encoding: .utf8)
            let code = try #require(
                guide.components(separatedBy: "```c\n#include").dropFirst().first?.components(separatedBy: "```").first)
            try bench.studio.folder.write("#include" + code, to: "negative.c")
            // By the guide's own command.
            let command = try #require(guide.split(separator: "\n").first { $0.hasPrefix("cc ") })
            let words = command.replacingOccurrences(of: "Sources/PluginABI/include", with: TestPlugin.include)
                .split(separator: " ").map(String.init)
            let built = try Command.run(words, in: bench.studio.folder.path)
            try #require(built.succeeded, "\(built)")
            let report = try bench.check("negative.so")
            #expect(report.passed, "\(report)")
            let tests = try String(contentsOfFile: Project.root + "/docs/plugins/check.md", encoding: .utf8)
            let listed = tests.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
            #expect(listed == report.results.map(\.test))
        }

        private static func pass(_ name: String) throws {
            let report = try PluginBench().check(Studio.products + "/libcutroom_plugin_\(name).so")
            #expect(report.passed, "\(report)")
            #expect(report.with("passed").count >= 24 && report.with("not_run").isEmpty)
        }

        /// Every one says so, and is believed only where it holds.
        @Test(arguments: ["vignette", "sound"])
        func `no shipped effect depends on its place on the timeline`(name: String) throws {
            try Self.expectNoPlace(in: name)
        }

        fileprivate static func expectNoPlace(in name: String) throws {
            let report = try PluginBench().check(
                Studio.products + "/libcutroom_plugin_\(name).so", only: ["timeline"])
            let effects = Set(report.results.compactMap(\.effect)).count
            #expect(effects > 0 && report.with("passed").count == effects, "\(report)")
        }

        @Test func `an effect that does not say that it ignores the timeline may depend on it`() throws {
            let bench = try PluginBench()
            let report = try bench.check(try bench.build("Bad/bad.c", ["USES_TIMELINE_TIME"]), only: ["timeline"])
            #expect(report.with("skipped") == ["timeline"], "\(report)")
        }

        private static let largeLibraries = ["effects", "sound", "sources", "vision"]

        /// One of pictures and one of sound.
        @Test(arguments: largeLibraries.prefix(2)) func `shipped libraries of many effects pass`(name: String) throws {
            let report = try PluginBench().check(
                Studio.products + "/libcutroom_plugin_\(name).so", only: ["load", "symbols", "entry", "descriptor"])
            #expect(report.passed && report.with("passed").count == 4, "\(report)")
        }

        /// Their effects, each by itself: together they take minutes.
        private static let effectsOfLargeLibraries: [(library: String, id: String)] = largeLibraries.flatMap {
            library in
            let folder = Project.root + "/Plugins/" + library
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
            return names.compactMap { name -> (library: String, id: String)? in
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)/effect.json") else {
                    return nil
                }
                return (library, (try? JSONDecoder().decode(Metadata.self, from: data))?.id ?? name)
            }
        }

        /// The tests that look at what an effect does, where it reads and writes, and what it
        /// leaves behind: each costs a process.
        private static let telling = [
            "load", "basic", "sizes", "bounds", "inputs", "parameters", "parameter-history", "processes", "pure",
            "warm-up", "row-slices", "concurrency", "leaks",
        ]

        private struct Metadata: Decodable { var id: String }

        @Test func `every effect of the large libraries is known`() {
            #expect(Self.effectsOfLargeLibraries.count >= 25, "\(Self.effectsOfLargeLibraries)")
        }

        @Test func `their effects pass`() throws {
            try Self.pass("sources", "org.cutroom.gradient", only: Self.telling, atLeast: 8)
        }

        private static func pass(_ library: String, _ id: String, only tests: [String], atLeast count: Int) throws {
            let report = try PluginBench().check(
                Studio.products + "/libcutroom_plugin_\(library).so", only: tests, ["--effect", id])
            #expect(report.passed, "\(report)")
            #expect(report.with("passed").count >= count && report.with("not_run").isEmpty, "\(report)")
        }

        /// Every fault, and every shipped effect in the whole check.
        @Suite struct Sweep {
            @Test(arguments: faults) func `each fault is found by its test`(fault: Fault) throws { try find(fault) }

            @Test(arguments: badDeclarations)
            func `declarations that do not go together, or change, are not passed`(
                defines: [String], words: String
            ) throws {
                try PluginCheckTests().`declarations that do not go together, or change, are not passed`(
                    defines: defines, words: words)
            }

            @Test(arguments: largeLibraries) func `shipped libraries of many effects pass`(name: String) throws {
                try PluginCheckTests().`shipped libraries of many effects pass`(name: name)
            }

            @Test(arguments: ["rgb_split", "transitions", "chroma_key", "libavfilter", "effects", "sources", "vision"])
            func `no shipped effect depends on its place on the timeline`(name: String) throws {
                try PluginCheckTests.expectNoPlace(in: name)
            }

            @Test(arguments: ["libavfilter", "chroma_key", "transitions", "rgb_split", "vignette"])
            func `shipped plugins pass`(name: String) throws { try pass(name) }

            @Test(arguments: effectsOfLargeLibraries) func `their effects pass`(library: String, id: String) throws {
                try pass(library, id, only: [], atLeast: 8)
            }
        }

        /// Plugins whose own structures are a field longer and shorter than this Cutroom's; a
        /// Cutroom whose structures are is the test `structs`.
        @Test(arguments: ["longer.c", "shorter.c"]) func `plugins of other versions pass`(source: String) throws {
            let bench = try PluginBench()
            let report = try bench.check(
                try bench.build(source),
                only: ["load", "entry", "descriptor", "basic", "structs", "layout", "repeatable"])
            #expect(report.passed && report.with("passed").count == 7, "\(report)")
        }

        @Test func `the same seed finds the same`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", ["WRITES_PADDING"])
            func findings(_ seed: String) throws -> [String] {
                try bench.check(library, only: ["parameters"], ["--seed", seed])["parameters"]?.findings.compactMap(
                    \.at) ?? []
            }
            let (first, second) = (try findings("7"), try findings("7"))
            #expect(!first.isEmpty && first == second)
        }

        @Test func `what people read says what, where and what to do`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", ["PRINTS"])
            let result = try bench.studio.run([
                "plugin", "check", library, "--only", "basic", "--only", "standard-output",
            ])
            #expect(result.status == 65)
            for part in [
                "passed    basic", "FAILED    standard-output", "it writes to standard output: ‘frame 0’.",
                "Found with: 52×30 rgba8",
                "Fix: use cutroom_host.log", "--effect test.bad --only standard-output --seed 1",
                "1 passed, 1 FAILED",
            ] {
                #expect(result.text.contains(part), "no ‘\(part)’ in: \(result.text)")
            }
        }

        @Test func `wrong commands say what is wrong`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c")
            for (arguments, status, words) in [
                ([bench.studio.file("none.so")], 66, "does not exist"),
                ([bench.studio.folder.path], 66, "is a folder; give the path of its library"),
                ([library, "--only", "everything"], 64, "everything"),
                ([library, "--effect", "test.bat"], 65, "test.bad"),
                ([library, "--time-limit", "0"], 64, "time-limit"),
            ] as [([String], Int32, String)] {
                let result = try bench.studio.run(["plugin", "check"] + arguments)
                #expect(
                    result.status == status && (result.stderr + result.text).contains(words), "\(arguments): \(result)")
            }
        }

        @Test func `Ctrl-C ends a check and what it started`() throws {
            let bench = try PluginBench()
            let library = try bench.build("hang.c")
            let check = try bench.studio.start(["plugin", "check", library])
            #expect(
                Command.until { !Processes.all(mentioning: "--test basic").isEmpty || !bench.studio.workers.isEmpty })
            check.send(SIGINT)
            let result = check.wait(timeout: 20)
            #expect(result.status == 130, "\(result)")
            bench.studio.expectClean()
        }
    }
}
