import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A draft with more files than a process may have open.
    @Suite struct OpenFilesTests {
        @Test func `the limit of open files is named, and no media`() throws {
            let studio = try Studio()
            let footage = try Footage.silent
            for number in 0..<80 {
                try FileManager.default.copyItem(atPath: footage, toPath: studio.file("\(number).mp4"))
            }
            try studio.script(
                """
                draft:add_clip("0.mp4", { range = { 0, 0.1 } })
                for number = 1, 79 do draft:add_layer(number .. ".mp4", { size = { 10, 10 } }) end
                """)
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"],
                through: ["bash", "-c", "ulimit -n 72; exec \"$0\" \"$@\""], timeout: 120)
            #expect(result.status == 69, "\(result)")
            #expect(result.stderr.contains("as many files open as it may have, 72 (ulimit -n 72)"), "\(result)")
            #expect(!result.stderr.contains(".mp4’"), "\(result)")
        }
    }
}
