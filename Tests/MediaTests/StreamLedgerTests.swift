import Draft
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Media

/// Files without an index that have to be read from the start.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct StreamLedgerTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private func film() throws -> String {
        try lab.make(
            "a.flv", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4:r=44100", "-c:v",
            "libx264", "-g", "12", "-c:a", "aac")
    }

    /// What one reader has read, others of the process do not read again, unless the file has
    /// changed.
    @Test func readersShareIt() throws {
        let path = try film()
        func calls(before position: Int64) throws -> Int {
            let file = try InputFile(path: path, interrupter: Interrupter { _ in })
            let demuxer = try Demuxer(path: path) { _ in }
            var calls = 0
            let ledger = try StreamLedger(file, try #require(demuxer.video).index) { _ in calls += 1 }
            _ = try ledger.state(before: position)
            return calls
        }
        let size = Int64(try Data(contentsOf: URL(fileURLWithPath: path)).count)
        #expect(try calls(before: size / 4) > 0)
        #expect(try calls(before: size / 4) == 0)
        #expect(try calls(before: size) > 0)
        #expect(try calls(before: size) == 0)
        #expect(try calls(before: size / 2) == 0)
        try #require(utimes(path, [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]) == 0)
        #expect(try calls(before: size) > 0)
    }
}
