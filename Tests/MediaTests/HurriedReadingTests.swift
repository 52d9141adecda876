import Media
import TestSupport
import Testing
import Values

/// On the way from a key frame to what is shown, frames on which no other leans are left out. What
/// is shown never is one of them.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct HurriedReadingTests {
    private static let count = 150

    /// Numbered frames at 30 a second; each seventh one is shown for 0.3 s longer. One key frame,
    /// many B-frames.
    private static func file(_ lab: Lab) throws -> String {
        try lab.numbered(
            "gaps.mp4", rate: "30", count: count,
            [
                "-vf", "setpts=PTS+floor((N+1)/7)*0.3/TB", "-vsync", "vfr", "-c:v", "libx264", "-qp", "10", "-g", "250",
                "-bf", "3", "-b_strategy", "0", "-sc_threshold", "0",
            ])
    }

    private static func start(_ number: Int) -> Time {
        Time(frame: number, rate: Rational(30)) + Time(frame: 9 * ((number + 1) / 7), rate: Rational(30))
    }

    @Test func whatIsShownIsDecodedWhereFramesLastLonger() throws {
        let lab = try Lab()
        let path = try Self.file(lab)
        let info = try Probe.probe(path: path)
        // The shorter margin is in use.
        #expect(info.video?.frameRate == Rational(30))
        let used = try VideoReader(path: path, info: info)
        for number in stride(from: Self.count - 2, to: 30, by: -1) {
            // At the end of what it is shown for.
            let end = Self.start(number + 1)
            let alone = try VideoReader(path: path, info: info).picture(before: end, playing: .forwards)
            #expect(Numbered.read(alone) == number, "by a new reader")
            let jumped = try used.picture(before: end, playing: .forwards)
            #expect(Numbered.read(jumped) == number, "by one that jumps back")
        }
        let backwards = try VideoReader(path: path, info: info, windowBudget: 60_000)
        for number in stride(from: Self.count - 2, to: 30, by: -1) {
            let picture = try backwards.picture(before: Self.start(number + 1), playing: .backwards)
            #expect(Numbered.read(picture) == number, "backwards")
        }
    }
}
