import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// What renders, but is hardly meant: told by `check` and `render`, with object and line, and
    /// nothing is refused.
    @Suite struct WarningTests {
        @Test func `all are told at their lines`() throws {
            let studio = try Studio()
            let pattern = try Footage.pattern.lua
            try studio.script(
                """
                draft:add_image(\(Footage.still.lua), { duration = 0.2 })
                draft:add_audio(\(pattern), { volume = 0.5, effects = { { "org.cutroom.ducking" } } })
                draft:add_title("Hello", { font = "No Such Font", size = 12 })
                draft:add_effect("org.cutroom.waveform", { rect = { 0, 0, 40, 20 } })
                draft:add_effect("sticker", { image = \(Footage.still.lua), rect = { 160, 0, 10, 10 }, range = { 0, 5 } })
                draft.audio[1].volume = 50
                local problems, warnings = draft:validate()
                assert(#problems == 0 and #warnings == 6, #warnings)
                """)
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 0 && result.text.contains("; 6 warnings, no errors"), "\(result)")
            let lines = result.stderr.split(separator: "\n").map(String.init)
            let wanted = [
                (8, "audio 1: ‘volume’ is 50, which is 34 dB louder"),
                (5, "effect 1 (title): there is no font ‘No Such Font’ here; ‘"),
                (6, "effect 2 (org.cutroom.waveform): has no ‘media’ (a file with sound"),
                (7, "effect 3 (sticker): lies outside the canvas, which is 160×96"),
                (7, "effect 3 (sticker): its range 0–5 s reaches past the end of the timeline before it at 0.2 s"),
                (4, "audio 1, effect 1 (org.cutroom.ducking): is keyed by the main track's sound"),
            ]
            #expect(lines.count == wanted.count, "\(lines)")
            for (found, (line, words)) in zip(lines, wanted) {
                #expect(found.contains("warning: ") && found.contains("edit.lua:\(line): \(words)"), "\(found)")
            }
            let rendered = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(rendered.status == 0, "\(rendered)")
            #expect(rendered.stderr.contains("there is no font ‘No Such Font’"), "\(rendered)")
        }
    }
}
