import Foundation
import TestSupport
import Testing

/// A `cutroom record` that records.
struct FaultyRecording {
    let studio: Studio
    let command: Command

    /// Starts it, and waits until its take is being recorded.
    init(_ studio: Studio, _ arguments: [String]) throws {
        self.studio = studio
        command = try studio.start(["record", "talk.cutroom"] + arguments)
        try wait(for: "is being recorded")
    }

    func wait(for text: String, timeout: Double = 20) throws {
        try #require(
            Command.until(timeout: timeout) { command.stderrSoFar.contains(text) }, "‘\(text)’: \(command.stderrSoFar)")
    }

    /// Waits until the take's file has this many whole fragments.
    func wait(fragments: Int) throws {
        let part = URL(fileURLWithPath: studio.file("talk.takes/0001.part1.mp4"))
        try #require(
            Command.until {
                let parts = (try? Data(contentsOf: part)).map { Self.count("moof", in: $0) } ?? 0
                return parts > fragments
            })
    }

    private static func count(_ name: String, in data: Data) -> Int {
        var (count, rest) = (0, data[...])
        while let found = rest.range(of: Data(name.utf8)) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }

    /// The process of the recorder, and those of its devices.
    func processes() throws -> (recorder: pid_t, devices: [pid_t]) {
        let recorder = try #require(Processes.all(mentioning: studio.file("talk.takes")).first)
        return (recorder, Processes.all(mentioning: "--device").filter { Processes.parent(of: $0) == recorder })
    }

    /// Waits for the end, which may take five seconds and the time that the machine needs.
    func end(status: Int32 = 74, says: String...) -> Command.Output {
        let result = command.wait(timeout: 15)
        #expect(result.status == status, "\(result)")
        for text in says { #expect(result.stderr.contains(text), "\(result)") }
        studio.expectClean()
        return result
    }

    func finish(says: String...) -> Command.Output {
        command.send(SIGINT)
        let result = command.wait(timeout: 15)
        #expect(result.status == 0, "\(result)")
        for text in says { #expect(result.stderr.contains(text), "\(result)") }
        studio.expectClean()
        return result
    }

    var length: Double {
        get throws { try Double(FFmpeg.probe(studio.file("talk.takes/0001.mp4"), "format=duration")) ?? 0 }
    }
}

extension EndToEnd {
    /// Recordings whose sources, processes, files and draft fail.
    @Suite struct RecordFaultTests {
        private static let test = ["--video", "test", "--audio", "test", "--size", "320x180"]

        // MARK: Pipes

        /// NUT of pictures of a size, `seconds` long.
        private static func pictures(_ size: String, _ seconds: Double, _ studio: Studio) throws -> Data {
            let path = studio.file("pictures.nut")
            _ = try FFmpeg.run([
                "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25", "-t", "\(seconds)", "-c:v", "rawvideo", "-pix_fmt",
                "yuv420p", "-f", "nut", "-y", path,
            ])
            defer { unlink(path) }
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }

        /// Records what comes through a pipe.
        /// - Parameters:
        ///   - content: written at the pace of `rate` bytes per second.
        ///   - stays: the pipe is kept open behind it.
        private static func record(
            _ content: Data, rate: Double, stays: Bool = false, _ studio: Studio
        ) throws -> Command.Output {
            let pipe = studio.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let source = try studio.folder.write(content, to: "content")
            let writer = try Command([
                "python3", "-c",
                """
                import sys, time
                content, rate = open(sys.argv[2], 'rb').read(), float(sys.argv[3])
                pipe, begun, step = open(sys.argv[1], 'wb', buffering=0), time.monotonic(), 50_000
                for place in range(0, len(content), step):
                    time.sleep(max(0, begun + place / rate - time.monotonic()))
                    pipe.write(content[place:place + step])
                if sys.argv[4] == 'stay': time.sleep(60)
                """, pipe, source, "\(rate)", stays ? "stay" : "go",
            ])
            defer { writer.send(SIGKILL) }
            return try studio.run(
                ["record", "talk.cutroom", "--video", "pipe:\(pipe)", "--audio", "none"], timeout: 20)
        }

        /// Bytes per second of 160×120 at 25 frames per second.
        private static let pace = 160 * 120 * 1.5 * 25

        @Test(arguments: [
            ("garbage", "‘pipe:", "cannot be opened: it does not deliver NUT."),
            ("garbage behind pictures", "is lost: ", "take 1 is finished"),
            ("silence", "is lost: it has delivered nothing for 3 s.", "take 1 is finished"),
            ("larger pictures", "is lost: its pictures have changed their size.", "take 1 is finished"),
            ("smaller pictures", "is lost: its pictures have changed their size.", "take 1 is finished"),
            ("the same again", "is lost: it has ended.", "take 1 is finished"),
        ]) func `a pipe that delivers something else`(content: String, says: String, also: String) throws {
            let studio = try Studio()
            var random = SplitMix64(seed: 3)
            let garbage = Data((0..<1_500_000).map { _ in UInt8.random(in: 0...255, using: &random) })
            let pictures = try Self.pictures("160x120", 1.5, studio)
            let result: Command.Output
            switch content {
            case "garbage": result = try Self.record(garbage, rate: 10e6, studio)
            case "garbage behind pictures": result = try Self.record(pictures + garbage, rate: Self.pace, studio)
            case "silence": result = try Self.record(pictures, rate: Self.pace, stays: true, studio)
            case "larger pictures":
                result = try Self.record(
                    pictures + Self.pictures("176x144", 1, studio), rate: Self.pace, stays: true, studio)
            case "smaller pictures":
                result = try Self.record(
                    pictures + Self.pictures("80x64", 1, studio), rate: Self.pace, stays: true, studio)
            // Its times begin anew.
            default: result = try Self.record(pictures + pictures, rate: Self.pace, studio)
            }
            #expect(
                result.status == 74 && result.stderr.contains(says) && result.stderr.contains(also), "\(result)")
            guard content != "garbage" else { return }
            let take = studio.file("talk.takes/0001.mp4")
            #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == "160x120")
            let times = try FFmpeg.probe(take, "packet=pts_time").split(separator: "\n").compactMap { Double($0) }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 } && times.count > 5, "\(times)")
            // Reading one and a half seconds takes as long, and looking at the first ones a moment.
            if content == "the same again" { #expect((times.last ?? 0) > 1.7, "\(times)") }
        }

        /// Without the capability by which root reads every file.
        @Test(.enabled(if: geteuid() == 0 && Command.isInstalled("setpriv"), "only root can give rights up"))
        func `a source that may not be read`() throws {
            let studio = try Studio()
            #expect(mkfifo(studio.file("pipe"), 0) == 0)
            let result = try studio.run(
                ["record", "talk.cutroom", "--video", "pipe:\(studio.file("pipe"))", "--audio", "none"],
                through: ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"])
            #expect(
                result.status == 74 && result.stderr.contains("cannot be opened: you have no permission to use it"),
                "\(result)")
        }

        // MARK: Processes

        @Test(arguments: ["host", "recorder", "device"]) func `a process is killed`(victim: String) throws {
            let studio = try Studio()
            let recording = try FaultyRecording(studio, Self.test)
            try recording.wait(fragments: 2)
            let (recorder, devices) = try recording.processes()
            #expect(devices.count == 2)
            switch victim {
            case "host":
                recording.command.send(SIGKILL)
                #expect(recording.command.wait(timeout: 10).signal == SIGKILL)
                let recovered = try studio.run(["record", "talk.cutroom", "--recover"])
                #expect(
                    recovered.status == 0 && recovered.stderr.contains("take 1 of an earlier run is recovered"),
                    "\(recovered)")
            case "recorder":
                kill(recorder, SIGKILL)
                _ = recording.end(says: "The recorder has ended unexpectedly.", "take 1 is finished")
            default:
                kill(try #require(devices.first), SIGKILL)
                _ = recording.end(says: "is lost: its process has ended.", "take 1 is finished")
            }
            #expect(try recording.length > 0.9)
            #expect(try studio.run(["check", "talk.cutroom"]).status == 0)
        }

        /// - Parameter seconds: how long the processes are stopped.
        static func stop(_ victims: [String], seconds: Double) throws {
            let studio = try Studio()
            let recording = try FaultyRecording(studio, Self.test)
            try recording.wait(fragments: 1)
            let (recorder, devices) = try recording.processes()
            let all = ["host": [recording.command.pid], "recorder": [recorder], "devices": devices]
            let processes = victims.flatMap { all[$0] ?? [] }
            let begun = ContinuousClock.now
            for process in processes { kill(process, SIGSTOP) }
            usleep(UInt32(seconds * 1e6))
            for process in processes { kill(process, SIGCONT) }
            let length = (ContinuousClock.now - begun) / .seconds(1)
            usleep(800_000)
            if victims == ["recorder"], seconds > 5 {
                _ = recording.end(says: "The recorder has not answered for 5 s", "take 1 is finished")
            } else if victims == ["devices"], seconds > 3 {
                _ = recording.end(says: "it has delivered nothing for 3 s", "take 1 is finished")
            } else {
                // It goes on, with the time that was lost.
                let result = recording.finish(says: "take 1 is finished")
                #expect(!result.stderr.contains("lost"), "\(result)")
                #expect(try recording.length > length + 0.5)
            }
            #expect(try studio.run(["check", "talk.cutroom"]).status == 0)
        }

        @Test(arguments: [["devices"], ["host", "recorder", "devices"]])
        func `processes are stopped for a while`(victims: [String]) throws {
            // The host would miss the recorder after five seconds, and the recorder a device after
            // three.
            try Self.stop(victims, seconds: victims == ["devices"] ? 1.5 : 5.5)
        }

        @Suite(.listens) struct Sweep {
            @Test func `the host is stopped for a while`() throws { try RecordFaultTests.stop(["host"], seconds: 5.5) }

            @Test(arguments: [["host"], ["recorder"], ["devices"], ["host", "recorder", "devices"]])
            func `processes are stopped for 20 s`(victims: [String]) throws {
                try RecordFaultTests.stop(victims, seconds: 20)
            }
        }

        // MARK: Files

        @Test(arguments: ["removed", "moved", "part removed"])
        func `the folder or the file that is recorded into is gone`(how: String) throws {
            let studio = try Studio()
            let recording = try FaultyRecording(studio, Self.test)
            try recording.wait(fragments: 2)
            let (folder, files) = (studio.file("talk.takes"), FileManager.default)
            let begun = ContinuousClock.now
            switch how {
            case "removed": try files.removeItem(atPath: folder)
            case "moved": try files.moveItem(atPath: folder, toPath: studio.file("other"))
            default: try files.removeItem(atPath: folder + "/0001.part1.mp4")
            }
            _ = recording.end(says: "0001.part1.mp4’ was moved or removed while it was recorded.")
            #expect(ContinuousClock.now - begun < .seconds(5))
            guard how == "moved" else { return }
            try files.moveItem(atPath: studio.file("other"), toPath: folder)
            let recovered = try studio.run(["record", "talk.cutroom", "--recover"])
            #expect(recovered.status == 0 && recovered.text.contains("1 take"), "\(recovered)")
            #expect(try recording.length > 0.9)
        }

        /// What other programs write is there when the take's clip is added.
        @Test func `a draft is edited while a take is recorded`() throws {
            let studio = try Studio()
            let recording = try FaultyRecording(studio, Self.test)
            try studio.folder.write(##"{"cutroom": 2, "canvas": {"background": "#ff0000"}}"##, to: "talk.cutroom")
            try recording.wait(fragments: 1)
            _ = recording.finish()
            let draft = try String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8)
            #expect(draft.contains("0001.mp4") && draft.contains("#ff0000"), "\(draft)")
        }

        @Test func `a draft becomes unreadable while a take is recorded`() throws {
            let studio = try Studio()
            let recording = try FaultyRecording(studio, Self.test)
            try studio.folder.write("{", to: "talk.cutroom")
            try recording.wait(fragments: 1)
            _ = recording.finish(says: "talk.cutroom", "this is not valid JSON", "take 1 is finished")
            #expect(try String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8) == "{")
            try studio.folder.write(#"{"cutroom": 2}"#, to: "talk.cutroom")
            #expect(try studio.run(["record", "talk.cutroom", "--recover"]).status == 0)
            let draft = try String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8)
            #expect(draft.contains("0001.mp4"), "\(draft)")
        }
    }

    /// Recordings on disks that fill up or fail.
    @Suite(.enabled(if: SmallDisk.isPossible, SmallDisk.absence)) struct RecordDiskTests {
        /// What the scripts share: they run in the studio, with the program as `$0`, and leave what
        /// is to be looked at in `kept`.
        private static let words = """
            set -u
            fail() { echo "$1" >&2; cat out err >&2; exit 99; }
            # Waits for a condition, half a minute at most.
            until_is() { for _ in $(seq 1500); do eval "$1" && return; sleep 0.02; done; fail "never: $1"; }
            part() { [ $(($(cat disk/talk.takes/0001.part* 2>/dev/null | wc -c))) -gt $1 ]; }
            fill() { cat /dev/zero > disk/filler 2>/dev/null; true; }

            """

        private static func run(_ studio: Studio, _ script: String) throws -> Command.Output {
            try studio.folder.write("", to: "out")
            try studio.folder.write("", to: "err")
            try FileManager.default.createDirectory(
                atPath: studio.file("disk"), withIntermediateDirectories: false)
            return try studio.run([], through: SmallDisk.namespace + ["bash", "-c", words + script])
        }

        /// Others fill the disk while a take is recorded. The take is a clip all the same, and the
        /// next one can be recorded when there is room again.
        @Test func `a disk fills up`() throws {
            let studio = try Studio()
            let result = try Self.run(
                studio,
                """
                mount -t tmpfs -o size=6m none disk
                "$0" record disk/talk.cutroom --video test --audio test --min-free 0 > out 2> err &
                until_is 'part 1000000'
                fill
                wait $!; echo "status $?"; cat err
                rm disk/filler
                "$0" record disk/talk.cutroom --video test --audio none --size 320x180 > out 2> err &
                until_is 'grep -q "take 2 is being recorded" err'
                sleep 0.5; kill -TERM $!; wait $!; cat out
                ls disk/talk.takes
                cp -r disk kept
                """)
            #expect(result.text.contains("There was no room on the disk to complete ‘0001.mp4’"), "\(result)")
            #expect(result.text.contains("take 1 is finished") && result.text.contains(": 2 takes, "), "\(result)")
            #expect(!result.text.contains("\n0001.part"), "\(result)")
            #expect(try studio.run(["check", "kept/talk.cutroom"]).status == 0)
            try studio.render("kept/talk.cutroom", to: "talk.mp4")
            let lengths = try ["kept/talk.takes/0001.mp4", "kept/talk.takes/0002.mp4", "talk.mp4"].map {
                try Double(FFmpeg.probe(studio.file($0), "format=duration")) ?? 0
            }
            #expect(lengths[0] > 0.5 && abs(lengths[2] - lengths[0] - lengths[1]) < 0.1, "\(lengths)")
        }

        /// A take of two parts needs room for a copy.
        @Test func `a disk fills up in the second part of a take`() throws {
            let studio = try Studio()
            let result = try Self.run(
                studio,
                """
                mount -t tmpfs -o size=6m none disk
                mkfifo in
                "$0" record disk/talk.cutroom --video test --audio test --min-free 0 --json < in > out 2> err &
                exec 3> in
                until_is 'part 500000'
                echo '{"command":"pause"}' >&3
                until_is 'grep -q paused out'
                echo '{"command":"start"}' >&3
                until_is 'part 1300000'
                fill
                exec 3>&-
                wait $!; echo "status $?"; grep -v progress out
                rm disk/filler
                "$0" record disk/talk.cutroom --recover 2>&1
                ls disk/talk.takes
                cp -r disk kept
                """)
            #expect(result.text.contains("Its parts are kept; try again with --recover."), "\(result)")
            #expect(result.text.contains("take 1 of an earlier run is recovered"), "\(result)")
            #expect(result.text.contains("\n0001.mp4") && !result.text.contains("\n0001.part"), "\(result)")
            #expect(try studio.run(["check", "kept/talk.cutroom"]).status == 0)
        }

        /// Whether this machine has disks that can be made to fail.
        private static let hasFailingDisks =
            SmallDisk.isPossible
            && (try? Command.run(
                SmallDisk.namespace + [
                    "bash", "-c",
                    "d=$(mktemp -d) && truncate -s 8M $d/image && mkfs.ext4 -q $d/image && mkdir $d/disk "
                        + "&& mount -o loop $d/image $d/disk "
                        + "&& [ -w /sys/fs/ext4/$(basename $(findmnt -no SOURCE $d/disk))/trigger_fs_error ]; "
                        + "status=$?; umount $d/disk; rm -rf $d; exit $status",
                ]))?.succeeded == true

        /// The system makes a file system read-only when it finds an error in it.
        @Test(.enabled(if: hasFailingDisks, "this machine lets nobody mount a disk that fails"))
        func `a file system becomes read-only`() throws {
            let studio = try Studio()
            let result = try Self.run(
                studio,
                """
                truncate -s 30M image; mkfs.ext4 -q -O ^has_journal image
                mount -o loop,errors=remount-ro image disk
                "$0" record disk/talk.cutroom --video test --audio test --size 320x180 --min-free 0 > out 2> err &
                until_is 'part 100000'
                begun=$(date +%s%N)
                echo test > /sys/fs/ext4/$(basename $(findmnt -no SOURCE disk))/trigger_fs_error
                wait $!; echo "status $?, $((($(date +%s%N) - begun) / 1000000000)) whole seconds"; cat err
                umount disk; mount -o loop image disk
                "$0" record disk/talk.cutroom --recover 2>&1
                cp -r disk kept
                """)
            #expect(result.text.contains("Read-only file system"), "\(result)")
            #expect((0..<5).contains { result.text.contains("status 74, \($0) whole seconds") }, "\(result)")
            #expect(result.text.contains("take 1 of an earlier run is recovered"), "\(result)")
            #expect(try studio.run(["check", "kept/talk.cutroom"]).status == 0)
        }
    }
}
