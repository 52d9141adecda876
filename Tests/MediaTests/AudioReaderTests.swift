import Foundation
import Media
import TestSupport
import Testing
import Values

@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct AudioReaderTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Sound that differs everywhere: two slow sweeps.
    static let sweep = ["-f", "lavfi", "-i", "aevalsrc='0.4*sin(300*t*t+200*t)|0.4*sin(150*t*t+900*t)':s=48000:d=6"]

    struct Material: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        /// How far samples read from the middle may be from those read from the start.
        var limit: Float = 0
        var testDescription: String { name }
    }

    /// AAC without noise substitution, but for one: the decoder's random numbers go on from packet
    /// to packet.
    static let materials = [
        Material(name: "noise.m4a", arguments: ["-c:a", "aac"], limit: 0.01),
        Material(name: "pcm.wav", arguments: ["-c:a", "pcm_s16le"]),
        Material(name: "lossless.flac", arguments: ["-ar", "44100"]),
        Material(name: "advanced.m4a", arguments: ["-c:a", "aac", "-aac_pns", "0"], limit: 1e-4),
        Material(name: "advanced44.mp4", arguments: ["-ar", "44100", "-c:a", "aac", "-aac_pns", "0"], limit: 1e-4),
        Material(name: "advanced.mkv", arguments: ["-ar", "44100", "-c:a", "aac", "-aac_pns", "0"], limit: 1e-4),
        Material(name: "advanced.ts", arguments: ["-ar", "44100", "-c:a", "aac", "-aac_pns", "0"], limit: 1e-4),
        Material(name: "layer3.mp3", arguments: ["-ar", "44100", "-b:a", "128k"], limit: 1e-4),
        Material(name: "opus.webm", arguments: ["-c:a", "libopus"], limit: 1e-4),
        Material(name: "vorbis.ogg", arguments: ["-c:a", "libvorbis"], limit: 1e-4),
        Material(name: "vorbis.webm", arguments: ["-c:a", "libvorbis"]),
        Material(name: "slow.wav", arguments: ["-ar", "22050", "-ac", "1"]),
    ]

    func largest(_ a: [Float], _ b: ArraySlice<Float>) -> Float { zip(a, b).map { abs($0 - $1) }.max() ?? 0 }

    @Test(arguments: materials) func theMiddleIsWhatItIsFromTheStart(_ material: Material) throws {
        let path = lab.path(material.name)
        try FFmpeg.make(Self.sweep + material.arguments, at: path)
        let info = try Probe.probe(path: path)
        func open() throws -> AudioReader { try AudioReader(path: path, info: info, sampleRate: 48000, channels: 2) }
        let total = 48000 * 6
        let whole = try open().samples(from: 0, count: total, channels: 2)
        #expect(whole[0][48000..<240_000].contains { abs($0) > 0.3 })
        // In pieces of odd lengths, forward.
        let pieces = try open()
        var position = 0
        while position < total {
            let count = min(7777, total - position)
            #expect(
                try pieces.samples(from: position, count: count, channels: 2)[0]
                    == Array(whole[0][position..<position + count])
            )
            position += count
        }
        // From anywhere, in one source and in new ones.
        let seed = Seed.announced(for: "sound of \(material.name)", cases: 12)
        var generator = SplitMix64(seed: seed)
        let wandering = try open()
        for round in 0..<12 {
            // The first packet is a case of its own.
            let start = Int.random(in: 0..<(round % 4 == 2 ? 1024 : total - 3000), using: &generator)
            let source = round % 2 == 0 ? wandering : try open()
            let found = try source.samples(from: start, count: 3000, channels: 2)
            for channel in 0..<2 {
                let difference = largest(found[channel], whole[channel][start..<start + 3000])
                #expect(difference <= material.limit, "sample \(start), channel \(channel)")
            }
        }
    }

    @Test(arguments: [
        "click.wav", "click.m4a", "click44.mp4", "click.mp3", "click-opus.webm", "click.opus", "click-opus.mp4",
        "click.mkv",
        "click.ts",
    ]) func aClickIsInItsPlace(_ name: String) throws {
        let path = lab.path(name)
        let codec =
            name.contains("opus")
            ? ["-c:a", "libopus"]
            : name.hasSuffix("wav") ? [] : name.hasSuffix("mp3") ? ["-b:a", "192k"] : ["-c:a", "aac", "-b:a", "192k"]
        let rate = name.contains("44") ? ["-ar", "44100"] : []
        // Where the container cannot say how long AAC's delay is, only the picture tells the place.
        let picture =
            name.hasSuffix("mkv") || name.hasSuffix("ts")
            ? ["-f", "lavfi", "-i", "color=s=64x64:r=30:d=4", "-c:v", "libx264", "-bf", "0"] : []
        try FFmpeg.make(
            [
                "-f", "lavfi", "-i",
                "aevalsrc='if(between(mod(t,1),0.5,0.501),0.9*sin(2*PI*1000*mod(t,1)),0)':s=48000:d=4",
            ]
                + picture + rate + codec, at: path)
        let info = try Probe.probe(path: path)
        #expect((info.video != nil) == !picture.isEmpty)
        let offset = (info.video?.start ?? .zero).rounded(rate: Rational(48000))
        let source = try AudioReader(path: path, info: info, sampleRate: 48000, channels: 1)
        for second in [2, 0, 3, 1] {
            let samples = try source.samples(from: second * 48000 + offset, count: 47_000, channels: 1)[0]
            let peak = try #require(samples.indices.max { abs(samples[$0]) < abs(samples[$1]) })
            // The sine's first crest is 12 samples after its start, its second 36. Matroska rounds
            // to milliseconds.
            #expect(abs(peak - 24024) < 72, "second \(second): \(peak)")
            #expect(abs(samples[peak]) > 0.3)
        }
    }

    @Test func silenceOutside() throws {
        let path = try lab.make("tone.wav", "-f", "lavfi", "-i", "sine=f=1000:d=1:r=48000")
        let source = try AudioReader(path: path, info: try Probe.probe(path: path), sampleRate: 48000, channels: 2)
        let around = try source.samples(from: -1000, count: 50_000, channels: 2)
        #expect(around[0][..<1000].allSatisfy { $0 == 0 } && around[0][49_000...].allSatisfy { $0 == 0 })
        #expect(around[0][1000..<49_000].contains { $0 != 0 } && abs(around[0][48_990]) > 0.001)
        #expect(try source.samples(from: 1_000_000, count: 100, channels: 2)[1].allSatisfy { $0 == 0 })
        #expect(try source.samples(from: -500, count: 100, channels: 2)[1].allSatisfy { $0 == 0 })
        #expect(try source.samples(from: 10, count: 0, channels: 2)[1].isEmpty)
    }

    @Test func channelsAndRates() throws {
        func level(_ arguments: [String], channels: Int, rate: Int = 48000) throws -> [Float] {
            let path = lab.path("level-\(UUID().uuidString).wav")
            try FFmpeg.run(arguments + ["-c:a", "pcm_f32le", path])
            let source = try AudioReader(
                path: path, info: try Probe.probe(path: path), sampleRate: rate, channels: channels)
            return try source.samples(from: 10_000, count: 8, channels: channels).map {
                ($0[4] * 1000).rounded() / 1000
            }
        }
        let mono = ["-f", "lavfi", "-i", "aevalsrc=0.5:c=mono:d=1:s=48000"]
        let stereo = ["-f", "lavfi", "-i", "aevalsrc=0.5|0.25:c=stereo:d=1:s=48000"]
        let surround = ["-f", "lavfi", "-i", "aevalsrc=0.1|0.2|0.3|0.9|0.04|0.05:c=5.1:d=1:s=48000"]
        #expect(try level(mono, channels: 2) == [0.5, 0.5])
        #expect(try level(mono, channels: 1) == [0.5])
        #expect(try level(stereo, channels: 2) == [0.5, 0.25])
        #expect(try level(stereo, channels: 1) == [0.375])
        #expect(try level(surround, channels: 6) == [0.1, 0.2, 0.3, 0.9, 0.04, 0.05])
        // ITU-R BS.775: left + 0.707 centre + 0.707 left surround.
        let down = try level(surround, channels: 2)
        #expect(
            abs(down[0] - (0.1 + 0.7071 * 0.3 + 0.7071 * 0.04)) < 0.002
                && abs(down[1] - (0.2 + 0.7071 * 0.3 + 0.7071 * 0.05)) < 0.002)
        #expect(try level(mono, channels: 1, rate: 44100) == [0.5])
        #expect(
            try level(["-f", "lavfi", "-i", "aevalsrc=0.5:c=mono:d=2:s=8000"], channels: 2, rate: 96000) == [0.5, 0.5])
    }

    @Test func aToneKeepsItsPitchAndPhaseAcrossRates() throws {
        let path = try lab.make(
            "phase.wav", "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*1000*t)':s=44100:d=3", "-c:a", "pcm_f32le")
        let source = try AudioReader(path: path, info: try Probe.probe(path: path), sampleRate: 48000, channels: 1)
        for start in [1000, 100_000, 50_000] {
            let found = try source.samples(from: start, count: 500, channels: 1)[0]
            for (index, value) in found.enumerated() {
                #expect(abs(value - 0.5 * Float(sin(2 * Double.pi * 1000 * Double(start + index) / 48000))) < 0.002)
            }
        }
    }

    @Test func gapsAreSilent() throws {
        // A second of tone, a second of nothing, a second of tone: the timestamps alone say so.
        let path = try lab.make(
            "gap.mkv", "-f", "lavfi", "-i", "sine=f=500:d=3:r=48000", "-af", "aselect='not(between(t,1,2))'", "-c:a",
            "pcm_s16le", "-fflags", "+genpts")
        let source = try AudioReader(path: path, info: try Probe.probe(path: path), sampleRate: 48000, channels: 1)
        func loud(_ from: Int) throws -> Bool {
            try source.samples(from: from, count: 2400, channels: 1)[0].contains { abs($0) > 0.01 }
        }
        #expect(try loud(24_000) && !loud(60_000) && !loud(80_000) && loud(110_000) && !loud(72_000) && loud(30_000))
    }

    @Test func noSoundAndDamagedSound() throws {
        let silent = try lab.make("silent.mp4", "-f", "lavfi", "-i", "testsrc=s=64x64:d=0.2", "-c:v", "libx264")
        let info = try Probe.probe(path: silent)
        #expect(
            thrown { () throws(MediaError) in
                _ = try AudioReader(path: silent, info: info, sampleRate: 48000, channels: 2)
            }?
            .code == .noAudio)
        let path = try lab.make("damaged.m4a", "-f", "lavfi", "-i", "sine=f=500:d=3:r=48000", "-c:a", "aac")
        let good = try Probe.probe(path: path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let packets = try Lab.packetRanges(path, stream: "a")
        let seed = Seed.announced(for: "damaged sound", cases: 30)
        // Two were decoded to channels that no speakers have, one of them with all that follows.
        for seed in [192_104_606, 126_072_950] + (0..<30).map({ seed &+ $0 }) {
            var generator = SplitMix64(seed: seed)
            var damaged = bytes
            for range in packets[30..<60] {
                for offset in range { damaged[offset] = UInt8.random(in: 0...255, using: &generator) }
            }
            try damaged.write(to: URL(fileURLWithPath: path))
            let source = try AudioReader(path: path, info: good, sampleRate: 48000, channels: 1)
            let samples = try source.samples(from: 0, count: 144_000, channels: 1)[0]
            #expect(
                samples.count == 144_000 && samples[100_000..<101_000].contains { abs($0) > 0.05 },
                "CUTROOM_SEED=\(seed)")
        }
    }
}
