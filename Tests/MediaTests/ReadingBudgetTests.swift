import Draft
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Media

/// Files that would keep a probe busy for as long as they are large.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ReadingBudgetTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// A file's beginning, and 100 GB of nothing after it.
    private func sparse(_ name: String, _ head: some Sequence<UInt8>, size: Int = 100_000_000_000) throws -> String {
        let path = try lab.write(name, head)
        try #require(truncate(path, size) == 0)
        return path
    }

    private func head(_ name: String, _ count: Int, _ arguments: String...) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: try lab.make(name, arguments))).prefix(count)
    }

    private func failure(
        _ path: String, _ limits: ReadingBudget.Limits = .init(), pulse: @escaping Pulse = { _ in }
    ) -> MediaError? {
        thrown { () throws(MediaError) in _ = try Probe.probe(path: path, limits, pulse: pulse) }
    }

    @Test(.ends(within: .seconds(300))) func aFileWithHolesEndsItsProbe() throws {
        let tone = ["-f", "lavfi", "-i", "sine=d=2"]
        let files = [
            try sparse(
                "hole.jpg", try head("whole.jpg", 3000, "-f", "lavfi", "-i", "testsrc=s=320x240", "-frames:v", "1")),
            try sparse("hole.mp3", try head("whole.mp3", 9000, tone[0], tone[1], tone[2], tone[3], "-write_xing", "0")),
            try sparse(
                "hole.png", try head("whole.png", 600, "-f", "lavfi", "-i", "testsrc=s=320x240", "-frames:v", "1")),
            try sparse("hole.aac", try head("whole.aac", 5000, tone[0], tone[1], tone[2], tone[3])),
        ]
        for path in files {
            let error = try #require(failure(path), "\(path)")
            #expect(
                error.code == .overBudget && error.reason.hasPrefix("there is a hole in it: from byte "), "\(error)")
            #expect(error.description.contains("‘\(path)’") && !error.description.contains("\n"))
        }
        for path in [try sparse("zeros.jpg", []), try sparse("zeros.mp3", [])] {
            #expect([.overBudget, .notMedia].contains(try #require(failure(path)).code))
        }
    }

    @Test(.ends(within: .seconds(300))) func secondsEndAProbeToo() throws {
        let jpeg = try sparse(
            "hole.jpg", try head("whole.jpg", 3000, "-f", "lavfi", "-i", "testsrc=s=320x240", "-frames:v", "1"))
        let error = try #require(failure(jpeg, .init(bytes: .max, zeros: .max, seconds: 0.2)))
        #expect(error.code == .overBudget && error.reason.contains("for 0 s: it has holes"), "\(error)")
        // A packet in every 13 bytes of nothing.
        let speech = try sparse("speech.amr", Array("#!AMR\n".utf8))
        let second = try #require(failure(speech, .init(total: 0.5)))
        #expect(second.code == .overBudget && second.reason.contains("its end was not reached"), "\(second)")
    }

    /// A probe of an intact file reads no more than its budget, however many packets there are.
    @Test func aWholeFileIsFoundWithinASmallBudget() throws {
        let sound = try lab.make("whole.mp3", "-f", "lavfi", "-i", "sine=d=60", "-write_xing", "0")
        let info = try Probe.probe(path: sound, .init(bytes: 300_000))
        #expect(abs((info.audio?.duration.seconds ?? 0) - 60) < 0.1)
        let limits = ReadingBudget.Limits(bytes: 100)
        #expect(failure(sound, limits)?.code == .overBudget)
    }

    @Test func aStopIsNoSpentBudget() throws {
        struct Stop: Error {}
        let sound = try lab.make("whole.mp3", "-f", "lavfi", "-i", "sine=d=2")
        #expect(failure(sound) { _ in throw Stop() }?.code == .cancelled)
    }

    /// A machine with too much to do makes no file a damaged one: the clock stands while the thread
    /// waits for a processor.
    @Test func `time that the thread did not get does not count`() throws {
        var (wall, starved) = (Duration.zero, Duration.zero)
        let budget = ReadingBudget { wall - starved }
        (wall, starved) = (.seconds(60), .seconds(55))
        try budget.spend(1)
        wall += .seconds(16)
        #expect(throws: ReadingBudget.Spent.self) { try budget.spend(1) }
        budget.found()
        try budget.spend(1)
    }
}
