import TestSupport
import Testing

extension EndToEnd {
    /// What `cutroom why` says of a frame, compared with the rendered frame.
    @Suite struct WhyTests {
        /// A step that lies between the start and the middle of frame 10, and one between the
        /// middle of frame 16 and its end: keyframes count from the start of a frame.
        @Test func `keyframes have the values of the rendered frame`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_source("org.cutroom.gradient", { duration = 1, color = "black", color_2 = "black" })
                draft:add_layer {
                  color = "white",
                  opacity = { { 0, 0, "hold" }, { 0.41, 1, "hold" }, { 0.67, 0 } },
                }
                """, size: (64, 36), fps: "25")
            let frames = try FFmpeg.grayFrames(of: try studio.render(), width: 64, height: 36)
            let isWhite = frames.map { $0[0] > 128 }
            #expect(isWhite == (0..<25).map { (11..<17).contains($0) })
            for (frame, isWhite) in isWhite.enumerated() {
                let result = try studio.run(["why", "edit.lua", "--at", "\(Double(frame) / 25)"])
                #expect(result.text.contains("    opacity = \(isWhite ? 1 : 0)\n"), "frame \(frame): \(result)")
            }
        }
    }
}
