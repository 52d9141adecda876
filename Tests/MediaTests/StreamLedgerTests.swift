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

    /// A file whose headers come anew with each packet is not kept in memory as a whole.
    @Test func statesAreBounded() throws {
        let film = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try film())))
        var (bytes, headers, position) = (Array(film[..<13]), 0, 13)
        var header: [UInt8] = []
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) } }
        while position + 15 <= film.count {
            let size = film[position + 1..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let tag = Array(film[position..<position + 11 + size])
            if tag[0] == 9, tag[12] == 0, header.isEmpty { header = tag }
            if tag[0] == 9, tag[12] == 1 {
                // A sequence header with 200 KB behind its parameter sets.
                let body = Array(header[11...]) + number(headers) + [UInt8](repeating: 0, count: 200_000)
                bytes += [9] + number(body.count)[1...] + tag[4..<11] + body + number(body.count + 11)
                headers += 1
            }
            bytes += tag + number(tag.count)
            position += 11 + size + 4
        }
        #expect(headers == 100)
        let path = try lab.write("headers.flv", bytes)
        let file = try InputFile(path: path, interrupter: Interrupter { _ in })
        let demuxer = try Demuxer(path: path) { _ in }
        let video = try #require(demuxer.video)
        let packet = try Packet()
        var positions: [Int64] = []
        while try demuxer.read(into: packet) {
            if packet.streamIndex == video.index { positions.append(try #require(packet.position)) }
        }
        let ledger = try StreamLedger(file, video.index) { _ in }
        // The number behind the parameter sets tells which header holds.
        func held(_ frame: Int) throws -> [UInt8]? {
            try ledger.state(before: positions[frame]).extradata.map { Array($0.suffix(200_004).prefix(4)) }
        }
        for frame in [99, 3, 50, 98, 1] { #expect(try held(frame) == number(frame - 1), "\(frame)") }
        #expect(StreamLedger.keptBytes <= StreamLedger.mostKeptBytes)
    }
}
