import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// Files whose clock does not run through, because they were joined, cut or stamped anew: as much
/// is read of them as FFmpeg's command line reads, wherever reading begins.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct JoinedFileTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    static let rate = 25.0

    // MARK: Recordings

    struct Recording: Sendable, CustomTestStringConvertible {
        var name: String
        var count = 75
        var picture: [String]? = ["-c:v", "libx264", "-g", "25", "-bf", "2"]
        var sound: [String]? = ["-c:a", "aac", "-aac_pns", "0", "-b:a", "64k"]
        /// Seconds, and Hz.
        var length = 3.0
        var tone = 440
        var output: [String] = []
        var testDescription: String { name }

        func make(_ lab: Lab) throws -> String {
            var inputs: [String] = []
            if picture != nil { inputs += Numbered.source(rate: "25", count: count) }
            if sound != nil { inputs += ["-f", "lavfi", "-i", "sine=f=\(tone):r=48000:d=\(length)"] }
            return try lab.make(name, inputs + (picture ?? []) + (sound ?? []) + output)
        }
    }

    /// With B-frames, and without.
    static let hevc = [
        Recording(
            name: "ag.ts", picture: ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=25:bframes=4"]),
        Recording(
            name: "ah.ts", count: 60, picture: ["-c:v", "libx265", "-x265-params", "log-level=none:bframes=0"],
            length: 2.5),
    ]
    static let mpeg2 = ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3"]

    /// Without noise substitution, whose numbers go on from packet to packet.
    static let adts = ["-c:a", "aac", "-aac_pns", "0", "-f", "adts"]
    static let m2ts = ["-f", "mpegts", "-mpegts_m2ts_mode", "1"]
    private static let mp3 = ["-c:a", "libmp3lame", "-metadata", "title=A", "-id3v2_version", "3", "-write_id3v1", "1"]
    private static let twoTracks = ["-c:a", "ac3", "-map", "0", "-map", "1", "-map", "1"]

    /// Recordings of one group can be joined byte by byte.
    static let groups: [[Recording]] = [
        [
            Recording(name: "a.ts"), Recording(name: "b.ts", count: 40, length: 1.9, tone: 660),
            Recording(
                name: "c.ts", count: 33, picture: ["-c:v", "libx264", "-g", "11", "-bf", "0"], length: 1.32, tone: 880),
        ],
        [
            Recording(name: "d.ts", picture: mpeg2, sound: ["-c:a", "mp2"]),
            Recording(name: "e.ts", count: 50, picture: mpeg2, sound: ["-c:a", "mp2"], length: 2),
        ],
        [Recording(name: "f.ts", sound: nil), Recording(name: "g.ts", count: 30, sound: nil)],
        [
            Recording(
                name: "h.ts", picture: ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=25:bframes=3"],
                sound: nil)
        ],
        [
            Recording(name: "i.mpg", picture: mpeg2, sound: ["-c:a", "mp2"], output: ["-f", "vob"]),
            Recording(
                name: "j.mpg", count: 50, picture: mpeg2, sound: ["-c:a", "mp2"], length: 2, output: ["-f", "vob"]),
        ],
        [
            Recording(name: "k.mpg", picture: ["-c:v", "mpeg1video", "-g", "12", "-bf", "2", "-q:v", "3"], sound: nil),
            Recording(name: "l.mpg", count: 25, picture: ["-c:v", "mpeg1video", "-bf", "2", "-q:v", "3"], sound: nil),
        ],
        [
            Recording(name: "m.ogg", picture: nil, sound: ["-c:a", "libvorbis"]),
            Recording(name: "n.ogg", picture: nil, sound: ["-c:a", "libvorbis", "-ar", "44100"], length: 2, tone: 660),
        ],
        [
            Recording(name: "o.ogg", picture: nil, sound: ["-c:a", "libopus"]),
            Recording(name: "p.ogg", picture: nil, sound: ["-c:a", "libopus"], length: 1.5, tone: 660),
        ],
        [
            Recording(name: "q.ogg", picture: nil, sound: ["-c:a", "flac"]),
            Recording(name: "r.ogg", picture: nil, sound: ["-c:a", "flac"], length: 2.5, tone: 660),
        ],
        [
            Recording(name: "s.mp3", picture: nil, sound: ["-c:a", "libmp3lame"]),
            Recording(
                name: "t.mp3", picture: nil, sound: ["-c:a", "libmp3lame", "-write_xing", "0"], length: 2, tone: 660),
        ],
        [
            Recording(name: "u.aac", picture: nil, sound: adts),
            Recording(
                name: "v.aac", picture: nil, sound: adts, length: 2, tone: 660),
            Recording(
                name: "w.aac", picture: nil, sound: adts + ["-ar", "22050"],
                length: 1.5, tone: 880),
            Recording(
                name: "x.aac", picture: nil,
                sound: adts + ["-ar", "44100", "-ac", "2"], length: 1, tone: 330),
        ],
        [
            Recording(name: "y.mp3", picture: nil, sound: mp3),
            Recording(name: "z.mp3", picture: nil, sound: mp3 + ["-ar", "44100", "-ac", "2"]),
            Recording(
                name: "aa.mp3", picture: nil, sound: mp3 + ["-ar", "22050"], length: 2, tone: 660),
        ],
        [
            Recording(name: "ab.opus", picture: nil, sound: ["-c:a", "libopus"]),
            Recording(name: "ac.opus", picture: nil, sound: ["-c:a", "libopus", "-ac", "2"], length: 2, tone: 660),
            Recording(name: "ad.opus", picture: nil, sound: ["-c:a", "libopus", "-ac", "6"], length: 1.5, tone: 880),
        ],
        [
            Recording(name: "ae.m2ts", sound: ["-c:a", "ac3"], output: m2ts),
            Recording(
                name: "af.m2ts", count: 40, sound: ["-c:a", "ac3"], length: 1.7,
                output: m2ts),
        ],
        hevc,
        [
            Recording(
                name: "ai.vob", picture: mpeg2, sound: twoTracks,
                output: ["-f", "vob"]),
            Recording(
                name: "aj.vob", count: 50, picture: mpeg2, sound: twoTracks,
                length: 2, output: ["-f", "vob"]),
        ],
    ]

    // MARK: What is right

    /// What is in a file: how many frames, and when the picture and the sound end, in seconds.
    struct Content: CustomStringConvertible {
        var frames = 0
        var picture = 0.0
        var sound = 0.0

        var description: String { "\(frames) frames, picture \(picture) s, sound \(sound) s" }

        func isNear(_ other: Content) -> Bool {
            frames == other.frames && abs(picture - other.picture) < 1.01 / rate
                && abs(sound - other.sound) < 1.01 / rate
        }
    }

    /// What the command line makes of a file.
    func expected(_ path: String) throws -> Content {
        let result = try Command.run([
            "ffmpeg", "-hide_banner", "-loglevel", "quiet", "-nostdin", "-i", path, "-map", "0:v:0?", "-map", "0:a:0?",
            "-fps_mode", "passthrough", "-enc_time_base:v", "1:90000", "-f", "framecrc", "-",
        ])
        var content = Content()
        var bases: [Int: Double] = [:]
        var kinds: [Int: String] = [:]
        for line in result.text.split(separator: "\n") {
            let words = line.split { " ,:".contains($0) }.map(String.init)
            if line.hasPrefix("#tb"), let stream = Int(words[1]) {
                let parts = words[2].split(separator: "/").compactMap { Double($0) }
                bases[stream] = parts[0] / parts[1]
            } else if line.hasPrefix("#media_type"), let stream = Int(words[1]) {
                kinds[stream] = words[2]
            } else if let stream = Int(words[0]), let base = bases[stream], let time = Double(words[2]) {
                if kinds[stream] == "video" {
                    content.frames += 1
                    content.picture = max(content.picture, time * base + 1 / Self.rate)
                } else {
                    content.sound = max(content.sound, (time + (Double(words[3]) ?? 0)) * base)
                }
            }
        }
        return content
    }

    private static let step = Rational(100)

    /// The frames that follow each other in a file: those that differ from the one before.
    func frames(_ path: String, _ info: MediaInfo) throws -> [Picture] {
        guard let video = info.video else { return [] }
        let source = try VideoReader(path: path, info: info)
        var frames: [Picture] = []
        for index in 0..<(video.duration.frameCount(rate: Self.step) + 10) {
            let picture = try source.picture(at: Time(frame: index, rate: Self.step))
            if frames.last !== picture { frames.append(picture) }
        }
        return frames
    }

    func found(_ path: String, _ info: MediaInfo) throws -> Content {
        Content(
            frames: try frames(path, info).count, picture: info.video?.duration.seconds ?? 0,
            sound: info.audio?.duration.seconds ?? 0)
    }

    func warns(_ info: MediaInfo, _ path: String) -> Bool {
        var draft = Draft()
        draft.audio = [AudioClip(path: path)]
        return draft.warnings(Catalog(media: [path: .found(info)])).contains {
            ["its clock jumps", "cut off", "missing or damaged", "left out"].contains(where: $0.description.contains)
        }
    }

    /// A render warns of a picture or sound that cannot be decoded, with its time.
    private func isDamaged(_ path: String, _ info: MediaInfo) throws -> Bool {
        if let video = info.video {
            let reader = try VideoReader(path: path, info: info)
            for index in 0..<video.duration.frameCount(rate: Self.step) {
                _ = try reader.picture(at: Time(frame: index, rate: Self.step))
                if reader.damage != nil { return true }
            }
        }
        guard let audio = info.audio else { return false }
        let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        _ = try reader.samples(from: 0, count: audio.duration.rounded(rate: Rational(48_000)), channels: 1)
        return !reader.damage.isEmpty
    }

    /// Frames and samples are the same wherever reading begins.
    func checkAccess(_ path: String, _ info: MediaInfo, _ random: inout SplitMix64, _ name: String) throws {
        if info.video != nil {
            let frames = try frames(path, info)
            for _ in 0..<4 {
                let time = Time(flicks: Int64.random(in: 0..<max(1, info.duration.flicks), using: &random))
                // Half a tick of 90 kHz may be missing.
                let reached = time + Time(flicks: Time.flicksPerSecond / 180_000)
                let wanted = frames.last { $0.time <= reached } ?? frames[0]
                // A hole may tear a key frame from the pictures that precede it, which only a
                // reader from the start has; which of them is held in the hole is open.
                let next = frames.first { $0.time > reached }
                if let next, next.time - wanted.time > Time(flicks: Time.flicksPerSecond / 4) { continue }
                let picture = try VideoReader(path: path, info: info).picture(at: time)
                #expect(
                    picture.time == wanted.time && picture.bytes(ofPlane: 0) == wanted.bytes(ofPlane: 0),
                    "\(name): at \(time.seconds) s \(picture.time.seconds) s, not \(wanted.time.seconds) s")
            }
        }
        if let audio = info.audio {
            let count = audio.duration.rounded(rate: Rational(48_000))
            let all = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
                .samples(from: 0, count: count, channels: 1)[0]
            for _ in 0..<4 {
                let start = Int.random(in: 0..<max(1, count - 2400), using: &random)
                let some = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
                    .samples(from: start, count: 2400, channels: 1)[0]
                let worst = zip(some, all[start...]).map { abs($0 - $1) }.max() ?? 0
                #expect(worst < 1e-4, "\(name): \(worst) at sample \(start) of \(count)")
            }
        }
    }

    // MARK: Cases

    /// A recording alone: no frame of it is lost or doubled.
    private static let alone = groups.flatMap { $0 }

    @Test(arguments: [alone[0], alone[3], alone[7], alone[8], alone[10]])
    func nothingIsLostAtTheEnd(_ recording: Recording) throws {
        let path = try recording.make(lab)
        for format in recording.name.hasSuffix(".ts") ? ["", "m2ts"] : [""] {
            let file =
                format.isEmpty
                ? path : try lab.make("m.m2ts", ["-i", path, "-c", "copy", "-mpegts_m2ts_mode", "1", "-f", "mpegts"])
            let info = try Probe.probe(path: file)
            let (found, expected) = (try found(file, info), try expected(file))
            #expect(found.isNear(expected) && info.joints == nil, "\(file): \(found), but \(expected) is right")
            #expect(
                found.frames == recording.count && abs(found.picture - Double(recording.count) / Self.rate) < 0.03,
                "\(file): \(found)")
        }
    }

    /// Lengths of program streams for which the last pictures say no time.
    @Test(arguments: [2, 13, 24, 25, 26, 27]) func picturesWithoutTimesAreCounted(_ count: Int) throws {
        let path = try Recording(name: "n\(count).mpg", count: count, picture: Self.mpeg2, sound: nil).make(lab)
        let info = try Probe.probe(path: path)
        #expect(try frames(path, info).count == count && abs(info.duration.seconds - Double(count) / 25) < 0.01)
    }

    func join(_ recordings: [Recording]) throws -> (path: String, length: Int) {
        let parts = try recordings.map { try Data(contentsOf: URL(fileURLWithPath: try $0.make(lab))) }
        let suffix = (recordings[0].name as NSString).pathExtension
        return (try lab.write("joined.\(suffix)", parts.reduce(Data(), +)), parts[0].count)
    }

    /// Two recordings, one after the other: all of both, in order, and a warning that says where.
    @Test(arguments: [groups[0], groups[1], groups[3] + groups[3], groups[4]])
    func joinedRecordingsArePlayedOneAfterTheOther(_ recordings: [Recording]) throws {
        let pair = Array(recordings.prefix(2))
        let (path, _) = try join(pair)
        let info = try Probe.probe(path: path)
        let frames = try frames(path, info)
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        let numbers = try frames.map { Numbered.read(try converter.convert($0, info: try #require(info.video))) }
        #expect(numbers == pair.flatMap { Array(0..<$0.count) })
        let (found, expected) = (try found(path, info), try expected(path))
        #expect(found.isNear(expected), "\(found), but \(expected) is right")
        let warnings = Draft(showing: path).warnings(Catalog(media: [path: .found(info)])).map(\.description)
        #expect(
            warnings.count == 1 && warnings[0].contains("its clock jumps at ") && warnings[0].contains(" s back by "))
        guard case .clock(let clock)? = info.joints else { return #expect(Bool(false), "no jump is found") }
        #expect(clock.jumps.count == 1 && abs(clock.jumps[0].time.seconds - 3) < 0.1, "\(clock.jumps)")
        var random = SplitMix64(seed: Seed.announced(for: "joined recordings", cases: 4))
        try checkAccess(path, info, &random, path)
    }

    /// A clock that jumps within a recording, in the middle of a group of pictures: content and its
    /// order are the same.
    @Test(arguments: [1000, -500, -0.9, 95_443.7 - 2, 12]) func aClockThatJumpsIsFollowed(_ seconds: Double) throws {
        for recording in [Self.groups[0][0], Self.groups[1][0], Self.groups[4][0]] {
            let data = try Data(contentsOf: URL(fileURLWithPath: try recording.make(lab)))
            let isTransport = recording.name.hasSuffix(".ts")
            let ticks = Int64(seconds * 90_000)
            // The file's clock begins at 600 s, so that it can go back.
            let early = StampedAnew.moved(data, isTransport: isTransport, from: 0, by: 54_000_000)
            let moved = StampedAnew.moved(early, isTransport: isTransport, from: data.count / 2, by: ticks)
            let path = try lab.write("moved-" + recording.name, moved)
            let info = try Probe.probe(path: path)
            let (found, expected) = (try found(path, info), try expected(path))
            #expect(
                found.frames == recording.count && expected.frames == recording.count
                    && abs(found.picture - 3) < 0.1 && abs(found.sound - 3) < 0.1,
                "\(recording.name) by \(seconds) s: \(found), \(expected)")
            #expect(warns(info, path), "\(recording.name)")
            var random = SplitMix64(seed: Seed.announced(for: "jumps", cases: 4))
            try checkAccess(path, info, &random, path)
        }
    }

    /// The clock of a transport stream begins again after 2³³ ticks: that is no jump, and no reason
    /// for a warning.
    @Test func aClockThatWrapsRunsOn() throws {
        let recording = Self.groups[0][0]
        let data = try Data(contentsOf: URL(fileURLWithPath: try recording.make(lab)))
        for seconds in [1.0, 2.2] {
            let path = try lab.write(
                "wraps.ts",
                StampedAnew.moved(
                    data, isTransport: true, from: 0, by: 1 << 33 - Int64((1.48 + seconds) * 90_000)))
            let info = try Probe.probe(path: path)
            #expect(try found(path, info).frames == recording.count && !warns(info, path))
            #expect(abs(info.duration.seconds - 3) < 0.03, "\(info.duration.seconds)")
        }
    }

    /// Radio recordings: chained Ogg of equal and of different formats.
    @Test(arguments: [groups[6], groups[7], groups[8], [groups[6][1], groups[7][1], groups[8][1]]])
    func allLinksOfAChainAreHeard(_ recordings: [Recording]) throws {
        let (path, _) = try join(recordings)
        let info = try Probe.probe(path: path)
        let whole = recordings.reduce(0) { $0 + $1.length }
        #expect(abs(info.duration.seconds - whole) < 0.01 && !warns(info, path), "\(info.duration.seconds) s")
        let samples = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            .samples(from: 0, count: Int(whole * 48_000), channels: 1)[0]
        var start = 0.0
        for recording in recordings {
            let part = samples[Int((start + 0.1) * 48_000)..<Int((start + recording.length - 0.1) * 48_000)]
            let crossings = zip(part, part.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            let frequency = Double(crossings) / (recording.length - 0.2) / 2
            #expect(abs(frequency - Double(recording.tone)) < 4, "\(recording.name): \(frequency) Hz")
            start += recording.length
        }
        var random = SplitMix64(seed: Seed.announced(for: "chains", cases: 4))
        try checkAccess(path, info, &random, path)
    }

    // MARK: Random files

    private func bytes(
        _ group: [Recording], _ random: inout SplitMix64
    ) throws -> (Data, [String], isCut: Bool) {
        var (data, story, isCut) = (Data(), [String](), false)
        for _ in 0..<random.pick([1, 1, 2, 2, 3]) {
            let recording = random.pick(group)
            story.append("\(recording.name)@\(data.count)")
            data += try Data(contentsOf: URL(fileURLWithPath: try recording.make(lab)))
        }
        let suffix = (group[0].name as NSString).pathExtension
        if ["ts", "mpg", "vob"].contains(suffix) {
            for _ in 0..<random.pick([0, 1, 1, 2]) {
                let at = Int.random(in: 0..<data.count, using: &random)
                let ticks = Int64(random.pick([0.3, 5, 20, 500, 1000, 50_000]) * random.pick([90_000.0, -90_000]))
                data = StampedAnew.moved(data, isTransport: suffix == "ts", from: at, by: ticks)
                story.append("clock \(ticks) at \(at)")
            }
        }
        if random.chance(1, in: 3) {
            isCut = true
            let start = Int.random(in: 0..<data.count, using: &random)
            let end = min(data.count, start + Int.random(in: 1...max(1, data.count / 3), using: &random))
            if end - start < data.count * 3 / 4 { data = data[..<start] + data[end...] }
            story.append("without \(start)..<\(end)")
        }
        return (data, story, isCut)
    }

    private func tryRandom(_ count: Int) throws {
        try Seed.rounds(count, of: "joins, cuts and clock changes", tryRound)
    }

    private func tryRound(_ name: String, _ random: SplitMix64) throws {
        var random = random
        let group = random.pick(Self.groups)
        let (data, story, isCut) = try bytes(group, &random)
        let suffix = (group[0].name as NSString).pathExtension
        let path = try lab.write("random." + suffix, data)
        var expected = try expected(path)
        guard expected.frames > 0 || expected.sound > 0 else { return }
        let info = try Probe.probe(path: path)
        if case .links(let parts)? = info.joints {
            // FFmpeg 5.1 leaves gaps of up to a second between the parts of a chain, and counts
            // all of ADTS and MP3 at the first rate; each part alone is right.
            expected.sound = try parts.filter(\.isPlayed).reduce(0) { sum, part in
                let bytes = data[Int(part.start)..<Int(part.end)]
                return sum + (try self.expected(try lab.write("part." + suffix, bytes))).sound
            }
        }
        let found = try found(path, info)
        let isRight = found.isNear(expected)
        let isNamed = try isRight || warns(info, path) || isDamaged(path, info)
        #expect(isNamed, "\(name), \(story): \(found), but \(expected) is right")
        if !isCut {
            #expect(found.frames == expected.frames, "\(name), \(story): \(found), but \(expected) is right")
            try checkAccess(path, info, &random, "\(name), \(story)")
        }
    }

    /// A dozen of ``Sweep``'s.
    @Test func randomFiles() throws { try tryRandom(12) }

    @Suite struct Sweep {
        @Test func randomFiles() throws { try JoinedFileTests().tryRandom(500) }
    }
}

extension Draft {
    fileprivate init(showing path: String) {
        self.init()
        clips = [Clip(path: path)]
    }
}
