import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Everything at once over real files: other codecs, rates, shapes and layouts, missing
    /// durations.
    @Suite struct RealMediaTests {
        private static let files = [
            "lofoten.mp4", "palawan.mp4", "changi.mp4", "bigbuckbunny.mp4", "fire2.mp4", "no_duration.webm", "img1.jpg",
            "emoji.png",
            "lookup.png", "sample1.m4a",
        ]
        private static let isPresent = files.allSatisfy { MediaFolder.has($0) }

        @Suite struct Sweep {
            @Test(.enabled(if: isPresent, MediaFolder.absence), arguments: [(360, 640), (1280, 720), (720, 1280)])
            func `all of it renders to the frame`(width: Int, height: Int) throws {
                try RealMediaTests.renderAll(width, height)
            }
        }

        fileprivate static func renderAll(_ width: Int, _ height: Int) throws {
            let studio = try Studio()
            let folder = try #require(MediaFolder.path)
            let kinds = PictureTests.transitions
            let clips = ["palawan.mp4", "changi.mp4", "bigbuckbunny.mp4", "fire2.mp4", "no_duration.webm"]
            var lines = "draft:add_clip(\((folder + "/lofoten.mp4").lua), { range = { 0, 1 } })\n"
            for (index, kind) in kinds.enumerated() {
                let transition = "transition = { \"\(kind)\", 0.4 }"
                if index == 4 {
                    lines +=
                        "draft:add_image(\((folder + "/img1.jpg").lua), { duration = 1, mode = \"fill\", \(transition) })\n"
                } else {
                    let speed = index == 2 ? ", speed = 1.5" : ""
                    let file = folder + "/" + clips[index % clips.count]
                    lines +=
                        "draft:add_clip(\(file.lua), { range = { 0, \(index == 2 ? 1.5 : 1) }\(speed), mode = \"\(index % 2 == 0 ? "fit" : "fill")\", \(transition) })\n"
                }
            }
            lines += """
                draft:add_audio(\((folder + "/sample1.m4a").lua), { range = { 0, 1.5 }, volume = 0.4, fade_out = 1, loop = true })
                draft:add_effect("lut", { image = \((folder + "/lookup.png").lua), intensity = 0.8, range = { 0, 2 } })
                draft:add_effect("speed", { range = { 2, 1 }, factor = 2 })
                draft:add_effect("repeat", { range = { 1, 0.5 }, count = 3 })
                draft:add_effect("sticker", { image = \((folder + "/emoji.png").lua), rect = { 80, 40, 160, 160 }, range = { 1, 4 } })
                draft:add_effect("org.cutroom.vignette", { strength = 0.5, range = { 0, 3 } })
                draft:add_title("Real", { size = 128, position = { "center", 480 }, range = { 0, 3 } })
                draft.time_range = { 0.2, draft.duration - 0.4 }
                """
            try studio.script(lines, size: (width, height))
            let check = try studio.run(["check", "edit.lua"])
            try #require(check.status == 0, "\(check)")
            let movie = try Movie(try studio.render(timeout: 600))
            // Eleven seconds with ten overlaps; −0.5 s by the speed effect, +1 s by the repeat.
            let duration = 11.0 - 4 - 0.5 + 1 - 0.4
            #expect(movie.frames == Int((duration * 30).rounded()))
            #expect(movie.picture?.width == width && movie.picture?.height == height)
            let (picture, sound) = (try #require(movie.pictureDuration), try #require(movie.soundDuration))
            #expect(abs(picture - sound) < 1.0 / 30)
        }
    }
}
