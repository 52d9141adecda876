import Foundation
import TestSupport
import Testing

@Suite(.waits) struct SupportTests {
    @Test func commandKeepsOutputAndStatus() throws {
        let output = try Command.run(
            ["sh", "-c", "cat; echo $X; echo no >&2; exit 3"], environment: ["X": "y"], input: Data("in\n".utf8))
        #expect(output.status == 3)
        #expect(output.text == "in\ny\n")
        #expect(output.stderr == "no\n")
    }

    @Test func commandIsReapedBeforeItIsWaitedFor() throws {
        let command = try Command(["sh", "-c", "exit 3"])
        #expect(Command.until { kill(command.pid, 0) != 0 && errno == ESRCH && !command.isRunning })
        // Signals to what has ended go nowhere.
        command.send(SIGKILL)
        #expect(command.wait().status == 3)
    }

    @Test func commandLeavesNoChildrenOfALeaderThatHasEnded() throws {
        var command: Command? = try Command(["sh", "-c", "sleep 300 & echo $!"])
        #expect(Command.until { command?.isRunning == false })
        let text = try #require(command?.stdoutSoFar)
        let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(child, 0) == 0)
        command = nil
        #expect(Command.until { kill(child, 0) != 0 })
    }

    @Test func commandThatHangsIsKilledWithItsChildren() throws {
        let output = try Command.run(["sh", "-c", "sleep 300 & echo $!; wait"], timeout: 0.3)
        #expect(output.isTimeout && output.signal == SIGKILL)
        let child = try #require(Int32(output.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(Command.until { kill(child, 0) != 0 })
    }

    @Test func folderGoesAway() throws {
        let path = try TemporaryFolder.with { folder in
            try folder.write("x", to: "a/b")
            #expect(folder.names == ["a"])
            return folder.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence)) func framesSayTheirIndex() throws {
        try TemporaryFolder.with { folder in
            let file = try TestMedia(in: folder).indexedFrames(count: 70)
            #expect(try FrameCode.indexes(of: file) == Array(0..<70))
            let media = TestMedia(in: folder)
            let click = try media.clickAndFlash(seconds: 2)
            let gray = try FFmpeg.grayFrames(of: click, width: 8, height: 8)
            #expect(gray.indices.filter { gray[$0][30] > 128 } == [0, 30])
            #expect(try FFmpeg.samples(of: media.tone()).count == 96_000)
            #expect(try FFmpeg.probe(media.testPattern(), "stream=nb_read_frames") == "60")
            _ = try (
                media.image(), media.sticker(), media.animation(), media.identityHald(), media.cube(),
                media.solid("r.mp4", color: "red")
            )
        }
    }
}
