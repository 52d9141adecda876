import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Files that are not any more what they were when the script asked about them.
    @Suite struct SourceChangeTests {
        /// Each uses `source.…`, of this content.
        static let uses: [(file: String, use: String)] = [
            ("source.mp4", "draft:add_clip('source.mp4')"), ("source.wav", "draft:add_audio('source.wav')"),
            ("source.png", "draft:add_effect('sticker', { image = 'source.png', rect = { 0, 0, 16, 16 } })"),
            // A plugin's parameter.
            ("screen.png", "draft:add_effect('org.cutroom.chroma_key', { image = 'screen.png' })"),
        ]

        /// Each use once, removed and changed in turn.
        @Test(arguments: zip(uses, [true, false, true, false]))
        func `a source that changes or goes away ends the render`(_ use: (file: String, use: String), isRemoved: Bool)
            throws
        {
            let studio = try Studio()
            let path = studio.file(use.file)
            let content =
                switch use.file.suffix(3) {
                case "mp4": try Footage.pattern
                case "wav": try Footage.tone
                default: try Footage.still
                }
            try FileManager.default.copyItem(atPath: content, toPath: path)
            // Everything is known of the files when the script says so; then it waits for the test.
            try studio.script(
                """
                draft:add_clip(\(Footage.silent.lua), { range = { 0, 0.2 } })
                \(use.use)
                print('ready')
                repeat until pcall(require, 'go')
                """)
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4"])
            try #require(Command.until { render.stderrSoFar.contains("ready") || !render.isRunning })
            if isRemoved {
                try FileManager.default.removeItem(atPath: path)
            } else {
                let file = try #require(FileHandle(forWritingAtPath: path))
                try file.seekToEnd()
                try file.write(contentsOf: Data("more".utf8))
                try file.close()
            }
            try studio.folder.write("return true", to: "go.lua")
            let result = render.wait()
            #expect(result.status == 65, "\(result)")
            let reason =
                isRemoved
                ? "went away while it was being rendered." : "changed while it was being rendered; render again."
            #expect(result.stderr.hasSuffix("‘\(use.file)’ \(reason)\n"), "\(result)")
            #expect(result.stderr.split(separator: "\n").count == 2, "\(result)")
            #expect(studio.folder.names == (["edit.lua", "go.lua"] + (isRemoved ? [] : [use.file])).sorted())
            studio.expectClean()
        }

        /// Each use, removed as well as changed.
        @Suite struct Sweep {
            @Test(arguments: uses, [true, false])
            func `a source that changes or goes away ends the render`(
                _ use: (file: String, use: String), isRemoved: Bool
            ) throws {
                try SourceChangeTests().`a source that changes or goes away ends the render`(use, isRemoved: isRemoved)
            }
        }
    }
}
