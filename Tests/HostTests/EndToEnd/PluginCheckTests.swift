import Foundation
import TestSupport
import Testing

extension EndToEnd {
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
            var testDescription: String { define }
        }

        private static let instance = "CONCURRENCY=CUTROOM_CONCURRENCY_INSTANCE"
        private static let faults: [Fault] = [
            Fault(define: "EXTRA_SYMBOL", test: "symbols", words: "exports ‘helper’"),
            Fault(define: "SLOW_LOAD", test: "load", words: "ms of processor time"),
            Fault(define: "WRONG_INDEX", test: "entry", words: "effect(1) is not null"),
            Fault(define: "INIT_ONCE", test: "entry", words: "second time"),
            Fault(define: "WRITES_BEYOND", test: "bounds", words: "beyond", death: "crash"),
            Fault(define: "WRITES_PADDING", test: "bounds", words: "writes outside of the output", death: "crash"),
            Fault(define: "ODD_CRASHES", test: "sizes", words: "SIG", death: "crash"),
            Fault(define: "WRITES_INPUT", test: "inputs", words: "writes to input 0", death: "crash"),
            Fault(define: "READS_PADDING", test: "layout", words: "strides"),
            Fault(define: "ANY_FORMAT", test: "misuse", words: "not listed"),
            Fault(define: "UNKNOWN_STATUS", test: "parameters", words: "status -3"),
            Fault(define: "EXITS_LATER", test: "parameters", words: "exit code 3", death: "exit"),
            Fault(define: "HISTORY", test: "parameter-history", words: "values of earlier frames"),
            Fault(define: "STATIC_STATE", more: [instance], test: "repeatable", words: "second instance"),
            Fault(define: "UNINITIALIZED", test: "processes", words: "second process"),
            Fault(define: "STATIC_VALUE", more: [instance], test: "instances", words: "another instance"),
            Fault(define: "NOT_PURE", more: [instance], test: "pure", words: "frame 39 alone"),
            Fault(
                define: "WARM_UP", more: [instance, "STATE=CUTROOM_STATE_WARM_UP", "RESETS"], test: "warm-up",
                words: "warm-up of 2"),
            Fault(
                define: "WRONG_SLICES", more: ["CAPABILITIES=CUTROOM_CAN_ROW_SLICES"], test: "row-slices",
                words: "not in the slice"),
            Fault(
                define: "MIRRORS", more: ["CAPABILITIES=CUTROOM_CAN_IN_PLACE"], test: "in-place",
                words: "input's memory"),
            Fault(define: "RACE", test: "concurrency", words: "several threads"),
            Fault(
                define: "NOT_PURE", more: [instance, "STATE=CUTROOM_STATE_SEQUENTIAL", "RESET_FORGETS_NOTHING"],
                test: "reset",
                words: "after a reset"),
            Fault(define: "LEAKS_INSTANCE", test: "leaks", words: "an instance, with a frame, leaves"),
            Fault(define: "LEAKS_FRAME", test: "leaks", words: "a frame leaves"),
            Fault(define: "LEAKS_FILE", test: "leaks", words: "leaves a file open"),
            Fault(define: "CHANGES_FLOATS", test: "floating-point", words: "process changes the floating-point mode"),
            Fault(define: "CHANGES_FLOATS_ON_LOAD", test: "floating-point", words: "loading the library changes"),
            Fault(define: "CHANGES_LOCALE", test: "process-state", words: "locale"),
            Fault(define: "CHANGES_FOLDER", test: "process-state", words: "current folder"),
            Fault(define: "STRAY_THREAD", more: [instance], test: "stray-threads", words: "left when all instances"),
            Fault(
                define: "TOUCHES_LATER", more: [instance], test: "stray-threads",
                words: "touches the output after the call", death: "crash"),
            Fault(define: "PRINTS", test: "standard-output", words: "‘frame 0’"),
        ]

        /// Quick tests that must not blame a plugin for something else.
        private static let innocents = ["entry", "descriptor", "repeatable", "layout"]
        /// What makes a frame depend on other calls in the process fails other comparisons too, in an order that chance decides.
        private static let widespread: Set = ["STATIC_STATE", "TOUCHES_LATER"]

        @Test(arguments: faults) func `each fault is found by its test`(fault: Fault) throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c", [fault.define] + fault.more)
            let others = Self.widespread.contains(fault.define) ? [] : Self.innocents.filter { $0 != fault.test }
            let report = try bench.check(library, only: [fault.test] + others)
            #expect(report.failed == [fault.test], "\(report)")
            let result = try #require(report[fault.test])
            let text = result.findings.map(\.what).joined(separator: "\n")
            #expect(text.contains(fault.words), "\(text)")
            #expect(result.death == fault.death)
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
            ("entry.c", ["INIT_STATUS=-3"], "licence server"),
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
            let words = command.replacingOccurrences(of: "Sources/PluginABI/include", with: PluginBench.include)
                .split(separator: " ").map(String.init)
            let built = try Command.run(words, in: bench.studio.folder.path)
            try #require(built.succeeded, "\(built)")
            let report = try bench.check("negative.so")
            #expect(report.passed, "\(report)")
            let listed = guide.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
            #expect(listed == report.results.map(\.test))
        }

        @Test(arguments: ["vignette", "rgb_split", "transitions", "chroma_key", "libavfilter"])
        func `shipped plugins pass`(name: String) throws {
            let report = try PluginBench().check(Studio.products + "/libcutroom_plugin_\(name).so")
            #expect(report.passed, "\(report)")
            #expect(report.with("passed").count >= 24 && report.with("not_run").isEmpty)
        }

        /// Plugins whose own structures are a field longer and shorter than this Cutroom's; a Cutroom whose structures are is the
        /// test `structs`.
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
                "To do: use cutroom_host.log", "--effect test.bad --only standard-output --seed 1",
                "1 passed, 1 FAILED",
            ] {
                #expect(result.text.contains(part), "no ‘\(part)’ in: \(result.text)")
            }
        }

        @Test func `wrong commands say what is wrong`() throws {
            let bench = try PluginBench()
            let library = try bench.build("Bad/bad.c")
            for (arguments, status, words) in [
                ([bench.studio.file("none.so")], 66, "There is no file"),
                ([bench.studio.folder.path], 66, "is a folder; name its library"),
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
