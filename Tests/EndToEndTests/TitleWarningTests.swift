import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Workers measure texts, and commands and scripts warn of those that leave the canvas.
    @Suite(.waits) struct TitleWarningTests {
        private struct Report: Decodable {
            struct Finding: Decodable {
                var message: String
                var line: Int?
            }
            var warnings: [Finding]
        }

        @Test func `text that leaves the canvas is a warning, and what slides over it is none`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_title("A long text that is wrapped at the right", { position = { 440, 20 }, size = 30 })
                draft:add_title("WWWWWWWWWWWW", { position = { 440, 120 }, width = 600, size = 60, range = { 0, 1 } })
                draft:add_title(string.rep("name\\n", 90), { enter = { "slide_up", 1 }, range = { 0, 2 } })
                draft:add_title("moves away", { position = { { 0, { 100, 100 } }, { 2, { 2000, 100 } } } })
                draft:add_subtitles("large.srt", { size = 150 })
                local _, warnings = draft:validate()
                print(#warnings .. " warnings in the script")
                """, size: (640, 360))
            try Data("1\n00:00:00,000 --> 00:00:01,000\nthree\nlines\nhere\n".utf8).write(
                to: URL(fileURLWithPath: studio.file("large.srt")))
            let result = try studio.run(["check", "edit.lua", "--json"])
            let report = try JSONDecoder().decode(Report.self, from: result.stdout)
            #expect(result.succeeded && result.stderr.contains("2 warnings in the script"), "\(result)")
            try #require(report.warnings.count == 2, "\(report)")
            #expect(
                report.warnings[0].message.contains("its text leaves the canvas, which is 640×360, by ")
                    && report.warnings[0].message.contains(" at the right; move it"), "\(report)")
            #expect(
                report.warnings[1].message.contains("the cue ‘three’ leaves the canvas")
                    && report.warnings[1].message.contains(" at the top"), "\(report)")
            #expect(report.warnings.map(\.line).compactMap { $0 }.count == 2)
            let rendered = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(rendered.succeeded && rendered.stderr.contains("leaves the canvas"), "\(rendered)")
        }
    }
}
