import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A click and a flash that are together in a source are together in the output, and where the
    /// cuts put them.
    @Suite struct SynchronyTests {
        private static let rate = 30.0

        /// One cut of the source: the flash of second `second` comes `offset` output seconds after
        /// the clip's start.
        private struct Cut {
            var second: Int
            var offset: Double
            var length: Double
            var speed: Double
            /// Overlap with the clip before.
            var transition: Double
            var range: (Double, Double) { (Double(second) - offset * speed, length * speed) }
        }

        /// 16 s, at each whole second a click of 2 ms and four white frames, so that a flash
        /// outlives a double speed.
        private static var source: String {
            get throws {
                try Footage.made(
                    "flashes.mp4",
                    [
                        "-f", "lavfi", "-i",
                        "color=black:size=64x64:rate=30:duration=16,drawbox=c=white:t=fill:enable='lt(mod(n,30),4)'",
                        "-f", "lavfi", "-i",
                        "aevalsrc='if(lt(mod(t,1),0.002),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=16",
                        "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", "-g", "15",
                        "-c:a", "aac", "-b:a",
                        "192k",
                    ])
            }
        }

        /// - Parameter step: what all times are multiples of, in seconds.
        private static func cuts(step: Double, seed: UInt64) -> [Cut] {
            var random = SplitMix64(seed: seed)
            func time(_ range: ClosedRange<Double>) -> Double {
                (Double.random(in: range, using: &random) / step).rounded() * step
            }
            return (0..<60).map { index in
                Cut(
                    second: Int.random(in: 2...13, using: &random), offset: time(0.25...0.35), length: time(0.5...0.7),
                    speed: index % 5 == 4 ? random.pick([0.5, 0.75, 1.5, 2]) : 1,
                    transition: index % 10 == 7 ? time(0.1...0.15) : 0)
            }
        }

        /// Renders the cuts.
        /// - Returns: where each click and flash must be, and where they are, in output seconds. A
        ///   flash is where its first frame begins.
        private static func measure(_ cuts: [Cut]) throws -> (wanted: [Double], clicks: [Double], flashes: [Int]) {
            let studio = try Studio()
            var lines = ""
            var wanted: [Double] = []
            var position = 0.0
            for cut in cuts {
                let transition = cut.transition > 0 ? ", transition = { \"dissolve\", \(cut.transition) }" : ""
                lines +=
                    "draft:add_clip(\(try source.lua), { range = { \(cut.range.0), \(cut.range.1) }, speed = \(cut.speed)\(transition) })\n"
                position -= cut.transition
                wanted.append(position + cut.offset)
                position += cut.length
            }
            try studio.script(lines, size: (64, 64))
            let output = try studio.render(timeout: 200)
            let bright = try FFmpeg.grayFrames(of: output, width: 8, height: 8).map {
                $0.reduce(0) { $0 + Int($1) } / 64 > 100
            }
            // Every frame that begins before the end; the sum of so many durations is off by less
            // than a millionth.
            #expect(bright.count == Int((position * rate - 1e-6).rounded(.up)))
            let flashes = bright.indices.filter { bright[$0] && ($0 == 0 || !bright[$0 - 1]) }
            return (wanted, try Sound(of: output).onsets(above: 0.15, pause: 0.15), flashes)
        }

        @Test func `after 60 cuts on frames a click and its flash are together`() throws {
            let seed = Seed.announced(for: "cuts on frames", cases: 60)
            let (wanted, clicks, flashes) = try Self.measure(Self.cuts(step: 1 / Self.rate, seed: seed))
            try #require(clicks.count == 60 && flashes.count == 60, "\(clicks.count) clicks, \(flashes.count) flashes")
            for (index, time) in wanted.enumerated() {
                let flash = Double(flashes[index]) / Self.rate
                #expect(
                    flashes[index] == Int((time * Self.rate).rounded()), "flash \(index) at frame \(flashes[index])")
                #expect(
                    abs(clicks[index] - flash) < 0.5 / Self.rate,
                    "click \(index) at \(clicks[index]), flash at \(flash)")
            }
        }

        /// A frame shows what its middle has, so a flash comes up to half a frame early or late.
        @Test func `after 60 cuts anywhere a click and its flash are together`() throws {
            let seed = Seed.announced(for: "cuts anywhere", cases: 60)
            let (wanted, clicks, flashes) = try Self.measure(Self.cuts(step: 0.001, seed: seed))
            try #require(clicks.count == 60 && flashes.count == 60, "\(clicks.count) clicks, \(flashes.count) flashes")
            for (index, time) in wanted.enumerated() {
                let flash = Double(flashes[index]) / Self.rate
                #expect(abs(flash - time) < 0.5001 / Self.rate, "flash \(index) at \(flash), wanted at \(time)")
                // A click's onset is found to within a millisecond.
                #expect(
                    abs(clicks[index] - flash) < 0.5 / Self.rate + 0.001,
                    "click \(index) at \(clicks[index]), flash at \(flash)")
            }
        }

        @Test func `through a ramp a click and its flash are together`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Self.source.lua), { speed = { { 0.5, 1 }, { 8, 3, 'ease_in_out' }, { 15, 0.4 } } })",
                size: (64, 64))
            let output = try studio.render()
            let bright = try FFmpeg.grayFrames(of: output, width: 8, height: 8).map {
                $0.reduce(0) { $0 + Int($1) } / 64 > 100
            }
            let flashes = bright.indices.filter { bright[$0] && ($0 == 0 || !bright[$0 - 1]) }
            let clicks = try Sound(of: output).onsets(above: 0.15, pause: 0.15)
            try #require(clicks.count == 16 && flashes.count == 16, "\(clicks.count) clicks, \(flashes.count) flashes")
            for (click, flash) in zip(clicks, flashes) {
                let flash = Double(flash) / Self.rate
                #expect(abs(click - flash) < 0.5 / Self.rate + 0.002, "click at \(click), flash at \(flash)")
            }
        }
    }
}
