import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Speed curves, stops, passes and mixed frames.
    @Suite struct TimingTests {
        /// The frames' numbers in the output of one clip of `Footage.indexed`: 30 fps, 120 frames.
        private static func frames(_ options: String) throws -> [Int] {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.indexed.lua), { \(options) })")
            return try FrameCode.indexes(of: try studio.render()).map { try #require($0) }
        }

        @Test func `a ramp shows the frames of its integral`() throws {
            let found = try Self.frames("speed = { { 0, 1 }, { 3, 4 } }")
            // The speed at u is 1 + u, so u is e^t − 1 up to 3, and goes on four times as fast.
            let turn = log(4.0)
            #expect(found.count == Int(((turn + 0.25) * 30).rounded(.up)))
            for (index, frame) in found.enumerated() {
                let time = (Double(index) + 0.5) / 30
                let place = 30 * (time < turn ? exp(time) - 1 : 3 + 4 * (time - turn))
                // A tenth of a millisecond at four times the speed.
                let shown = [place - 0.012, place + 0.012].map { min(119, Int($0.rounded(.up)) - 1) }
                #expect(shown.contains(frame), "frame \(index) shows \(frame), but \(shown) is right")
            }
            // Backwards the same places have the same speeds: the end is fast.
            let backward = try Self.frames("speed = { { 0, 1 }, { 3, 4 } }, reverse = true")
            #expect(zip(backward, backward.dropFirst()).allSatisfy { $0 >= $1 })
            #expect(backward.count == found.count && backward[0] - backward[1] == 4 && backward[48] - backward[49] <= 2)
        }

        /// Robert Penner's curve, which goes below its first and above its last key: 1.35 … 3.15
        /// here.
        @Test func `a ramp that overshoots shows the frames of its integral`() throws {
            let found = try Self.frames("speed = { { 0, 1.5, 'ease_in_out_back' }, { 4, 3 } }")
            func speed(at u: Double) -> Double {
                let (c, x) = (1.70158 * 1.525, 2 * min(1, u / 4))
                let y = x < 1 ? x * x * ((c + 1) * x - c) / 2 : ((x - 2) * (x - 2) * ((c + 1) * (x - 2) + c) + 2) / 2
                return 1.5 + 1.5 * y
            }
            // The time at which each source frame begins, by Simpson's rule.
            var begins = [0.0]
            for frame in 0..<120 {
                let steps = 40
                let h = 1 / 30.0 / Double(steps)
                let sum = (0..<steps).reduce(0.0) { sum, step in
                    let u = Double(frame) / 30 + Double(step) * h
                    return sum + h / 6 * (1 / speed(at: u) + 4 / speed(at: u + h / 2) + 1 / speed(at: u + h))
                }
                begins.append(begins[frame] + sum)
            }
            #expect(found.count == Int((begins[120] * 30).rounded(.up)))
            for (index, frame) in found.enumerated() {
                let time = min((Double(index) + 0.5) / 30, begins[120] - 1e-6)
                // The curve is followed to a tenth of a millisecond of the source.
                let shown = [time - 1e-4, time + 1e-4].map { time in begins.dropLast().lastIndex { $0 < time } }
                #expect(shown.contains(frame), "frame \(index) shows \(frame), but \(shown) is right")
            }
        }

        @Test func `stops and turns are exact`() throws {
            let (first, last) = (Array(30..<45), Array(45..<60))
            let stop = [Int](repeating: 45, count: 15)
            #expect(try Self.frames("range = { 1, 1 }, freeze = { 0.5, 0.5 }") == first + stop + last)
            #expect(
                try Self.frames(
                    "range = { 1, 1 }, freeze = { { 0.5, 0.5 } }, ping_pong = true, loop = 3, reverse = true")
                    == [
                        last.reversed(), stop, first.reversed(), first, stop, last, last.reversed(), stop,
                        first.reversed(),
                    ]
                    .flatMap(\.self))
        }

        @Test func `a curve without change makes the bytes of a constant speed, with any number of workers`() throws {
            let studio = try Studio()
            func rendered(_ options: String, _ workers: Int = 2) throws -> Data {
                try studio.script("draft:add_clip(\(try Footage.pattern.lua), { \(options) })")
                let path = try studio.render(with: ["--no-cache", "--overwrite", "--workers", "\(workers)"])
                return try Data(contentsOf: URL(fileURLWithPath: path))
            }
            #expect(try rendered("speed = 0.75") == rendered("speed = { { 0, 0.75 }, { 2, 0.75, 'ease_in' } }"))
            let ramp =
                "speed = { { 0, 0.3 }, { 3, 2, 'ease_in_out' } }, range = { 0, 2 }, freeze = { 1, 0.3 }, ping_pong = true, frames = 'blend'"
            #expect(try rendered(ramp, 1) == rendered(ramp, 3))
            try #require(try studio.run(["save", "edit.lua", "-o", "edit.cutroom"]).succeeded)
            let saved = try studio.render("edit.cutroom", to: "d.mp4", with: ["--no-cache"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: saved)) == rendered(ramp))
        }

        @Test func `sound keeps its pitch through a ramp, is silent in a stop, and does not click`() throws {
            let studio = try Studio()
            let tone = try Footage.made(
                "tone.mov",
                [
                    "-f", "lavfi", "-i", "color=black:size=64x64:rate=30:duration=4", "-f", "lavfi", "-i",
                    "sine=f=440:r=48000:d=4,volume=4", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "pcm_s16le",
                ])
            try studio.script(
                """
                draft:add_clip(\(tone.lua), { speed = { { 0, 0.5 }, { 2, 3, "ease_in_out" }, { 4, 1 } }, freeze = { 3, 0.5 } })
                draft.export = { audio = { channels = 1, bit_rate = 192000 } }
                """, size: (64, 64))
            let sound = try Sound(of: try studio.render())
            let loud = stride(from: 0.05, to: sound.duration - 0.15, by: 0.1).map { sound.level($0, 0.1) }
            let quiet = loud.indices.filter { loud[$0] < -60 }
            #expect((4...5).contains(quiet.count), "\(loud)")
            let stop = Double(try #require(quiet.first)) * 0.1 + 0.05
            for start in stride(from: 0.2, to: stop - 0.5, by: 0.25) {
                #expect(abs(sound.frequency(start, 0.25) - 440) < 3, "at \(start)")
            }
            // A tone's neighbouring samples differ by no more than this; the edges of the stop are
            // soft.
            let most = sound.peak * Float(2 * Double.pi * 440 / Sound.rate) * 1.3
            let steps = zip(sound.samples, sound.samples.dropFirst()).map { abs($1 - $0) }
            #expect(steps.dropFirst(500).dropLast(4000).max() ?? 1 < most)
        }

        // MARK: Mixed frames

        /// The mean luma of each frame in slow motion of a film in which frame n has 20 + 4 n.
        private static func lumas(_ options: String, _ canvas: String = "") throws -> [Double] {
            let film = try Footage.made(
                "steep.mkv",
                [
                    "-f", "lavfi", "-i",
                    "color=black:size=64x64:rate=30:duration=1.5,format=yuv420p,geq=lum='20+4*N':cb=128:cr=128", "-c:v",
                    "ffv1", "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries",
                    "bt709", "-color_trc", "bt709",
                ])
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(film.lua), { range = { 0.5, 0.5 }, speed = 0.2, \(options) })\ndraft.export = { video = { quality = 2 } }",
                size: (64, 64), options: canvas)
            return try FFmpeg.grayFrames(of: try studio.render(), width: 8, height: 8).map {
                // Gray has the full range.
                16 + Double($0.reduce(0) { $0 + Int($1) }) / 64 * 219 / 255
            }
        }

        @Test func `in slow motion neighbours are mixed by the distance of their times`() throws {
            let mixed = try Self.lumas("frames = 'blend'")
            #expect(mixed.count == 75)
            for (index, luma) in mixed.enumerated() {
                // Nothing of the frame behind the range is mixed in. Matroska's times are
                // milliseconds.
                let place = min(29, 15 + (Double(index) + 0.5) / 5)
                #expect(abs(luma - (20 + 4 * place)) < 1.1, "frame \(index) has \(luma)")
            }
            let backward = try Self.lumas("frames = 'blend', reverse = true")
            for (a, b) in zip(mixed, backward.reversed()) { #expect(abs(a - b) < 0.8) }
            #expect(Set(try Self.lumas("frames = 'nearest'").map { Int($0.rounded()) }).count <= 16)
            // Ten bits.
            let wide = try Self.lumas("frames = 'blend'", ", color = 'hlg'")
            #expect(Set(wide.map { Int($0.rounded()) }).count > 30)
            #expect(zip(wide, wide.dropFirst()).allSatisfy { $1 > $0 - 0.8 })
        }

        @Test func `where no neighbour is missing nothing is mixed`() throws {
            let studio = try Studio()
            func rendered(_ options: String) throws -> Data {
                try studio.script(
                    "draft:add_clip(\(try Footage.indexed.lua), { range = { 0, 1 }, \(options) })", fps: "15")
                let path = try studio.render(with: ["--no-cache", "--overwrite"])
                return try Data(contentsOf: URL(fileURLWithPath: path))
            }
            for speed in [0.5, 1, 3] {
                #expect(try rendered("speed = \(speed)") == rendered("speed = \(speed), frames = 'blend'"))
            }
        }
    }
}
