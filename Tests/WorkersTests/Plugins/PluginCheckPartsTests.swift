import Foundation
import Glibc
import Jobs
import TestSupport
import Testing

@testable import PluginCheck
@testable import PluginHosting

/// The parts of the plugin check that can be wrong without any plugin; the whole is tested with
/// `cutroom plugin check`.
@Suite(.waits) struct PluginCheckPartsTests {
    @Test(arguments: GuardedLayout.allCases, [(1, 1, 1), (52, 30, 1), (37, 23, 1), (592, 23, 4), (4096, 2, 1)])
    func `canaries lie everywhere beside the rows and nowhere in them`(
        layout: GuardedLayout, shape: (bytes: Int, rows: Int, sample: Int)
    ) throws {
        func plane() throws -> GuardedPlane {
            try GuardedPlane(
                rowBytes: shape.bytes, rows: shape.rows, sample: shape.sample, layout: layout, fill: 0xa5,
                name: "a plane")
        }
        let whole = try plane()
        #expect(whole.stride >= shape.bytes && whole.stride % shape.sample == 0)
        for row in 0..<shape.rows { memset(whole.data + row * whole.stride, 7, shape.bytes) }
        #expect(whole.brokenCanary == nil)
        var samples: [UInt8] = []
        whole.append(to: &samples)
        #expect(samples == Array(repeating: 7, count: shape.bytes * shape.rows))
        if layout == .aligned || layout == .roomy {
            #expect(UInt(bitPattern: whole.data) % 64 == 0 && whole.stride % 64 == 0)
            let last = try plane()
            last.data[last.stride * (shape.rows - 1) + shape.bytes] = 0
            #expect(last.brokenCanary == "1 bytes beyond its last row")
        }
        if shape.rows > 1, whole.stride > shape.bytes {
            let between = try plane()
            between.data[shape.bytes + 2] = 0
            #expect(between.brokenCanary == "3 bytes beyond the end of row 0, which has \(shape.bytes)")
        }
        if layout == .roomy {
            let before = try plane()
            before.data[-5] = 0
            #expect(before.brokenCanary == "5 bytes before its first row")
        }
    }

    @Test func `symbols are those that nm lists`() throws {
        try TemporaryFolder.with { folder in
            let source = try folder.write(
                """
                extern int elsewhere; static int hidden_one; __attribute__((visibility("hidden"))) int hidden_two;
                __attribute__((visibility("default"))) int data = 3;
                __attribute__((visibility("default"))) int function(void) { return hidden_one + hidden_two + elsewhere; }
                __attribute__((visibility("default"), weak)) void soft(void) {}
                """, to: "symbols.c")
            let path = folder.file("symbols.so")
            let built = try Command.run(["cc", "-shared", "-fPIC", "-fvisibility=hidden", source, "-o", path])
            try #require(built.succeeded, "\(built)")
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(ElfSymbols(data)?.exported == ["data", "function", "soft"])
            // Damaged input is refused or read, and never crashes.
            var random = SplitMix64(seed: 41)
            for count in [0, 3, 16, 63, 64, 200, data.count - 1] { _ = ElfSymbols(data.prefix(count)) }
            for _ in 0..<300 {
                var damaged = data
                for _ in 0..<8 {
                    // The header, the sections' headers at the end, or anywhere.
                    let place = [0..<64, max(0, data.count - 2048)..<data.count, 0..<data.count].randomElement(
                        using: &random)!
                    damaged[Int.random(in: place, using: &random)] = [0, 1, 0x7f, 0xff].randomElement(using: &random)!
                }
                _ = ElfSymbols(damaged)
            }
        }
    }

    @Test func `a start is read as it was written`() {
        for effect in ["org.example.glow", nil] {
            let launch = PluginCheckLaunch(
                path: "/a b/c.so", test: effect == nil ? .symbols : .rowSlices, effectID: effect, seed: .max,
                report: "/tmp/x")
            #expect(PluginCheckLaunch(arguments: launch.arguments) == launch)
        }
        #expect(PluginCheckLaunch(arguments: ["--endpoint", "ipc:///x"]) == nil)
        #expect(
            PluginCheckLaunch(arguments: [
                "check-plugin", "--path", "/a", "--test", "pure", "--seed", "1", "--report", "/x",
            ]) == nil)
    }

    @Test func `lines of the report, and the one of the signal handler, can be read`() throws {
        let lines: [PluginCheckLine] = [
            .at("x"), .finished, .skipped("y"), .digest("z"), .finding(.init(what: "a", at: nil, advice: "b")),
            .library(.init(name: "n", effects: [.init(id: "i", kind: .audioFilter)])),
            .fault(place: "the output", offset: -3, length: 9, access: "write"),
        ]
        for line in lines {
            #expect(try JSONDecoder().decode(PluginCheckLine.self, from: JSONEncoder().encode(line)) == line)
        }
        let byHand = #"{"fault":{"place":"the output","offset":-3,"length":9,"access":"write"}}"#
        #expect(try JSONDecoder().decode(PluginCheckLine.self, from: Data(byHand.utf8)) == lines.last)
    }
}
