import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// What the shipped sources draw.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SourceEffectTests {
    private static let plain: [String: ParameterInput] = [
        "gap": .numbers([0]), "roundness": .numbers([0]), "bars": .numbers([16]),
    ]

    private func plain(_ path: String, _ more: [String: ParameterInput] = [:]) -> [String: ParameterInput] {
        Self.plain.merging(["media": .text(path)]) { $1 }.merging(more) { $1 }
    }

    // MARK: Waveform

    /// Bars are as high as the peaks of their stretch of the sound; twice as high with twice the
    /// gain, and never higher than the frame.
    @Test func waveformIsAsHighAsTheSound() throws {
        let folder = try TemporaryFolder()
        // Square waves, whose peaks are theirs everywhere: 0.25, then 0.5, then silence.
        let path = try SourceLab.sound(
            "(lt(t,2)*0.25+between(t,2,4)*0.5*gt(t,2))*(2*gt(sin(2*PI*100*t),0)-1)", seconds: 6, as: "steps.wav",
            ["-c:a", "pcm_f32le"], in: folder)
        for (time, height) in [(1.0, 0.25), (3, 0.5), (5, 0)] {
            for gain in [1.0, 2, 10] {
                let values = plain(path, ["window": .numbers([0.8]), "gain": .numbers([gain])])
                let columns = SourceLab.columns(try SourceLab.frame("waveform", values, at: time))
                let wanted = min(48, height * gain * 48)
                #expect(
                    columns.allSatisfy { abs($0 - wanted) < 0.1 }, "\(time) s, gain \(gain): \(columns), not \(wanted)")
            }
        }
    }

    /// A click is in one bar, and moves to the left with the sound's time; `offset` and `position`
    /// say where now is.
    @Test func aClickIsWhereItIs() throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(
            "eq(n,120000)*0.9", seconds: 6, as: "click.wav", ["-c:a", "pcm_f32le"], in: folder)
        // The click is at 2.5 s. 96 pixels are 2 s in 16 bars of 0.125 s, or 6 pixels.
        for (time, offset, position) in [
            (2.5, 0.0, 0.5), (2.0, 0, 0.5), (0.5, 2, 0.5), (2.5, 0, 0), (2.5, 0, 1), (3.1, 0, 0.9),
        ] {
            let values = plain(
                path, ["window": .numbers([2]), "offset": .numbers([offset]), "position": .numbers([position])])
            let columns = SourceLab.columns(try SourceLab.frame("waveform", values, at: time))
            // The bar's slot begins at 2.5 s exactly.
            let start = (2.5 - (time + offset - 2 * position)) / 2 * 96
            for (x, covered) in columns.enumerated() {
                let share = max(0, min(Double(x + 1), start + 6) - max(Double(x), start))
                #expect(
                    abs(covered - share * 0.9 * 48) < 0.5, "\(time) \(offset) \(position): column \(x) has \(covered)")
            }
        }
    }

    /// The line goes through the sound's samples: a slow sine of 0.5 is half as high as the frame.
    @Test func theLineFollowsTheSound() throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(
            "0.5*sin(2*PI*10*t)", seconds: 3, as: "sine.wav", ["-c:a", "pcm_f32le"], in: folder)
        let values: [String: ParameterInput] = [
            "media": .text(path), "style": .text("line"), "window": .numbers([0.1]), "position": .numbers([0]),
            "thickness": .numbers([1]),
        ]
        let frame = try SourceLab.frame("waveform", values, at: 1, width: 200, height: 200)
        for x in 0..<200 {
            let rows = (0..<200).map { Double(frame[0, 4 * x + 3, $0]) / 255 }
            let middle = rows.enumerated().reduce(0) { $0 + (Double($1.offset) + 0.5) * $1.element } / rows.reduce(0, +)
            let wanted = 100 - 50 * sin(2 * .pi * (Double(x) + 0.5) / 200)
            #expect(abs(middle - wanted) < 1.5, "column \(x): \(middle), not \(wanted)")
        }
    }

    /// A constant sound of 0.5 is half the picture, whatever its bars: bars that touch are one area
    /// without seams, many in a pixel cover it together, and a gap takes its share. A round bar has
    /// the area of a round bar.
    @Test(arguments: [(7, 0.0), (16, 0), (37, 0), (96, 0), (1000, 0), (2000, 0), (1000, 0.4), (2000, 0.9)])
    func barsCoverTheirArea(bars: Int, gap: Double) throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound("0.5", seconds: 3, as: "level.wav", ["-c:a", "pcm_f32le"], in: folder)
        let values = plain(
            path,
            ["window": .numbers([1]), "bars": .numbers([Double(bars)]), "gap": .numbers([gap])])
        for time in [1.0, 1.013, 1.5] {
            let frame = try SourceLab.frame("waveform", values, at: time)
            let wanted = Int((255 * (1 - gap)).rounded())
            for x in 0..<96 where bars >= 500 || gap == 0 {
                for y in 12..<36 {
                    #expect((Int(frame[0, 4 * x + 3, y]) - wanted).magnitude <= (gap == 0 ? 0 : 26), "\(x), \(y)")
                }
            }
            let area = SourceLab.columns(frame).reduce(0, +)
            #expect((area / (96 * 24 * (1 - gap)) - 1).magnitude < 0.02, "\(area)")
        }
        let round = plain(
            path, ["window": .numbers([1]), "bars": .numbers([4]), "gap": .numbers([0.5]), "roundness": .numbers([1])])
        // Four of them, 12 pixels wide and 24 high, with half a circle at each end.
        let area = SourceLab.columns(try SourceLab.frame("waveform", round, at: 1)).reduce(0, +)
        #expect((area - 4 * (12 * 12 + .pi * 36)).magnitude < 6, "\(area)")
    }

    // MARK: Spectrum

    @Test func theSpectrumsBarsLeaveNoSeam() throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound("0.9*(random(0)-0.5)", seconds: 2, as: "noise.wav", in: folder)
        for bars in [37.0, 96, 1999] {
            let values = plain(path, ["bars": .numbers([bars]), "gain": .numbers([60]), "floor": .numbers([-140])])
            let frame = try SourceLab.frame("spectrum", values, at: 1)
            for x in 0..<96 { #expect(frame[0, 4 * x + 3, 47] == 255, "\(bars) bars, column \(x)") }
        }
    }

    @Test func aSpectrumFromHighToLowIsRefused() throws {
        let values: [String: ParameterInput] = ["low": .numbers([5000]), "high": .numbers([100])]
        let error = #expect(throws: (any Error).self) { try SourceLab.instance("spectrum", values) }
        let words = error.map { "\($0)" } ?? ""
        #expect(words.contains("‘low’ is 5000 Hz, but must lie below ‘high’, which is 100 Hz"), "\(words)")
    }

    @Test(arguments: [200.0, 1000, 5000]) func aToneIsAtItsFrequency(frequency: Double) throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(
            "0.5*sin(2*PI*\(frequency)*t)", seconds: 2, rate: 44_100, as: "tone.wav", ["-c:a", "pcm_f32le"], in: folder)
        // From 40 to 16000 Hz, 32 bars of 3 pixels.
        let values = plain(path, ["bars": .numbers([32]), "gain": .numbers([0]), "floor": .numbers([-60])])
        let columns = SourceLab.columns(try SourceLab.frame("spectrum", values, at: 1))
        let bar = Int(32 * log(frequency / 40) / log(16_000.0 / 40))
        let highest = try #require(columns.max())
        #expect(columns.indices.filter { columns[$0] > highest - 0.01 }.allSatisfy { ($0 / 3 - bar).magnitude <= 1 })
        #expect(columns[3 * bar + 1] == highest)
        // −6 dB of 60 are missing; a Hann window between two bins shows 1.42 dB too little at most.
        #expect((48 * 0.86...48 * 0.905).contains(highest), "\(highest)")
        // Far away nothing is seen.
        #expect(columns[frequency > 700 ? 4 : 92] < 1)
    }

    @Test func aMirroredBarReachesToBothSides() throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound("0.5*sin(2*PI*1000*t)", seconds: 2, as: "tone.wav", in: folder)
        let frame = try SourceLab.frame(
            "spectrum", plain(path, ["style": .text("mirror"), "bars": .numbers([32])]), at: 1)
        for x in 0..<96 { for y in 0..<24 { #expect(frame[0, 4 * x + 3, y] == frame[0, 4 * x + 3, 47 - y]) } }
    }

    /// A tone that sounds for the second half of the history is a line in the right half.
    @Test func aSpectrogramIsAMapOfTimeAndFrequency() throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(
            "0.5*sin(2*PI*1000*t)*gt(t,1)", seconds: 3, as: "late.wav", ["-c:a", "pcm_f32le"], in: folder)
        let values: [String: ParameterInput] = [
            "media": .text(path), "style": .text("spectrogram"), "history": .numbers([2]), "gain": .numbers([0]),
            "floor": .numbers([-60]),
        ]
        let frame = try SourceLab.frame("spectrum", values, at: 2)
        let row = 47 - Int(48 * log(1000.0 / 40) / log(16_000.0 / 40))
        for x in 0..<40 { for y in 0..<48 { #expect(frame[0, 4 * x + 3, y] == 0) } }
        for x in 56..<96 {
            let column = (0..<48).map { frame[0, 4 * x + 3, $0] }
            #expect(column[row] == column.max() && column[row] > 200 && column[2] < 20 && column[45] < 20)
        }
        // The columns move by whole pixels: half a second is 24 of them.
        let later = try SourceLab.frame("spectrum", values, at: 2.5)
        for x in 0..<72 { for y in 0..<48 { #expect(later[0, 4 * x + 3, y] == frame[0, 4 * (x + 24) + 3, y]) } }
    }

    // MARK: Gradient

    @Test func aGradientGoesFromColourToColour() throws {
        let values: [String: ParameterInput] = [
            "color": .text("#000000"), "color_2": .text("#ffffff"), "angle": .numbers([0]),
        ]
        let frame = try SourceLab.frame("gradient", values, width: 256, height: 4)
        for x in 0..<256 { #expect(abs(Int(frame[0, 4 * x, 1]) - x) <= 1 && frame[0, 4 * x + 3, 1] == 255) }
        let down = try SourceLab.frame(
            "gradient", values.merging(["angle": .numbers([90])]) { $1 }, width: 4, height: 256)
        for y in 0..<256 { #expect(abs(Int(down[0, 4, y]) - y) <= 1) }
        // Half a turn of the phase is the other end; at 0.25 Hz that takes two seconds.
        let turned = try SourceLab.frame(
            "gradient", values.merging(["phase": .numbers([0.5])]) { $1 }, width: 256, height: 4)
        let moved = try SourceLab.frame(
            "gradient", values.merging(["speed": .numbers([0.25])]) { $1 }, at: 2, width: 256, height: 4)
        for x in 0..<256 { #expect(abs(Int(turned[0, 4 * x, 1]) - (255 - x)) <= 1) }
        #expect(turned.samples == moved.samples)
        let radial = try SourceLab.frame(
            "gradient", values.merging(["style": .text("radial")]) { $1 }, width: 101, height: 101)
        #expect(radial[0, 4 * 50, 50] <= 2 && radial[0, 0, 0] >= 252 && radial[0, 4 * 20, 50] == radial[0, 4 * 80, 50])
    }

    /// On an HDR canvas colours are light: white is the reference white, 58 % of PQ and 75 % of HLG
    /// (ITU-R BT.2408).
    @Test(arguments: [(ColorSystem.sdr, 1.0), (.hlg, 0.75), (.pq, 0.58)])
    func coloursAreEncodedAsTheCanvasIs(color: ColorSystem, white: Double) throws {
        let values: [String: ParameterInput] = ["color": .text("#ffffff"), "color_2": .text("#ffffff80")]
        let instance = try SourceLab.instance("gradient", values, .rgbaFloat, color: color)
        let frame = try SourceLab.frame(of: instance, values, .rgbaFloat, color: color)
        let pixel = UnsafeRawPointer(frame.frame.planes[0]).assumingMemoryBound(to: Float.self)
        #expect(abs(Double(pixel[0]) - white) < 0.002 && pixel[3] > 0.98)
    }
}
