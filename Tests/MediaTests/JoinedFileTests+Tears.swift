import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// A clock that leaps forward by a few seconds leaves a hole. All pictures around it are shown.
extension JoinedFileTests {
    static let tears: [[Recording]] = [
        hevc,
        [
            Recording(
                name: "pyramid.ts", picture: ["-c:v", "libx264", "-g", "25", "-bf", "5", "-b_strategy", "0"]),
            Recording(name: "c.ts", count: 33, picture: ["-c:v", "libx264", "-g", "11", "-bf", "0"], length: 1.32),
        ],
        [Recording(name: "d.ts", picture: mpeg2, sound: ["-c:a", "mp2"])],
    ]

    /// One leap of the clock behind each picture of a group: no picture is lost or swapped, and all
    /// that are presented behind the hole are late by its length.
    ///
    /// With B-frames, some pictures are decoded before the hole and presented after pictures from
    /// behind it. The second recording has no B-frames, so its decoding times do not tell when
    /// pictures are presented that a decoder gives late.
    @Test(arguments: tears) func noPictureIsLostAtATear(_ recordings: [Recording]) throws {
        let (whole, _) = try join(recordings)
        let data = try Data(contentsOf: URL(fileURLWithPath: whole))
        let places = try Lab.packetRanges(lab.path(recordings[0].name)).map(\.lowerBound)
        let isKey = try Lab.entries(
            lab.path(recordings[0].name), "-select_streams", "v", "-show_entries", "packet=flags"
        ).map { $0.contains("K") }
        try #require(places.count == recordings[0].count && isKey.count == places.count)
        let leaps = [(0.3, places[24..<50]), (0.1, places[30..<42]), (5, places[32..<38])]
        for (seconds, tears) in leaps {
            for tear in tears {
                let moved = StampedAnew.moved(data, isTransport: true, from: tear, by: Int64(seconds * 90_000))
                let path = try lab.write("torn.ts", moved)
                // A reader that begins at the key frame of an open group lacks the two leading
                // pictures. If the hole lies before one of them, it does not know that the key
                // frame has missed the hole.
                let index = try #require(places.firstIndex(of: tear))
                let hidesHole = recordings[0].name == "d.ts" && isKey[index - 2..<index].contains(true)
                try check(
                    path, recordings, hole: seconds, isHidden: hidesHole, "a leap by \(seconds) s at byte \(tear)")
            }
        }
    }

    /// Some programs write decoding times as presentation times. With B-frames, every P-frame then
    /// steps back. Such a file shows what it shows with libavcodec's best effort: all pictures but
    /// the last ones, which have no decoding time of a later packet.
    @Test func decodingTimesAsPresentationTimes() throws {
        let recording = Recording(
            name: "decoding-times.ts", picture: ["-c:v", "libx264", "-g", "25", "-bf", "2", "-b_strategy", "0"])
        let (path, _) = try join([recording])
        let stamped = lab.path("stamped.ts")
        try FFmpeg.run(["-i", path, "-c", "copy", "-bsf:v", "setts=pts=DTS", stamped])
        let info = try Probe.probe(path: stamped)
        let pictures = try frames(stamped, info)
        let shown = try numbers(pictures, info)
        #expect(shown.count >= recording.count - 3, "\(shown)")
        #expect(shown == Array(0..<recording.count).filter(Set(shown).contains), "\(shown)")
    }

    private func check(_ path: String, _ recordings: [Recording], hole: Double, isHidden: Bool, _ name: String) throws {
        let info = try Probe.probe(path: path)
        let pictures = try frames(path, info)
        let found = try numbers(pictures, info)
        #expect(found == recordings.flatMap { Array(0..<$0.count) }, "\(name)")
        let frame = 1 / Self.rate
        let steps = zip(pictures, pictures.dropFirst()).map { $1.time.seconds - $0.time.seconds }
        let first = steps.prefix(recordings[0].count - 1)
        let holes = first.count { abs($0 - frame - hole) < 0.001 }
        #expect(holes == 1 && first.count { abs($0 - frame) < 0.001 } == first.count - 1, "\(name): \(first)")
        let second = steps.dropFirst(recordings[0].count)
        #expect(second.allSatisfy { abs($0 - frame) < 0.001 }, "\(name): \(second)")
        guard !isHidden else { return }
        // The same times wherever reading begins, around the hole and at the end.
        let before = try #require(first.firstIndex { abs($0 - frame - hole) < 0.001 })
        for picture in [pictures[before], pictures[before + 1], pictures[before + 4], pictures[pictures.count - 1]] {
            let other = try VideoReader(path: path, info: info).picture(at: picture.time + Time(flicks: 1))
            #expect(other.time == picture.time && other.bytes(ofPlane: 0) == picture.bytes(ofPlane: 0), "\(name)")
        }
        let reader = try VideoReader(path: path, info: info)
        let backwards = try pictures.reversed().map {
            try reader.picture(before: $0.time + Time(flicks: Time.flicksPerSecond / 100), playing: .backwards)
        }
        #expect(backwards.map(\.time) == pictures.reversed().map(\.time), "\(name)")
        #expect(try numbers(backwards, info) == found.reversed(), "\(name)")
    }
}
