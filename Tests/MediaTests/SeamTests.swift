import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// Lengths of streams that say few times, and seams at which the form of the sound changes.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SeamTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Several frames in one PES packet, of which only the first says a time.
    @Test func framesWithoutTimesAreCounted() throws {
        try checkFramesWithoutTimes(["-c:v", "libx264", "-bf", "3", "-g", "12"])
    }

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test(arguments: [
            ["-c:v", "libx264", "-bf", "0", "-g", "12"],
            ["-c:v", "libx264", "-bf", "3", "-x264-params", "b-pyramid=none"],
            ["-c:v", "libx265", "-x265-params", "log-level=none:bframes=4:keyint=12"],
        ]) func framesWithoutTimesAreCounted(_ codec: [String]) throws {
            try SeamTests().checkFramesWithoutTimes(codec)
        }
    }

    private func checkFramesWithoutTimes(_ codec: [String]) throws {
        // Frames of some hundred bytes, as real ones have at least.
        let noise = ["-vf", "noise=alls=40:allf=t"]
        for (count, format) in [(90, "mpg"), (47, "vob")] {
            let path = try lab.numbered("untimed\(count).\(format)", rate: "30", count: count, noise + codec)
            let info = try Probe.probe(path: path)
            let length = info.video?.duration.seconds ?? 0
            #expect(abs(length - Double(count) / 30) < 0.01, "\(codec), \(format): \(length) s")
            let rate = Rational(30)
            let frames = try (0..<count).map { index in
                try VideoReader(path: path, info: info)
                    .picture(at: Time(frame: index, rate: rate) + Time(flicks: Time.flicksPerSecond / 60))
            }
            let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
            let numbers = try frames.map { Numbered.read(try converter.convert($0, info: try #require(info.video))) }
            #expect(numbers == Array(0..<count), "\(codec), \(format)")
        }
    }

    /// The sound of Ogg beside a picture: libavformat's packets after a seek to the end are hours
    /// long.
    @Test(arguments: ["libvorbis", "libopus", "flac", "libspeex"]) func oggWithAPicture(_ codec: String) throws {
        let path = try lab.make(
            "\(codec).ogv", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4", "-f", "lavfi", "-i",
            "sine=f=440:r=16000:d=4", "-c:v", "libtheora", "-c:a", codec)
        let info = try Probe.probe(path: path)
        let (picture, sound) = (info.video?.duration.seconds ?? 0, info.audio?.duration.seconds ?? 0)
        #expect(abs(picture - 4) < 0.02 && abs(sound - 4) < 0.03, "picture \(picture) s, sound \(sound) s")
        let rate = 48_000
        let all = try AudioReader(path: path, info: info, sampleRate: rate, channels: 1)
            .samples(from: 0, count: 4 * rate, channels: 1)[0]
        for start in [1.3, 2.5, 3.4, 3.8] {
            let first = Int(start * Double(rate))
            let some = try AudioReader(path: path, info: info, sampleRate: rate, channels: 1)
                .samples(from: first, count: 4800, channels: 1)[0]
            let worst = zip(some, all[first...]).map { abs($0 - $1) }.max() ?? 1
            #expect(worst < 1e-3, "\(codec): \(worst) at \(start) s")
        }
    }

    /// One sine through parts of other rates and channels has no click at the seams, wherever
    /// reading begins.
    @Test(arguments: [44_100, 48_000]) func aSeamIsNotHeard(_ output: Int) throws {
        let parts = [(44_100, 1), (48_000, 2), (22_050, 1), (22_050, 2), (44_100, 2)]
        var data = Data()
        for (index, (rate, channels)) in parts.enumerated() {
            // Each takes 0.7 s, which is no whole number of periods.
            let wave = "sin(2*PI*443*(t+\(Double(index) * 0.7)))/2"
            let path = try lab.make(
                "seam\(index).ogg", "-f", "lavfi", "-i",
                "aevalsrc=\(Array(repeating: wave, count: channels).joined(separator: "|")):s=\(rate):d=0.7", "-c:a",
                "flac")
            data += try Data(contentsOf: URL(fileURLWithPath: path))
        }
        let path = try lab.write("seams.ogg", data)
        let info = try Probe.probe(path: path)
        let count = Int(3.5 * Double(output))
        let all = try AudioReader(path: path, info: info, sampleRate: output, channels: 1)
            .samples(from: 0, count: count, channels: 1)[0]
        let tone = 2 * Double.pi * 443 / Double(output) / 2
        let inner = all[200..<(count - 200)]
        let steps = zip(inner, inner.dropFirst()).map { abs(Double($0 - $1)) }
        let worst = steps.max() ?? 1
        let place = Double((steps.firstIndex(of: worst) ?? 0) + 200) / Double(output)
        // A mirror image has a bend where it meets the sound.
        #expect(worst < 1.4 * tone, "a step of \(worst) at \(place) s, where the tone has \(tone)")
        let errors = (200..<(count - 200)).map { index in
            abs(Double(all[index]) - sin(2 * Double.pi * 443 * Double(index) / Double(output)) / 2)
        }
        let error = errors.max() ?? 1
        let site = Double((errors.firstIndex(of: error) ?? 0) + 200) / Double(output)
        #expect(error < 0.03, "off by \(error) at \(site) s")
        for seam in 1..<parts.count {
            for offset in [-30, -3, 0, 1, 5, 20, 60, 400] {
                let first = Int(0.7 * Double(seam) * Double(output)) + offset
                let some = try AudioReader(path: path, info: info, sampleRate: output, channels: 1)
                    .samples(from: first, count: 1000, channels: 1)[0]
                let worst = zip(some, all[first...]).map { abs($0 - $1) }.max() ?? 1
                #expect(worst < 1e-4, "\(worst) at \(offset) samples from seam \(seam)")
            }
        }
    }
}
