import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A photo that slowly grows: it never stands, never jumps, and is as sharp at both ends as if
    /// it had been scaled alone.
    @Suite struct SlowZoomTests {
        /// 4000×3000, with detail of every size down to single pixels.
        private static var photo: String {
            get throws {
                try Footage.made(
                    "photo.png",
                    [
                        "-f", "lavfi", "-i",
                        "color=gray:s=4000x3000,format=gray,noise=c0s=60:c0f=u:all_seed=7,split=3[a][b][c];"
                            + "[a]scale=500:375,lut=y='clip(128+(val-128)*6,0,255)'[a];[a]scale=4000:3000:flags=bicubic[a];"
                            + "[b]scale=125:94,lut=y='clip(128+(val-128)*16,0,255)'[b];[b]scale=4000:3000:flags=bicubic[b];"
                            + "[c]lut=y='128+(val-128)/2'[c];[a][b]blend=all_mode=grainmerge[m];[m][c]blend=all_mode=grainmerge",
                        "-frames:v", "1", "-update", "1", "-pix_fmt", "gray", "-compression_level", "1",
                    ])
            }
        }

        private static let (width, height) = (320, 240)

        private static func difference(_ a: Shot, _ b: Shot) -> Double {
            zip(a.luma, b.luma).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(a.luma.count)
        }

        /// What ffmpeg makes of a part of the photo with its Lanczos filter.
        private static func scaled(_ crop: String, in studio: Studio) throws -> Shot {
            let path = studio.file("scaled.mkv")
            try FFmpeg.run([
                "-i", try photo, "-vf",
                "crop=\(crop),scale=\(width):\(height):flags=lanczos+accurate_rnd+full_chroma_int:out_color_matrix=bt709:out_range=tv,format=yuv420p",
                "-c:v", "ffv1", path,
            ])
            return try Shot.all(of: path)[0]
        }

        @Test func `a slow zoom over a photo is even, and sharp at its ends`() throws {
            let studio = try Studio()
            // At the end the part of 3800×2850 pixels in the middle.
            try studio.script(
                """
                draft:add_image(\(try Self.photo.lua), { duration = 4.2, scale = { { 0, 1 }, { 4, 20 / 19 } } })
                draft.export = { video = { quality = 0 } }
                """, size: (Self.width, Self.height), fps: "5")
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 21)
            let steps = zip(shots, shots.dropFirst()).map { Self.difference($0, $1) }
            let mean = steps.reduce(0, +) / Double(steps.count)
            #expect(steps.allSatisfy { $0 > 0 && $0 <= 2 * mean }, "\(steps)")
            #expect(mean > 0.2, "there is something to see: \(mean)")
            let first = shots[0].psnr(try Self.scaled("4000:3000", in: studio))
            let last = shots[20].psnr(try Self.scaled("3800:2850:100:75", in: studio))
            #expect(first >= 40 && last >= 40, "\(first) dB, \(last) dB")
        }
    }
}
