import Draft
import Foundation
@testable import Media
import TestSupport
import Testing
import Values

/// A page of Ogg that is damaged or missing is reported with the time that it takes away.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct OggLossTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    enum Fault: String, CaseIterable { case oneBit, isGone }

    private static let sounds: [[String]] = [
        ["a.opus", "-c:a", "libopus"], ["a.ogg", "-c:a", "libvorbis"], ["a.oga", "-c:a", "flac", "-f", "ogg"],
        ["a.spx", "-ar", "16000", "-c:a", "libspeex"],
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

    /// Each codec with one fault; ``Sweep`` has the others.
    @Test(arguments: zip(sounds, [Fault.oneBit, .isGone, .oneBit, .isGone])) func ofSound(
        _ material: [String], _ fault: Fault
    ) throws {
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
        let rate = material[0] == "a.spx" ? 16_000.0 : 48_000.0
        // libavformat knows no times in the page behind it for other codecs.
        let last = ["a.oga", "a.spx"].contains(material[0]) ? number + 1 : number
        let (start, end) = (Double(whole.pages[number - 1].granule) / rate, Double(whole.pages[last].granule) / rate)
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
        let found = try damaged(path, info)
        #expect((found.first?.lowerBound.seconds ?? 1) < 0.05, "\(found)")
    }

    /// Sound behind a missing page is played when it was recorded.
    @Test func soundKeepsItsTime() throws {
        let path = try lab.make(
            "a.oga", "-f", "lavfi", "-i", "sine=f=440:d=10:r=48000", "-c:a", "flac", "-f", "ogg",
            "-page_duration", "1000000")
        func samples(_ start: Int, _ count: Int) throws -> [Float] {
            let info = try Probe.probe(path: path)
            let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            return try reader.samples(from: start, count: count, channels: 1)[0]
        }
        let intact = try samples(0, 480_000)
        let whole = try spoil(path, .isGone) { $0.pages.count / 2 }
        let (start, end) = (
            Int(whole.pages[whole.pages.count / 2 - 1].granule), Int(whole.pages[whole.pages.count / 2 + 1].granule)
        )
        for first in [0, end - 24_000] {
            let damaged = try samples(first, 480_000 - first)
            #expect(Array(damaged[(end - first)...]) == Array(intact[end...]), "\(first)")
            #expect(damaged[max(0, start - first)..<(end - first)].allSatisfy { $0 == 0 }, "\(first)")
        }
    }

    /// All sound before the first page that is left is missing, also where a later part alone is
    /// played.
    @Test(arguments: ["libvorbis", "flac", "libopus"]) func soundBeginsLate(_ codec: String) throws {
        let path = try lab.make(
            "a.ogv", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4", "-f", "lavfi", "-i",
            "anoisesrc=c=pink:a=0.4:d=4:r=48000", "-c:v", "libtheora", "-c:a", codec, "-page_duration", "1000000")
        _ = try spoil(path, .isGone) { file in
            file.pages.firstIndex { $0.granule > 0 && $0.serial != file.pages[0].serial } ?? 0
        }
        let info = try Probe.probe(path: path)
        for start in [0, 24_000] {
            let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            let heard = try reader.samples(from: start, count: 19_200, channels: 1)[0]
            #expect(heard.allSatisfy { $0 == 0 }, "\(start)")
            let (begin, end) = (Double(start) / 48_000 + 0.01, Double(start) / 48_000 + 0.35)
            let found = reader.damage
            #expect(
                found.contains { $0.lowerBound.seconds < begin && $0.upperBound.seconds > end }, "\(start): \(found)")
        }
    }

    /// No packet follows the last page, which could tell how much is missing before it.
    @Test func beforeTheLastPage() throws {
        let path = try lab.make(
            "a.oga", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=4:r=48000", "-c:a", "flac", "-f", "ogg",
            "-page_duration", "1000000")
        let whole = try spoil(path, .isGone) { $0.pages.count - 2 }
        let start = Double(whole.pages[whole.pages.count - 3].granule) / 48_000
        let found = try damaged(path, try Probe.probe(path: path))
        #expect(abs((found.first?.lowerBound.seconds ?? 0) - start) < 0.12, "\(found)")
        #expect(abs((found.last?.upperBound.seconds ?? 0) - 4) < 0.12, "\(found)")
    }

    /// A short file of which one page is left is played all the same.
    @Test(arguments: [["a.oga", "-c:a", "flac", "-f", "ogg"], ["a.spx", "-ar", "16000", "-c:a", "libspeex"]])
    func beforeTheOnlyPage(_ material: [String]) throws {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "sine=f=440:d=1.5:r=48000"] + material.dropFirst() + ["-page_duration", "1000000"])
        _ = try spoil(path, .isGone) { file in file.pages.firstIndex { $0.granule > 0 } ?? 0 }
        let info = try Probe.probe(path: path)
        let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        #expect(try reader.samples(from: 0, count: 9600, channels: 1)[0].contains { $0 != 0 })
        #expect(!reader.damage.isEmpty)
    }

    /// A link of a chained file that lacks its last page.
    @Test(arguments: sounds) func ofAnInnerEnd(_ material: [String]) throws {
        let path = try lab.make(
            material[0], ["-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=3:r=48000"] + material.dropFirst())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try (whole + whole).write(to: URL(fileURLWithPath: path))
        let intact = try Probe.probe(path: path)
        #expect(intact.breaks == nil && intact.cutOff == nil && intact.tail == nil)
        #expect(try damaged(path, intact).isEmpty)
        try whole.write(to: URL(fileURLWithPath: path))
        _ = try spoil(path, .isGone) { $0.pages.count - 1 }
        let first = try Data(contentsOf: URL(fileURLWithPath: path))
        try (first + whole).write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        #expect(info.breaks?.positions == [Int64(first.count)] && info.cutOff == nil)
        let found = try damaged(path, info)
        #expect(found.count == 1, "\(found)")
    }

    /// Tags and padding behind the last page are silent; other bytes have a sentence of their own.
    @Test func whatLiesBehind() throws {
        let path = try lab.make(
            "a.ogg", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=1:r=48000", "-c:a", "libvorbis")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for tail in Self.padding {
            try (whole + tail).write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.breaks == nil && info.cutOff == nil && info.tail == nil, "\(tail.count)")
        }
        try (whole + Data(repeating: 0x55, count: 3000)).write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        #expect(info.breaks == nil && info.cutOff == nil && info.tail == Int64(whole.count))
        var draft = Draft()
        draft.clips = [Clip(path: path)]
        let warnings = draft.warnings(Catalog(media: [path: .found(info)])).map(\.description)
        #expect(warnings.contains { $0.contains("lie behind its end and are not read") }, "\(warnings)")
        #expect(!warnings.contains { $0.contains("damaged") }, "\(warnings)")
    }

    /// Zeros, ID3v1, and APE tags with and without a header, before one another.
    static let padding: [Data] = {
        let zeros = Data(repeating: 0, count: 100_000)
        var id3 = Data("TAG".utf8) + Data(repeating: 0x20, count: 124)
        id3.append(0xFF)
        let item = Data([4, 0, 0, 0, 0, 0, 0, 0]) + Data("Title\0film".utf8)
        func ape(_ flags: UInt8) -> Data {
            let size = UInt8(item.count + 32)
            return Data("APETAGEX".utf8) + Data([0xD0, 7, 0, 0, size, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, flags])
                + Data(repeating: 0, count: 8)
        }
        let tag = ape(0xA0) + item + ape(0x80)
        return [zeros, id3, id3 + zeros, zeros + id3, tag, item + ape(0), tag + id3, zeros + tag + id3 + zeros]
    }()

    /// Bytes that look like pages are searched a bounded number of times.
    @Test func manyBeginningsOfPages() throws {
        let path = try lab.make(
            "a.opus", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=1:r=48000", "-c:a", "libopus")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // Each claims 255 segments of 255 bytes.
        let page = Array("OggS\0\0".utf8) + [UInt8](repeating: 1, count: 20) + [UInt8](repeating: 0xFF, count: 256)
        let size = bytes.count
        for _ in 0..<2000 { bytes += page }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        #expect(info.breaks?.positions == [Int64(size)] && info.audio != nil)
    }

    /// A damaged file is read whole while it is rendered; the pulse ends that.
    @Test func readingCanBeStopped() throws {
        let path = try lab.make(
            "a.opus", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=10:r=48000", "-c:a", "libopus")
        struct Stop: Error {}
        var calls = 0
        let interrupter = Interrupter { _ in
            calls += 1
            if calls > 5 { throw Stop() }
        }
        let file = try InputFile(path: path, interrupter: interrupter)
        let error = #expect(throws: MediaError.self) { _ = try OggLoss.all(in: file, part: 0..<file.size) }
        #expect(error?.code == .cancelled)
    }

    /// A page that is there twice, or before the page that it follows, leads back in time.
    @Test(arguments: zip(sounds, [[4, 4], [5, 4], [5, 4], [4, 4]])) func ofPagesOutOfOrder(
        _ material: [String], _ order: [Int]
    ) throws {
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

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test(arguments: zip(sounds, [Fault.isGone, .oneBit, .isGone, .oneBit]))
        func ofSound(_ material: [String], _ fault: Fault) throws { try OggLossTests().ofSound(material, fault) }

        @Test(arguments: zip(sounds, [[5, 4], [4, 4], [4, 4], [5, 4]]))
        func ofPagesOutOfOrder(_ material: [String], _ order: [Int]) throws {
            try OggLossTests().ofPagesOutOfOrder(material, order)
        }
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
