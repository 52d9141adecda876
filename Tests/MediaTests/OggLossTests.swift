import Draft
import Foundation
import Media
import TestSupport
import Testing

/// A page of Ogg that is damaged or missing is reported with the time that it takes away.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct OggLossTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    enum Fault: String, CaseIterable { case oneBit, isGone }

    private static let sounds: [[String]] = [
        ["a.opus", "-c:a", "libopus"], ["a.ogg", "-c:a", "libvorbis"],
    ]

    private func spoil(_ path: String, _ fault: Fault, page: (OggFile) -> Int) throws -> OggFile {
        var file = try OggFile(path)
        let whole = file
        let number = page(file)
        switch fault {
        case .oneBit: file.pages[number].bytes[file.pages[number].content.lowerBound + 5] ^= 1
        case .isGone: file.pages.remove(at: number)
        }
        try file.write(to: path)
        return whole
    }

    private func damaged(_ path: String, _ info: MediaInfo, fresh: Bool = false) throws -> [Range<Time>] {
        var reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        var found: [Range<Time>] = []
        for start in stride(from: 0, to: 10 * 48_000, by: 4800) {
            if fresh { reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1) }
            _ = try reader.samples(from: start, count: 4800, channels: 1)
            found += reader.damage
        }
        return found
    }

    @Test(arguments: sounds, Fault.allCases) func ofSound(_ material: [String], _ fault: Fault) throws {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=10:r=48000"] + material.dropFirst()
                + ["-page_duration", "1000000"])
        let intact = try Probe.probe(path: path)
        #expect(intact.breaks == nil && intact.isTruncated == nil)
        #expect(try damaged(path, intact).isEmpty)
        let whole = try spoil(path, fault) { $0.pages.count / 2 }
        // What the page holds lies between its own granule position and that of the page before.
        let number = whole.pages.count / 2
        let rate = 48_000.0
        let (start, end) = (Double(whole.pages[number - 1].granule) / rate, Double(whole.pages[number].granule) / rate)
        let info = try Probe.probe(path: path)
        #expect(info.breaks != nil && info.isTruncated == nil)
        for fresh in [false, true] {
            let found = try damaged(path, info, fresh: fresh)
            let (first, last) = (found.map(\.lowerBound.seconds).min() ?? 0, found.map(\.upperBound.seconds).max() ?? 0)
            #expect(abs(first - start) < 0.12 && abs(last - end) < 0.12, "\(first)…\(last), not \(start)…\(end)")
            let length = found.reduce(0) { $0 + ($1.upperBound - $1.lowerBound).seconds }
            #expect(length > end - start - 0.2, "\(found)")
        }
    }

    /// The first page with sound: what is left begins later.
    @Test(arguments: [["a.opus", "-c:a", "libopus"], ["a.ogg", "-c:a", "libvorbis"]], Fault.allCases)
    func ofTheFirstSound(_ material: [String], _ fault: Fault) throws {
        let path = try lab.make(
            material[0], ["-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=4:r=48000"] + material.dropFirst())
        _ = try spoil(path, fault) { file in file.pages.firstIndex { $0.granule > 0 } ?? 0 }
        let info = try Probe.probe(path: path)
        #expect(info.breaks != nil)
        #expect(try !damaged(path, info).isEmpty)
    }

    /// A page that is there twice, or before the page that it follows, leads back in time.
    @Test(arguments: sounds, [[4, 4], [5, 4]]) func ofPagesOutOfOrder(_ material: [String], _ order: [Int]) throws {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=10:r=48000"] + material.dropFirst()
                + ["-page_duration", "1000000"])
        var file = try OggFile(path)
        file.pages.replaceSubrange(
            4..<6, with: order.map { file.pages[$0] } + (order == [4, 4] ? [file.pages[5]] : []))
        try file.write(to: path)
        let info = try Probe.probe(path: path)
        for fresh in [false, true] { #expect(try !damaged(path, info, fresh: fresh).isEmpty) }
    }

    @Test(arguments: Fault.allCases) func ofTheLastPage(_ fault: Fault) throws {
        let path = try lab.make(
            "a.ogg", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=4:r=48000", "-c:a", "libvorbis")
        _ = try spoil(path, fault) { $0.pages.count - 1 }
        let info = try Probe.probe(path: path)
        #expect(info.isTruncated == true && (info.breaks != nil) == (fault == .oneBit))
        #expect(info.cutOff?.contains("its last page is missing") == true)
    }

    /// The key frame goes with its page, so all is wrong up to the next one.
    @Test(arguments: Fault.allCases) func ofPictures(_ fault: Fault) throws {
        let path = try lab.make(
            "a.ogv", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4:r=48000", "-c:v",
            "libtheora", "-g", "25", "-c:a", "libvorbis", "-page_duration", "500000")
        #expect(try Probe.probe(path: path).breaks == nil)
        _ = try spoil(path, fault) { file in
            file.pages.firstIndex { $0.granule > 0 && $0.serial == file.pages[0].serial } ?? 0
        }
        let info = try Probe.probe(path: path)
        #expect(info.breaks != nil)
        for fresh in [false, true] {
            var reader = try VideoReader(path: path, info: info)
            let damaged = try (0..<100).filter { frame in
                if fresh { reader = try VideoReader(path: path, info: info) }
                let middle = Time(middleOfFrame: frame, rate: Rational(25))
                _ = try reader.picture(before: middle, playing: .forwards)
                return reader.damage != nil
            }
            #expect(damaged.first.map { $0 < 25 } ?? false, "\(damaged)")
            #expect(damaged == Array((damaged.first ?? 0)..<(damaged.first ?? 0) + damaged.count) && damaged.count < 40)
        }
    }

    /// A first packet of an unknown kind is a stream that is left out.
    @Test func ofAnUnknownStream() throws {
        let path = try lab.make(
            "a.ogv", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1:r=48000", "-c:v",
            "libtheora", "-c:a", "libvorbis")
        var file = try OggFile(path)
        let index = try #require(
            file.pages.firstIndex { Array($0.bytes[$0.content].dropFirst().prefix(6)) == Array("vorbis".utf8) })
        file.pages[index].bytes[file.pages[index].content.lowerBound + 1] = UInt8(ascii: "x")
        file.pages[index].seal()
        try file.write(to: path)
        let info = try Probe.probe(path: path)
        #expect(info.unreadable?.first?.kind == .unknown && info.video != nil && info.audio == nil)
    }
}
