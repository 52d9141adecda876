import Foundation
import TestSupport

extension EndToEnd {
    /// Files with something wrong, and some good ones beside them.
    enum BadFiles {
        static func put(into folder: TemporaryFolder) throws {
            for (name, source) in [
                ("good.mp4", try good), ("silent.mp4", try Footage.silent), ("still.png", try Footage.still),
                ("tone.wav", try Footage.tone),
            ] {
                try FileManager.default.copyItem(atPath: source, toPath: folder.file(name))
            }
            let whole = try Data(contentsOf: URL(fileURLWithPath: try good))
            try folder.write(Data(), to: "empty.mp4")
            try folder.write(whole.prefix(whole.count / 2), to: "truncated.mp4")
            try folder.write("This is not a film.\n", to: "text.mp4")
            try folder.write("This is not a look.\n", to: "text.cube")
            let rows = Array(repeating: "0 0 0\n", count: 8)
            for (name, text) in [
                ("cut.cube", "LUT_3D_SIZE 2\n" + rows.dropLast().joined()),
                ("many.cube", "LUT_3D_SIZE 2\n" + rows.joined() + "0 0 0\n"),
                ("words.cube", "LUT_3D_SIZE 2\n0 0 0\n0 0 zero\n"), ("nan.cube", "LUT_3D_SIZE 2\n0 0 0\n0 nan 0\n"),
                ("size.cube", "LUT_3D_SIZE 1000000\n"), ("endless.cube", "LUT_3D_SIZE 2\n"),
                ("curves.cube", "LUT_1D_SIZE 2\n0 0 0\n0 0 0\n"),
                ("marked.cube", "\u{FEFF}LUT_3D_SIZE 2\r\n" + rows.joined()),
            ] { try folder.write(text, to: name) }
            // Zeros without a line end, more than memory holds and nothing on the disk.
            truncate(folder.file("endless.cube"), 1 << 36)
            var random = SplitMix64(seed: 7)
            try folder.write(Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }), to: "noise.mp4")
            try folder.write(
                Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }), to: "noise.cutroom")
            for name in ["folder", "folder.mp4"] {
                try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
            }
            try folder.write("mine", to: "there.mp4")
            try folder.write("0:01 --> 0:02\nHello\n", to: "talk.srt")
            for name in ["pipe", "pipe.lua"] { mkfifo(folder.file(name), 0o600) }
            // Read whole it would not fit into memory.
            try folder.write("{", to: "huge.cutroom")
            truncate(folder.file("huge.cutroom"), 1 << 36)
            try folder.write(
                "local draft = require 'cutroom'.draft { size = { 64, 64 }, fps = 30 }\ndraft:add_clip('good.mp4')\nreturn draft\n",
                to: "good.lua")
            try folder.write(#"{"cutroom": 99, "clips": []}"#, to: "version.cutroom")
            try folder.write(#"{"cutroom": 1, "clps": []}"#, to: "key.cutroom")
            try folder.write(#"{"cutroom": 1, "clips": ["#, to: "broken.cutroom")
            try folder.write("[1, 2]", to: "list.cutroom")
            try folder.write(#"{"cutroom": 1, "clips": [{"media": "gone.mp4"}]}"#, to: "media.cutroom")
        }

        /// Two seconds, the index at its end, so that half of it has none.
        private static var good: String {
            get throws { try Footage.made("good.mp4", ["-i", try Footage.pattern, "-t", "2", "-c", "copy"]) }
        }
    }
}
