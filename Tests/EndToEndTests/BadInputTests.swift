import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Everything that people get wrong: one clear sentence that names the object and its place,
    /// the right exit code, and nothing left behind.
    @Suite struct BadInputTests {
        /// Exit codes of sysexits.h.
        enum Exit: Int32 {
            case usage = 64, data = 65, noInput = 66, software = 70, cannotCreate = 73, inputOutput = 74
        }

        /// Every third of ``Sweep``'s.
        @Test(arguments: (media + values + scripts).every(3))
        func `a script's mistake is named`(mistake: Case) throws { try expectNamed(mistake) }

        private func expectNamed(_ mistake: Case) throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.script(mistake.body)
            let before = studio.folder.names
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"] + mistake.options)
            try expectFailure(result, mistake.exit, says: mistake.says, problems: mistake.problems)
            #expect(studio.folder.names == before)
        }

        /// Each mistake twice, and limits as they are, which take seconds to reach.
        @Suite struct Sweep {
            @Test(arguments: media + values + scripts) func `a script's mistake is named`(mistake: Case) throws {
                try BadInputTests().expectNamed(mistake)
            }

            @Test(arguments: (media + values + scripts).filter(\.options.isEmpty))
            func `check says what a render does`(mistake: Case) throws {
                let studio = try Studio()
                try BadFiles.put(into: studio.folder)
                try studio.script(mistake.body)
                let render = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"])
                let check = try studio.run(["check", "edit.lua", "--workers", "1"])
                #expect(check.status == mistake.exit.rawValue && check.stderr == render.stderr, "\(check)\n\(render)")
            }

            @Test func `an endless loop is stopped`() throws {
                let studio = try Studio()
                try studio.script("while true do end")
                let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"], timeout: 90)
                try BadInputTests().expectFailure(result, .data, says: ["edit.lua:3", "endless loop"])
            }

            @Test(arguments: commands)
            func `a command line's mistake is named`(arguments: [String], exit: Exit, says: [String]) throws {
                try BadInputTests().`a command line's mistake is named`(arguments: arguments, exit: exit, says: says)
            }
        }

        @Test func `a file without permission is named`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            chmod(studio.file("good.mp4"), 0)
            try studio.script("draft:add_clip('good.mp4')")
            try expectFailure(
                try studio.run(["render", "edit.lua", "-o", "out.mp4"], through: Studio.asNobody), .data,
                says: ["edit.lua:3", "good.mp4", "ermission"])
            chmod(studio.file("edit.lua"), 0)
            try expectFailure(
                try studio.run(["render", "edit.lua", "-o", "out.mp4"], through: Studio.asNobody), .noInput,
                says: ["edit.lua", "ermission"])
        }

        @Test(
            arguments: [
                ["render", "-o", "closed/out.mp4"], ["render", "-o", "closed/out-%04d.png"],
                ["render", "-o", "closed/frames/"], ["save", "-o", "closed/out.cutroom"],
                ["cover", "--at", "0", "-o", "closed/out.png"], ["snapshots", "-o", "closed"],
                ["snapshots", "-o", "closed/shots"],
            ])
        func `an output's folder that cannot be written to is named`(arguments: [String]) throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            let closed = studio.file("closed")
            try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
            chmod(closed, 0o555)
            defer { chmod(closed, 0o755) }
            let before = studio.folder.names
            let result = try studio.run(arguments + ["good.lua"], through: Studio.asNobody)
            try expectFailure(result, .cannotCreate, says: ["closed", "Permission denied"])
            #expect(studio.folder.names == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: closed) == [])
        }

        @Test(arguments: ["curves.cube", "marked.cube"]) func `a look that other programs write is taken`(name: String)
            throws
        {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.script(
                "draft:add_clip('good.mp4', { range = { 0, 0.2 } })\ndraft:add_effect('lut', { image = '\(name)' })")
            #expect(try studio.run(["check", "edit.lua"]).stderr == "")
            // Both turn everything black.
            try studio.render()
            let shown = try FFmpeg.grayFrames(of: studio.file("out.mp4"), width: 16, height: 16)
            #expect(shown.count == 6 && shown.joined().allSatisfy { $0 < 24 })
        }

        // MARK: Command lines

        /// Every second of ``Sweep``'s.
        @Test(arguments: commands.every(2)) func `a command line's mistake is named`(
            arguments: [String], exit: Exit, says: [String]
        ) throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            let before = studio.folder.names
            let result = try studio.run(arguments)
            try expectFailure(result, exit, says: says, isUsage: exit == .usage)
            #expect(studio.folder.names == before)
        }

        // MARK: The output

        @Test func `an output that exists stays as it is`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            _ = try studio.run(["render", "good.lua", "-o", "there.mp4"])
            #expect(try String(contentsOfFile: studio.file("there.mp4"), encoding: .utf8) == "mine")
            try FileManager.default.createSymbolicLink(atPath: studio.file("link.mp4"), withDestinationPath: "nowhere")
            let link = try studio.run(["render", "gone.lua", "-o", "link.mp4"])
            #expect(link.status == 73 && link.stderr.contains("symbolic link"), "\(link)")
            try studio.render("good.lua", to: "there.mp4", with: ["--overwrite"])
            #expect(try Movie(studio.file("there.mp4")).frames == 60)
        }

        /// A disk of one megabyte in a mount namespace of its own; where that is not allowed, a
        /// limit on files' sizes.
        @Test(arguments: ["output", "cache"]) func `a full disk is named and nothing is left`(place: String) throws {
            let studio = try Studio()
            try studio.folder.write(Data(), to: "small/keep")
            let noise = try Footage.made(
                "noisy.mp4",
                [
                    "-f", "lavfi", "-i", "nullsrc=s=320x180:r=30:d=2,geq=random(1)*255:128:128", "-c:v", "libx264",
                    "-preset", "ultrafast", "-crf",
                    "10", "-pix_fmt", "yuv420p",
                ])
            try studio.script("draft:add_clip(\(noise.lua))", size: (320, 180))
            let small = studio.file("small")
            let target = place == "output" ? "" : "XDG_CACHE_HOME=\(small) "
            let output = place == "output" ? "small/out.mp4" : "out.mp4"
            let mount = "mount -t tmpfs -o size=1m none \(small)"
            let canMount = try Command.run(["unshare", "-rm", "bash", "-c", mount]).succeeded
            // The limit is per file: the temporary output and a segment are the only large ones.
            let limit = canMount ? mount : "trap '' XFSZ; ulimit -f 1000"
            let check = canMount ? "; code=$?; ls -A \(small) >&3; exit $code" : ""
            let command = "exec 3>\(studio.file("left")); \(limit); env \(target)\"$0\" \"$@\"\(check)"
            let shell = (canMount ? ["unshare", "-rm"] : []) + ["bash", "-c", command]
            let result = try studio.run(["render", "edit.lua", "-o", output], through: shell)
            try expectFailure(result, .inputOutput, says: canMount ? ["space"] : [])
            #expect(!result.stderr.contains(".out.mp4."), "\(result)")
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            let left = try String(contentsOfFile: studio.file("left"), encoding: .utf8)
            if place == "output" { #expect(left == "") }
        }

        // MARK: Plugins

        @Test func `a plugin path that is not there is told of`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            let result = try studio.run(["render", "good.lua", "-o", "out.mp4", "--plugin-path", "nowhere"])
            #expect(result.status == 0 && result.stderr.contains("‘nowhere’"), "\(result)")
        }

        @Test func `a corrupt plugin is told of and the others work`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.folder.write("not a library", to: "plugins/broken.so")
            studio.environment["CUTROOM_PLUGIN_PATH"] = studio.file("plugins")
            let list = try studio.run(["plugin", "list"])
            #expect(
                list.text.contains("org.cutroom.vignette") && (list.text + list.stderr).contains("broken.so"), "\(list)"
            )
            try studio.script(
                "draft:add_clip('good.mp4', { range = { 0, 0.2 } })\ndraft:add_effect('org.cutroom.vignette', {})")
            try studio.render()
        }

        // MARK: -

        private func expectFailure(
            _ result: Command.Output, _ exit: Exit, says: [String], problems: Int = 1, isUsage: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(result.status == exit.rawValue, "\(result)", sourceLocation: sourceLocation)
            for part in says {
                #expect(
                    result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)", sourceLocation: sourceLocation)
            }
            #expect(result.text == "", sourceLocation: sourceLocation)
            var sentences = result.stderr.split(separator: "\n")
            // For a mistake in a command line, the parser also prints the usage.
            if isUsage {
                sentences.removeAll { line in ["Help:  ", "Usage: ", "  See "].contains { line.hasPrefix($0) } }
            }
            // One sentence for each problem, for people.
            #expect(sentences.count == problems, "\(result.stderr)", sourceLocation: sourceLocation)
            #expect(
                sentences.allSatisfy { $0.hasPrefix("cutroom: ") }, "\(result.stderr)", sourceLocation: sourceLocation)
            for word in ["Error Domain", "QueueError", "MediaError(", "Optional("] {
                #expect(!result.stderr.contains(word), "\(result.stderr)", sourceLocation: sourceLocation)
            }
        }
    }
}
