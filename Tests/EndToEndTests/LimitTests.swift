import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Few resources, as `ulimit` leaves them: a sentence about the resource, or a render, and
    /// never anything else.
    @Suite struct LimitTests {
        /// Runs the program in a shell with its limits lowered.
        private static func shell(_ limits: String) -> [String] {
            ["bash", "-c", "ulimit \(limits); exec \"$0\" \"$@\""]
        }

        private static func edit(_ studio: Studio) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })
                draft:add_title("Text", {})
                """)
        }

        /// Expects that a render under these limits ends by what its worker had too little of.
        private static func expectLack(_ limits: String, _ says: String, _ studio: Studio) throws {
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: shell(limits), timeout: 100)
            #expect(result.status == 74 && result.stderr.contains("its worker \(says)"), "\(result)")
        }

        /// The picture of a whole line stays within what Cairo can make.
        @Test func `a line of emoji is shown at forty times its size`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("0x000000").lua), { range = { 0, 0.1 } })
                draft:add_title(string.rep("🎉", 60), { size = 24, width = 1900, scale = 40 })
                """, size: (1920, 1080))
            let shots = try Shot.all(of: try studio.render())
            #expect(shots.count == 3 && shots[1].luma.contains { $0 > 60 })
        }

        @Test(
            arguments: [
                ("-n 12", "open files", "12 (ulimit -n 12)"),
                ("-v 150000", "address space", "146 MiB (ulimit -v 150000)"),
                ("-v 300000", "address space", "292 MiB (ulimit -v 300000)"),
                ("-v 500000", "address space", "488 MiB (ulimit -v 500000)"),
                ("-f 1", "for each file that it writes", "1 KiB (ulimit -f 1)"),
                ("-s 64", "stack", "64 KiB (ulimit -s 64)"), ("-d 100000", "data", "97 MiB (ulimit -d 100000)"),
            ])
        func `too little is told of before anything starts`(limits: String, what: String, says: String) throws {
            let studio = try Studio()
            try Self.edit(studio)
            for command in [["render", "edit.lua", "-o", "out.mp4"], ["check", "edit.lua"], ["cache"]] {
                let result = try studio.run(command, through: Self.shell(limits), timeout: 20)
                #expect(result.status == 69 && result.text == "", "\(result)")
                #expect(result.stderr.hasPrefix("cutroom: Cutroom needs at least "), "\(result)")
                #expect(result.stderr.contains(what) && result.stderr.contains(says), "\(result)")
                #expect(result.stderr.split(separator: "\n").count == 1, "\(result)")
            }
            #expect(studio.folder.names == ["edit.lua"])
        }

        /// With less than a run-time needs to begin, too; and what needs nothing is there in any
        /// case. With 16 KiB the system's loader comes to its end first, one time in four.
        @Test func `the smallest stack is told of, or raised, and help needs little`() throws {
            let studio = try Studio()
            for size in [20, 24, 48] {
                let result = try studio.run(["cache"], through: Self.shell("-s \(size)"), timeout: 20)
                #expect(
                    result.status == 69 && result.stderr.contains("allows \(size) KiB (ulimit -s \(size))"), "\(result)"
                )
                let raised = try studio.run(["cache"], through: Self.shell("-S -s \(size)"), timeout: 20)
                #expect(raised.status == 0, "\(raised)")
            }
            for limits in ["-n 12", "-v 300000", "-d 100000", "-s 512"] {
                for words in [["--help"], ["--version"], ["render", "--help"], ["help", "render"]] {
                    let result = try studio.run(words, through: Self.shell(limits), timeout: 20)
                    #expect(result.status == 0 && result.text != "" && result.stderr == "", "\(limits): \(result)")
                }
            }
        }

        /// Without it Dispatch ends a program by SIGILL.
        @Test(.enabled(if: SmallDisk.isPossible, SmallDisk.absence))
        func `a missing folder of processes, and another namespace's, are told of`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let alone = SmallDisk.namespace + ["--pid", "--fork"]
            for shell in [alone, alone + ["sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""]] {
                let result = try studio.run(["check", "edit.lua"], through: shell, timeout: 20)
                #expect(result.status == 69 && result.text == "", "\(result)")
                #expect(
                    result.stderr == """
                        cutroom: Cutroom needs the ‘/proc’ of its own PID namespace, but here it is missing or another one's; mount it: \
                        mount -t proc proc /proc.

                        """, "\(result)")
            }
            // Without any, Swift's run-time does not know the command line.
            #expect(try studio.run(["--version"], through: alone, timeout: 20).status == 0)
            let own = try studio.run(["check", "edit.lua"], through: alone + ["--mount-proc"], timeout: 60)
            #expect(own.status == 0 && own.stderr == "", "\(own)")
        }

        @Test func `many workers need many files`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let arguments = ["render", "edit.lua", "-o", "out.mp4", "--workers", "100"]
            let result = try studio.run(arguments, through: Self.shell("-n 100"), timeout: 20)
            #expect(result.status == 69 && result.stderr.contains("100 workers need 664 open files"), "\(result)")
            // The limit that the error names is enough, whatever the number of cores.
            let few = try studio.run(["check", "edit.lua"], through: Self.shell("-n 64"), timeout: 20)
            #expect(few.status == 69 && few.stderr.contains("at least 70 open files"), "\(few)")
            let enough = try studio.run(["check", "edit.lua"], through: Self.shell("-n 70"), timeout: 60)
            #expect(enough.status == 0 && enough.stderr == "", "\(enough)")
        }

        /// Limits that may be raised are raised.
        @Test(arguments: ["-S -n 12", "-S -s 64", "-n 80", "-d 1000000", "-v 3000000", "-f 100"])
        func `what is enough, or may be raised, renders`(limits: String) throws {
            let studio = try Studio()
            try Self.edit(studio)
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: Self.shell(limits), timeout: 60)
            #expect(result.status == 0 && result.stderr == "", "\(result)")
            #expect(try Movie(studio.file("out.mp4")).frames == 15)
        }

        @Test func `a library that gets no memory is told of with the limit`() throws {
            let studio = try Studio()
            try studio.script("draft:add_image(\(Footage.still.lua), { duration = 0.2 })", size: (8192, 8192))
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: Self.shell("-v 1300000"),
                timeout: 100)
            #expect(result.status == 74 && result.stderr.contains("ulimit -v 1300000"), "\(result)")
        }

        /// A plugin that takes memory until there is none, with a limit that is enough for all
        /// else.
        @Test func `a worker that crashes for lack of memory is told of as that`() throws {
            let studio = try Studio()
            try Fixture.plugin("hog", as: "hog", in: studio)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.hog', {})")
            try Self.expectLack(
                "-v 1300000", "ran out of memory, of which a process may have 1269 MiB (ulimit -v 1300000)", studio)
        }

        @Suite struct Sweep {
            /// One second is little for a minute of a large picture.
            @Test func `a worker whose processor time is used up is told of as that`() throws {
                let studio = try Studio()
                try studio.script(
                    "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 }, loop = 60, effects = { { 'org.cutroom.blur', { radius = 40 } } } })",
                    size: (3840, 2160))
                try LimitTests.expectLack(
                    "-t 1", "used up its processor time, of which a process may have 1 s (ulimit -t 1)", studio)
            }
        }
    }
}
