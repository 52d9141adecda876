import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A click and a flash that are together in a source are together in a layer, however it is
    /// sped up, looped and nested.
    @Suite struct LayerSynchronyTests {
        private static let rate = 15.0

        private enum Content: String, CaseIterable {
            case file
            /// A draft that shows the file.
            case draft
            /// A draft that shows a draft with the file as a layer.
            case draftInDraft
        }

        /// Renders a layer that plays seven seconds with a flash and a click in the middle of each,
        /// one and a half times as fast, again and again.
        /// - Returns: where clicks and flashes begin, in seconds; a flash where its first frame
        ///   begins.
        private static func measure(_ content: Content, minutes: Double) throws -> (clicks: [Double], flashes: [Double])
        {
            let source = try Footage.made(
                "flashing.mp4",
                [
                    "-f", "lavfi", "-i",
                    "color=black:size=32x32:rate=30:duration=7,drawbox=c=white:t=fill:enable='between(mod(n,30),15,20)'",
                    "-f", "lavfi", "-i",
                    "aevalsrc='if(between(mod(t,1),0.5,0.502),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=7",
                    "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", "-g", "30",
                    "-c:a", "aac", "-b:a", "192k",
                ])
            let studio = try Studio()
            let seconds = minutes * 60
            let loops = Int((seconds / (7 / 1.5)).rounded(.up))
            let shown =
                switch content {
                case .file: "local shown = \(source.lua)"
                case .draft: "local shown = cutroom.draft({ \(source.lua) }, { size = { 32, 32 }, fps = 30 })"
                case .draftInDraft:
                    """
                    local inner = cutroom.draft { size = { 32, 32 }, fps = 30, duration = 7 }
                    inner:add_layer(\(source.lua))
                    local shown = cutroom.draft({ inner }, { size = { 16, 16 }, fps = 30 })
                    """
                }
            try studio.script(
                """
                \(shown)
                draft.duration = \(seconds)
                draft:add_layer(shown, { range = { 0, 7 }, speed = 1.5, loop = \(loops) })
                """, size: (32, 32), fps: "\(Int(rate))")
            let output = try studio.render(timeout: 300)
            let bright = try FFmpeg.grayFrames(of: output, width: 4, height: 4).map {
                $0.reduce(0) { $0 + Int($1) } / 16 > 100
            }
            #expect(bright.count == Int(seconds * rate))
            let flashes = bright.indices.filter { bright[$0] && ($0 == 0 || !bright[$0 - 1]) }
            return (try Sound(of: output).onsets(above: 0.15, pause: 0.15), flashes.map { Double($0) / rate })
        }

        private static func check(_ content: Content, minutes: Double) throws {
            let (clicks, flashes) = try measure(content, minutes: minutes)
            let count = Int(minutes * 60 * 1.5)
            try #require(clicks.count == count && flashes.count == count, "\(clicks.count), \(flashes.count)")
            var worst = 0.0
            for (number, (click, flash)) in zip(clicks, flashes).enumerated() {
                let wanted = (Double(number) + 0.5) / 1.5
                // A frame shows what its middle has; a click's onset is found to within two
                // milliseconds.
                #expect(abs(flash - wanted) <= 0.5001 / rate, "flash \(number) at \(flash), wanted at \(wanted)")
                #expect(abs(click - flash) <= 0.5 / rate + 0.002, "click \(number) at \(click), flash at \(flash)")
                worst = max(worst, abs(click - wanted))
            }
            print("clicks of \(minutes) minutes (\(content)) are at most \(worst * 1000) ms from their places")
            #expect(worst < 0.01)
        }

        /// The content that has the others in it.
        @Test(arguments: [Content.draftInDraft])
        private func `a click and a flash of a looped layer are together`(_ content: Content) throws {
            try Self.check(content, minutes: 0.4)
        }

        /// Each content, to the end of ten minutes, too.
        @Suite struct Sweep {
            @Test(arguments: Content.allCases)
            private func `a click and a flash of a looped layer are together`(_ content: Content) throws {
                try LayerSynchronyTests.check(content, minutes: 0.4)
            }

            @Test(arguments: Content.allCases)
            private func `a click and a flash of a looped layer stay together`(_ content: Content) throws {
                try LayerSynchronyTests.check(content, minutes: 10)
            }
        }
    }
}
