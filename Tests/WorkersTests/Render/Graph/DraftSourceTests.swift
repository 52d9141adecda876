import Composition
import Foundation
import Media
import TestSupport
import Testing
import Values

@testable import Workers

/// A draft that plays backwards within another one, at a frame of it in memory.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct DraftSourceTests {
    private static let count = 30
    private static let rate = Rational(30)

    /// Checks that the frames of a draft backwards are those of it forwards.
    /// - Parameters:
    ///   - step: frames of the draft for each that is shown.
    ///   - spilling: makes the file.
    /// - Returns: how many packets were decoded.
    private func check(
        step: Int = 1, _ spilling: @escaping (String) -> PictureSpill?, pulse: @escaping () -> Void = {}
    ) throws -> Int {
        let lab = try SliceLab()
        let slice = try lab.slice(of: ["sound.mp4"], seconds: 1)
        var wanted: [UInt64] = []
        try lab.render(slice, 0..<Self.count) { wanted.append(SliceLab.content($1)) }
        // Some frames of so small a pattern are equal.
        #expect(Set(wanted).count > Self.count / 2)
        let folder = try TemporaryFolder()
        var supplies = lab.worker.supplies
        var packets = 0
        // Readers that were used before call their own pulse.
        supplies.readers = ReaderPool(idleLimit: 4)
        (supplies.spillFolder, supplies.makeSpill) = (folder.path, spilling)
        supplies.pulse = { isAdvance in
            if isAdvance { packets += 1 }
            pulse()
        }
        let shown = Self.count / step
        let source = DraftSource(
            slice, try #require(slice.files[0].info.video), supplies, SliceClock(slice, firstFrame: 0), memory: 1
        ) { frame in
            guard frame < shown else { return nil }
            return .before(Time(middleOfFrame: Self.count - 1 - step * frame, rate: Self.rate), .backwards)
        }
        defer { source.close() }
        for frame in 0..<shown {
            let picture = try #require(try source.frame(frame)).picture
            #expect(SliceLab.content(picture) == wanted[Self.count - 1 - step * frame], "frame \(frame)")
        }
        return packets
    }

    /// 64×36 with chroma: two blocks of the file.
    private static func space(_ slots: Int) -> SpillSpace {
        SpillSpace(limit: slots * 8192, margin: 0, isForDisks: false)
    }

    @Test func `each frame is made once`() throws {
        for step in [1, 3] {
            let space = Self.space(100)
            let once = try check(step: step) { PictureSpill(in: $0, space: space) }
            let again = try check(step: step) { _ in nil }
            #expect(once < 60 && again > 2 * once, "\(once) and \(again)")
            #expect(space.used == 0)
        }
    }

    @Test(arguments: [0, 1, 2, 9]) func `too little room costs time only`(slots: Int) throws {
        let space = Self.space(slots)
        _ = try check { PictureSpill(in: $0, space: space) }
    }

    /// There is room when a stretch begins, and the clips below it take it.
    @Test func `room that is lost meanwhile costs time only`() throws {
        let (space, folder) = (Self.space(20), try TemporaryFolder())
        let other = try #require(PictureSpill(in: folder.path, space: space))
        let picture = try Picture(width: 64, height: 36, format: .yuv420p)
        var (pulses, taken) = (0, 0)
        _ = try check {
            PictureSpill(in: $0, space: space)
        } pulse: {
            pulses += 1
            while pulses > 8, other.store(picture) != nil { taken += 1 }
        }
        #expect(taken > 5, "\(taken)")
    }
}
