import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// Reading backwards with a file for the frames that do not fit into memory.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SpillTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let rate = Rational(30)

    /// One group of 120 frames of 160×32: 7680 bytes each, two blocks of the file.
    private func longGroup() throws -> String {
        try lab.numbered("long.mp4", rate: "30", count: 120, ["-c:v", "libx264", "-g", "250"])
    }

    /// A reader that holds two frames in memory.
    private func reader(
        _ path: String, spill: Bool = true, _ packets: Counter = Counter(), space: SpillSpace = .forTests(slots: 1000)
    ) throws -> VideoReader {
        let reader = try VideoReader(path: path, info: try Probe.probe(path: path), windowBudget: 1) { isAdvance in
            if isAdvance { packets.value += 1 }
        }
        if spill { (reader.spillFolder, reader.spillSpace) = (lab.folder.path, space) }
        return reader
    }

    /// Shows frames backwards and checks their numbers.
    private func show(_ frames: Range<Int>, _ reader: VideoReader) throws {
        for index in frames.reversed() {
            let time = Time(frame: index + 1, rate: Self.rate)
            let picture = try reader.picture(before: time, playing: .backwards)
            #expect(Numbered.read(picture) == index)
        }
    }

    @Test func aGroupIsDecodedOnce() throws {
        let path = try longGroup()
        let (with, without) = (Counter(), Counter())
        try show(0..<120, try reader(path, with))
        try show(0..<120, try reader(path, spill: false, without))
        #expect(with.value < 180 && without.value > 1000, "\(with.value) and \(without.value)")
    }

    /// Five segments of one group, as a worker renders them: the first holds what it shows alone.
    /// With the second it is clear that the others follow, and they decode nothing.
    @Test func laterUsesDecodeNothing() throws {
        let packets = Counter()
        let reader = try reader(try longGroup(), packets)
        var counts: [Int] = []
        for first in [100, 80, 60, 40, 20] {
            packets.value = 0
            reader.earliest = Time(middleOfFrame: first, rate: Self.rate)
            try show(first..<first + 20, reader)
            counts.append(packets.value)
            let isFit = reader.rest()
            #expect(isFit)
        }
        #expect(counts[..<2].allSatisfy { $0 > 50 } && counts[2...] == [0, 0, 0], "\(counts)")
    }

    /// More is asked for than was announced.
    @Test func anEarlierFrameThanTheEarliestIsRight() throws {
        let reader = try reader(try longGroup())
        reader.earliest = Time(frame: 100, rate: Self.rate)
        try show(0..<120, reader)
    }

    @Test(arguments: [0, 1, 2, 30]) func tooLittleRoomCostsTimeOnly(_ slots: Int) throws {
        let packets = Counter()
        let reader = try reader(try longGroup(), packets)
        reader.spillSpace = .forTests(slots: slots)
        try show(0..<120, reader)
        #expect(slots < 30 || packets.value < 600, "\(packets.value)")
    }

    /// A folder that is missing, and one that is a file.
    @Test(arguments: ["missing", "long.mp4"]) func aFolderWithoutFilesCostsTimeOnly(_ folder: String) throws {
        let reader = try reader(try longGroup())
        reader.spillFolder = lab.path(folder)
        try show(0..<120, reader)
        #expect(!reader.holdsDiskSpace)
    }

    /// The disk has less free than must stay free.
    @Test func aFullDiskCostsTimeOnly() throws {
        let reader = try reader(try longGroup(), space: SpillSpace(limit: 1 << 30, margin: .max, isForDisks: false))
        try show(0..<120, reader)
        #expect(!reader.holdsDiskSpace)
    }

    /// Each write fails from the second group on; what was written before is read.
    @Test func failingWritesCostTimeOnly() throws {
        let path = try lab.numbered(
            "groups.mp4", rate: "30", count: 120, ["-c:v", "libx264", "-g", "60", "-sc_threshold", "0", "-bf", "0"])
        let packets = Counter()
        let reader = try reader(path, packets)
        try show(110..<120, reader)
        let file = try #require(try spillFiles().first)
        let readOnly = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
        #expect(readOnly >= 0 && dup2(readOnly, file) == file)
        close(readOnly)
        packets.value = 0
        try show(60..<110, reader)
        #expect(packets.value == 0)
        try show(0..<60, reader)
        #expect(packets.value > 500 && !reader.holdsDiskSpace, "\(packets.value)")
    }

    /// The file takes room on disk as long as frames are in it.
    @Test func roomIsGivenBack() throws {
        let path = try longGroup()
        let space = SpillSpace.forTests(slots: 1000)
        var held: VideoReader? = try reader(path, space: space)
        try show(60..<120, try #require(held))
        #expect(held?.holdsDiskSpace == true && space.used > 0)
        let size = try spillFiles().map { lseek($0, 0, SEEK_END) }
        #expect(size.count == 1 && size[0] > 0, "\(size)")
        try show(0..<60, try #require(held))
        #expect(held?.holdsDiskSpace == false && space.used == 0)
        #expect(try spillFiles().map { lseek($0, 0, SEEK_END) } == [0])
        try show(60..<120, try #require(held))
        #expect(space.used > 0)
        held = nil
        let files = try spillFiles()
        #expect(space.used == 0 && files.isEmpty)
    }

    /// What lies in memory would count as the process's.
    @Test(.enabled(if: access("/dev/shm", W_OK) == 0)) func memoryIsNoDisk() {
        #expect(PictureSpill(in: "/dev/shm") == nil)
        #expect(PictureSpill(in: "/dev/shm", space: SpillSpace(limit: 1, isForDisks: false)) != nil)
    }

    /// Into the middle of the group, past what is held, and between the two directions.
    @Test func anyOrderIsRight() throws {
        let reader = try reader(try longGroup())
        func forwards(_ frames: Range<Int>) throws {
            for index in frames {
                let time = Time(middleOfFrame: index, rate: Self.rate)
                #expect(Numbered.read(try reader.picture(before: time, playing: .forwards)) == index)
            }
        }
        try show(60..<80, reader)
        try show(10..<20, reader)
        try show(100..<110, reader)
        try forwards(30..<50)
        try show(30..<50, reader)
        try forwards(110..<120)
        try show(0..<120, reader)
    }

    /// Pictures of two sizes in one stream: those of one are in the file at a time.
    @Test func theSizeChanges() throws {
        var bytes: [UInt8] = []
        for (size, start) in [("160x96", 0.0), ("320x192", 1.0), ("160x96", 2.0)] {
            let path = try lab.make(
                "\(start).ts", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30:d=1,hue=h=\(40 * start)", "-c:v",
                "mpeg2video",
                "-g", "99", "-q:v", "3", "-output_ts_offset", "\(start)", "-muxdelay", "0", "-muxpreload", "0")
            bytes += try Data(contentsOf: URL(fileURLWithPath: path))
        }
        try sameBothWays(try lab.write("sizes.ts", bytes))
    }

    /// The frames on disk are lost while they are shown: they are decoded again.
    @Test func aBrokenFileCostsTimeOnly() throws {
        let reader = try reader(try longGroup())
        try show(100..<120, reader)
        let files = try spillFiles()
        #expect(files.count == 1)
        for file in files { #expect(ftruncate(file, 0) == 0) }
        try show(0..<100, reader)
    }

    /// A process that is killed leaves nothing behind.
    @Test func theFileHasNoName() throws {
        let reader = try reader(try longGroup())
        try show(100..<120, reader)
        #expect(try spillFiles().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: lab.folder.path) == ["long.mp4"])
    }

    /// What is known to be damaged does not depend on where frames are held.
    @Test func damageIsTheSame() throws {
        let path = try longGroup()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for range in try Lab.packetRanges(path)[40..<42] { for offset in range { bytes[offset] = 0xFF } }
        try bytes.write(to: URL(fileURLWithPath: path))
        func damaged(_ reader: VideoReader) throws -> [Int] {
            try (0..<120).reversed().filter { index in
                _ = try reader.picture(before: Time(middleOfFrame: index, rate: Self.rate), playing: .backwards)
                return reader.damage != nil
            }
        }
        let found = try damaged(try reader(path))
        let other = try damaged(try reader(path, spill: false))
        #expect(found == other)
        #expect(found.contains(60) && !found.contains(20), "\(found)")
    }

    /// The descriptors of this test's files without a name.
    private func spillFiles() throws -> [Int32] {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            guard let target, target.hasSuffix(" (deleted)") else { return false }
            return target.contains((lab.folder.path as NSString).lastPathComponent + "/")
        }.compactMap { Int32($0) }
    }

    private static let materials = [
        ["8bit.mp4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "99"],
        ["odd444.mkv", "-vf", "crop=157:93", "-pix_fmt", "yuv444p", "-c:v", "libx264", "-g", "99"],
        ["10bit.mp4", "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", "keyint=99:log-level=none"],
        ["rgb.mkv", "-pix_fmt", "gbrp", "-c:v", "ffv1", "-g", "99"],
        ["grey.mkv", "-pix_fmt", "gray16le", "-c:v", "ffv1", "-g", "99"],
        ["alpha.mov", "-pix_fmt", "yuva444p10le", "-c:v", "prores_ks"],
        ["alpha.webm", "-pix_fmt", "yuva420p", "-c:v", "libvpx", "-auto-alt-ref", "0", "-g", "99"],
        ["fields.ts", "-vf", "interlace", "-c:v", "mpeg2video", "-flags", "+ilme+ildct", "-g", "99", "-q:v", "3"],
        ["palette.gif"],
    ]

    /// Pixels and everything that decides how they are converted are those of reading forwards.
    @Test(arguments: materials) func theSamePictures(_ material: [String]) throws {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=30:d=0.6,format=rgba,colorchannelmixer=aa=0.7"]
                + material.dropFirst())
        try sameBothWays(path)
    }

    private func sameBothWays(_ path: String) throws {
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        let rate = video.frameRate
        let converter = CanvasConverter(width: 160, height: 96, mode: .fit)
        let count = video.duration.frameCount(rate: rate)
        let forwards = try reader(path, spill: false)
        let wanted = try (0..<count).map {
            let time = Time(middleOfFrame: $0, rate: rate)
            return try converter.convert(try forwards.picture(before: time, playing: .forwards), info: video).packed
        }
        #expect(Set(wanted).count > 5)
        let backwards = try reader(path)
        for index in (0..<count).reversed() {
            let picture = try backwards.picture(before: Time(middleOfFrame: index, rate: rate), playing: .backwards)
            #expect(try converter.convert(picture, info: video).packed == wanted[index], "frame \(index)")
        }
    }

    /// A picture comes back with its time, its mirroring and its planes.
    @Test func storedPicturesComeBack() throws {
        let spill = try #require(PictureSpill(in: lab.folder.path, space: .forTests(slots: 1000)))
        let picture = try Picture(width: 33, height: 17, format: .yuva420p)
        for plane in 0..<4 {
            let size = picture.size(ofPlane: plane)
            for row in 0..<size.height {
                for x in 0..<size.width {
                    picture.plane(plane)[row * picture.stride(plane) + x] = UInt8(
                        truncatingIfNeeded: 41 * plane + 7 * row + x)
                }
            }
        }
        let mirrored = Picture(decoded: picture.frame, time: Time(flicks: 77), isMirrored: true)
        let stored = try #require(spill.store(mirrored))
        // Another size only once nothing else is there.
        let small = try Picture(width: 16, height: 16, format: .rgba)
        let refused = spill.store(small) == nil
        #expect(refused)
        let found = try #require(spill.restore(stored))
        #expect(found.packed == picture.packed && found.time == Time(flicks: 77) && found.isMirrored)
        #expect(found.format == .yuva420p)
        let isStored = spill.store(small) != nil
        #expect(isStored)
    }
}

extension SpillSpace {
    /// Room for as many frames of ``Numbered``, on any file system.
    static func forTests(slots: Int) -> SpillSpace { SpillSpace(limit: slots * 8192, margin: 0, isForDisks: false) }
}
