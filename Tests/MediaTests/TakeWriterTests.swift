import Foundation
import Media
import TestSupport
import Testing
import Values

/// Parts of takes, whole and cut off, and what is joined of them.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct TakeWriterTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let picture = TakePicture(width: 160, height: 32, frameRate: Rational(30))
    private static let sound = TakeSound(sampleRate: 48000, channels: 1, bitRate: 64_000)

    /// A picture that carries a number: see ``Numbered``.
    private func numbered(_ number: Int) throws -> Picture {
        let picture = try Picture(width: 160, height: 32, format: .yuv420p)
        for plane in 1...2 {
            for row in 0..<16 {
                (picture.plane(plane) + row * picture.stride(plane)).update(repeating: 128, count: 80)
            }
        }
        for row in 0..<32 {
            for x in 0..<160 {
                picture.plane(0)[row * picture.stride(0) + x] = number >> (x / 16) & 1 == 1 ? 235 : 16
            }
        }
        return picture
    }

    /// Writes pictures at these times, and sound for as long.
    private func write(_ writer: TakeWriter, _ times: [Time], from first: Int = 0, hasSound: Bool = true) throws {
        for (index, time) in times.enumerated() {
            #expect(try writer.append(numbered(first + index), at: time))
            guard hasSound else { continue }
            let wanted = time.rounded(rate: Rational(48000)) - writer.sampleCount()
            if wanted > 0 { try append(wanted, to: writer) }
        }
    }

    private func append(_ count: Int, to writer: TakeWriter) throws {
        let start = writer.sampleCount()
        let samples = (0..<count).map { 0.3 * Float(sin(Double(start + $0) * 0.05)) }
        try samples.withUnsafeBufferPointer { try writer.append([$0.baseAddress!], count: count) }
    }

    private func times(_ count: Int) -> [Time] { (0..<count).map { Time(frame: $0, rate: Rational(30)) } }

    /// The pictures' numbers and times, as FFmpeg finds them.
    private func pictures(of path: String) throws -> [(number: Int, time: Time)] {
        let numbers = try FFmpeg.grayFrames(of: path, width: 160, height: 32).map { luma in
            (0..<10).reduce(0) { $0 + (luma[16 * 160 + 16 * $1 + 8] > 128 ? 1 << $1 : 0) }
        }
        let times = try Lab.entries(path, "-select_streams", "v", "-show_entries", "frame=pts").compactMap { Int($0) }
        let base = try Lab.entries(path, "-select_streams", "v", "-show_entries", "stream=time_base").first ?? ""
        #expect(base == "1/90000" && times.count == numbers.count, "\(path)")
        return zip(numbers, times).map { ($0, Time(frame: $1, rate: Rational(90_000))) }
    }

    @Test func `a part and its join have exact lengths`() throws {
        let part = lab.path("part.mp4")
        let writer = try TakeWriter(path: part, picture: Self.picture, sounds: [Self.sound])
        try write(writer, times(75))
        let end = Time(frame: 75, rate: Rational(30))
        try append(120_000 - writer.sampleCount(), to: writer)
        try writer.finish(at: end)
        let result = try TakeJoiner.join([part], output: lab.path("take.mp4"))
        #expect(result.duration == end)
        for path in [part, lab.path("take.mp4")] {
            let found = try pictures(of: path)
            #expect(found.map(\.number) == Array(0..<75), "\(path)")
            #expect(found.map(\.time) == times(75), "\(path)")
        }
        let info = try Probe.probe(path: lab.path("take.mp4"))
        #expect(info.video?.start == .zero && info.video?.duration == end && info.video?.frameRate == Rational(30))
        #expect(try #require(info.audio).duration == end)
    }

    @Test func `pictures keep times that differ`() throws {
        var random = SplitMix64(seed: Seed.announced(for: "variable rate", cases: 1))
        var times: [Time] = []
        var ticks = 0
        for _ in 0..<60 {
            times.append(Time(frame: ticks, rate: Rational(90_000)))
            ticks += Int.random(in: 200...20_000, using: &random)
        }
        let writer = try TakeWriter(path: lab.path("part.mp4"), picture: Self.picture, sounds: [])
        try write(writer, times, hasSound: false)
        let end = Time(frame: ticks, rate: Rational(90_000))
        try writer.finish(at: end)
        let result = try TakeJoiner.join([lab.path("part.mp4")], output: lab.path("take.mp4"))
        let found = try pictures(of: lab.path("take.mp4"))
        #expect(found.map(\.number) == Array(0..<60) && found.map(\.time) == times)
        #expect(result.duration == end)
    }

    @Test func `a picture that is not later is left out`() throws {
        let writer = try TakeWriter(path: lab.path("part.mp4"), picture: Self.picture, sounds: [])
        let late = Time(frame: 1, rate: Rational(30))
        #expect(try writer.append(numbered(0), at: late))
        #expect(try !writer.append(numbered(1), at: late))
        #expect(try !writer.append(numbered(2), at: .zero))
        try writer.finish(at: Time(frame: 2, rate: Rational(30)))
        #expect(try pictures(of: lab.path("part.mp4")).map(\.number) == [0])
    }

    /// The file as it is when the process is killed.
    @Test func `a part that was cut off keeps all but its last fragment`() throws {
        let part = lab.path("part.mp4")
        do {
            let writer = try TakeWriter(path: part, picture: Self.picture, sounds: [Self.sound])
            try write(writer, times(90))
        }
        let result = try TakeJoiner.join([part], output: lab.path("take.mp4"))
        // Three seconds were written; the last fragment has half a second at most.
        #expect(result.duration.seconds >= 2.4 && result.duration.seconds <= 3)
        let found = try pictures(of: lab.path("take.mp4")).map(\.number)
        #expect(found == Array(0..<found.count) && found.count >= 72)
    }

    /// A part of three seconds as a killed process leaves it, and where its fragments end.
    private func unfinished() throws -> (bytes: [UInt8], ends: [Int]) {
        let part = lab.path("unfinished.mp4")
        do {
            let writer = try TakeWriter(path: part, picture: Self.picture, sounds: [Self.sound])
            try write(writer, times(90))
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: part)))
        let starts = bytes.ranges(of: Array("moof".utf8)).map { $0.lowerBound - 4 }
        try #require(starts.count >= 4)
        return (bytes, starts.dropFirst() + [bytes.count])
    }

    private func checkCuts(_ cases: Int) throws {
        let (bytes, ends) = try unfinished()
        var random = SplitMix64(seed: Seed.announced(for: "cut parts", cases: cases))
        let cuts = [1, ends[0] - 1, ends[0]] + (0..<cases).map { _ in Int.random(in: 0...bytes.count, using: &random) }
        for cut in cuts {
            let part = try lab.write("cut.mp4", Array(bytes.prefix(cut)))
            let result = try TakeJoiner.join([part], output: lab.path("take.mp4"))
            let whole = ends.count { $0 <= cut }
            #expect(result.damaged.isEmpty, "\(cut) bytes: \(result)")
            #expect((result.duration > .zero) == (whole > 0), "\(cut) bytes: \(result)")
            guard whole > 0 else { continue }
            let found = try pictures(of: lab.path("take.mp4")).map(\.number)
            #expect(found == Array(0..<found.count) && found.count >= 12 * whole, "\(cut) bytes: \(found.count)")
            #expect(result.duration.seconds >= 0.4 * Double(whole), "\(cut) bytes: \(result)")
        }
    }

    @Test func `a part that was cut off anywhere keeps its whole fragments`() throws { try checkCuts(10) }

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test func `a part that was cut off anywhere keeps its whole fragments`() throws {
            try TakeWriterTests().checkCuts(200)
        }

        @Test func `damage anywhere in a part neither fails the join nor breaks its file`() throws {
            let tests = try TakeWriterTests()
            let (bytes, _) = try tests.unfinished()
            var random = SplitMix64(seed: Seed.announced(for: "damaged parts", cases: 300))
            for number in 0..<300 {
                var damaged = bytes
                let start = Int.random(in: 0..<bytes.count, using: &random)
                for index in start..<min(bytes.count, start + 40) {
                    damaged[index] = UInt8.random(in: 0...255, using: &random)
                }
                let part = try tests.lab.write("damaged.mp4", damaged)
                let output = tests.lab.path("take\(number).mp4")
                let result = try TakeJoiner.join([part], output: output)
                #expect(FileManager.default.fileExists(atPath: output) == (result.duration > .zero), "\(start)")
                #expect(result.duration > .zero || !result.damaged.isEmpty, "\(start): \(result)")
                if result.duration > .zero { _ = try Probe.probe(path: output) }
            }
        }
    }

    @Test func `fragments behind damage are kept with their part`() throws {
        var (bytes, ends) = try unfinished()
        bytes.replaceSubrange(ends[0]..<ends[0] + 4, with: [0, 0, 0, 0])
        let part = try lab.write("damaged.mp4", bytes)
        let result = try TakeJoiner.join([part], output: lab.path("take.mp4"))
        #expect(result.damaged == [part] && result.duration.seconds > 0.4 && result.duration.seconds < 0.6, "\(result)")
        bytes.replaceSubrange(ends[0]..., with: [UInt8](repeating: 0, count: 5000))
        // A disk that lost its power leaves zeros.
        let zeros = try lab.write("zeros.mp4", bytes)
        #expect(try TakeJoiner.join([zeros], output: lab.path("take.mp4")).damaged.isEmpty)
    }

    @Test func `a part of another form is kept apart`() throws {
        for (name, width) in [("a.mp4", 160), ("b.mp4", 320)] {
            let form = TakePicture(width: width, height: 32, frameRate: Rational(30))
            let writer = try TakeWriter(path: lab.path(name), picture: form, sounds: [])
            try writer.append(Picture(width: width, height: 32, format: .yuv420p), at: .zero)
            try writer.finish(at: Time(frame: 15, rate: Rational(30)))
        }
        let parts = [lab.path("a.mp4"), lab.path("b.mp4")]
        let result = try TakeJoiner.join(parts, output: lab.path("take.mp4"))
        #expect(result.damaged == [parts[1]] && result.duration == Time(frame: 15, rate: Rational(30)))
    }

    @Test func `parts follow one another, picture and sound`() throws {
        for index in 0..<8 {
            let writer = try TakeWriter(path: lab.path("\(index).mp4"), picture: Self.picture, sounds: [Self.sound])
            try write(writer, times(31), from: 31 * index)
            let end = Time(frame: 31, rate: Rational(30))
            try append(end.rounded(rate: Rational(48000)) - writer.sampleCount(), to: writer)
            try writer.finish(at: end)
        }
        let parts = (0..<8).map { lab.path("\($0).mp4") } + [lab.path("missing.mp4"), try lab.write("empty.mp4", [])]
        let result = try TakeJoiner.join(parts, output: lab.path("take.mp4"))
        let end = Time(frame: 248, rate: Rational(30))
        #expect(abs((result.duration - end).seconds) < 0.001, "\(result.duration)")
        let found = try pictures(of: lab.path("take.mp4"))
        #expect(found.map(\.number) == Array(0..<248))
        for (index, picture) in found.enumerated() {
            #expect(abs((picture.time - Time(frame: index, rate: Rational(30))).seconds) < 0.001)
        }
        // The sound is never off by more than half a packet, and ends with the picture.
        let info = try Probe.probe(path: lab.path("take.mp4"))
        let missing = (end - (try #require(info.audio).duration)).seconds * 48000
        #expect(missing > -1 && missing <= 513, "\(missing)")
        #expect(try FFmpeg.run(["-v", "error", "-i", lab.path("take.mp4"), "-f", "null", "-"]).stderr.isEmpty)
    }

    @Test func `two sounds have a track each`() throws {
        for index in 0..<2 {
            let sounds = [Self.sound, TakeSound(sampleRate: 44100, channels: 2, bitRate: 96_000)]
            let writer = try TakeWriter(path: lab.path("\(index).mp4"), picture: Self.picture, sounds: sounds)
            for frame in 0..<30 {
                try writer.append(numbered(30 * index + frame), at: times(30)[frame])
                try append(1600, to: writer)
                // The second one begins late in the first fragment.
                guard frame % 15 == 14 else { continue }
                let tone = (0..<22_050).map { 0.3 * Float(sin(Double($0) * 0.2)) }
                try tone.withUnsafeBufferPointer { tone in
                    try writer.append([tone.baseAddress!, tone.baseAddress!], count: 22_050, to: 1)
                }
            }
            #expect(writer.sampleCount(0) == 48_000 && writer.sampleCount(1) == 44_100)
            try writer.finish(at: Time(frame: 30, rate: Rational(30)))
        }
        let result = try TakeJoiner.join([lab.path("0.mp4"), lab.path("1.mp4")], output: lab.path("take.mp4"))
        #expect(result.damaged.isEmpty && result.duration == Time(frame: 60, rate: Rational(30)))
        #expect(try pictures(of: lab.path("take.mp4")).map(\.number) == Array(0..<60))
        for (track, rate) in [(0, 48000), (1, 44100)] {
            let found = try Lab.entries(
                lab.path("take.mp4"), "-select_streams", "a:\(track)", "-show_entries", "stream=sample_rate,duration")
            let values = (found.first ?? "").split(separator: ",").compactMap { Double($0) }
            try #require(values.count == 2, "\(found)")
            // A seam may leave half a packet out; no sound is longer than the picture.
            let missing = (2 - values[1]) * Double(rate)
            #expect(values[0] == Double(rate) && missing > -1 && missing <= 513, "\(found)")
        }
    }

    @Test func `nothing is joined of nothing`() throws {
        #expect(try TakeJoiner.join([], output: lab.path("take.mp4")).duration == .zero)
        let empty = try lab.write("empty.mp4", [])
        let noise = try lab.write("noise.mp4", (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 97) })
        let moof = try lab.write("moof.mp4", Array("....free....moof....".utf8))
        let result = try TakeJoiner.join([empty, noise, moof, lab.path("none.mp4")], output: lab.path("take.mp4"))
        #expect(result.duration == .zero && result.damaged == [moof])
        #expect(!FileManager.default.fileExists(atPath: lab.path("take.mp4")))
    }

    @Test func `wrong settings and pictures have their sentence`() throws {
        let odd = TakePicture(width: 161, height: 32, frameRate: Rational(30))
        #expect(throws: MediaError.self) { try TakeWriter(path: lab.path("a.mp4"), picture: odd, sounds: []) }
        #expect(throws: MediaError.self) {
            try TakeWriter(path: lab.path("no/such/folder.mp4"), picture: Self.picture, sounds: [])
        }
        let writer = try TakeWriter(path: lab.path("b.mp4"), picture: Self.picture, sounds: [])
        let other = try Picture(width: 320, height: 32, format: .yuv420p)
        #expect(throws: MediaError.self) { try writer.append(other, at: .zero) }
    }
}
