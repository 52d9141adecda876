import Draft
import Foundation
import HostCore
import Recording
import RecordingHost
import TestSupport
import Testing
import Values

/// The files of a recording: its draft and the folder of its takes.
@Suite struct RecordedDraftTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var draft: RecordedDraft { RecordedDraft(path: folder.file("talk.cutroom")) }

    private func file(_ number: Int) -> String { folder.file("talk.takes/000\(number).mp4") }

    /// The number in a take's name.
    private func number(_ path: String) -> Int? {
        (1...9).first { file($0) == path }
    }

    private func add(_ number: Int, _ settings: TakeSettings = TakeSettings()) throws {
        try draft.add(
            Take(number: number, settings: settings), file: file(number),
            place: { path in self.number(path).map { [$0, $0] } })
    }

    private var clips: [Int?] { get throws { try draft.read().clips.map { number($0.path) } } }

    @Test func `sound alone is an audio clip, and moves with the takes before it`() throws {
        let second = Time(flicks: Time.flicksPerSecond)
        func add(_ number: Int, at start: Time, moving moves: [RecordedDraft.Move] = []) throws {
            var take = Take(number: number, settings: TakeSettings(speed: Rational(2), volume: 0.5))
            take.state = .joined(
                RecordedFile(name: "000\(number).mp4", duration: second, size: 1, hasPicture: false))
            try draft.add(take, file: file(number), start: start, moving: moves) { _ in nil }
        }
        func starts() throws -> [String: Time] {
            Dictionary(uniqueKeysWithValues: try draft.read().audio.map { ($0.path, $0.startTime) })
        }
        try add(1, at: .zero)
        try add(2, at: second)
        try add(2, at: .zero)
        #expect(try draft.read().clips.isEmpty && starts() == [file(1): .zero, file(2): second])
        #expect(try draft.read().audio.allSatisfy { $0.speed == Rational(2) && $0.sound.volume == .constant(0.5) })
        let back = RecordedDraft.Move(file: file(2), from: second, to: .zero)
        try draft.remove(file: file(1), moving: [back])
        #expect(try starts() == [file(2): .zero])
        // What somebody has moved stays there.
        try add(1, at: .zero, moving: [back])
        #expect(try starts() == [file(1): .zero, file(2): .zero])
    }

    // MARK: Second pictures

    private static func seconds(_ count: Double) -> Time {
        Time(flicks: Int64(count * Double(Time.flicksPerSecond)))
    }

    /// Adds a take with a second picture.
    private func add(
        _ number: Int, lasting length: Double, second: Double? = nil, speed: Int64 = 1, _ lengths: [String: Time]
    ) throws -> String? {
        var take = Take(number: number, settings: TakeSettings(speed: Rational(speed)))
        take.state = .joined(
            RecordedFile(
                name: "000\(number).mp4", duration: Self.seconds(length), size: 1,
                second: Self.seconds(second ?? length)))
        return try draft.add(take, file: file(number), lengths: lengths) { path in
            self.number(path).map { [$0, $0] }
        }
    }

    /// Where the layers of second pictures begin, by the numbers of their takes.
    private var layers: [Int: Double] {
        get throws {
            let layers = try draft.read().effects.compactMap(\.layer)
            return Dictionary(
                uniqueKeysWithValues: layers.map { layer in
                    ((1...9).first { Take.second(of: file($0)) == layer.clip.path } ?? 0, layer.start.seconds)
                })
        }
    }

    private func edit(_ change: (inout Draft) -> Void) throws {
        var edited = try draft.read()
        change(&edited)
        try folder.write(edited.document(in: folder.path), to: "talk.cutroom")
    }

    @Test func `layers of second pictures stay over the clips of their takes`() throws {
        let recorded = [file(1): Self.seconds(10), file(2): Self.seconds(4), file(3): Self.seconds(2)]
        try FileManager.default.createDirectory(atPath: folder.file("talk.takes"), withIntermediateDirectories: true)
        for number in 1...3 { try folder.write("", to: "talk.takes/000\(number).second.mp4") }
        var intro = Clip(path: folder.file("intro.png"))
        intro.content = .image(duration: Self.seconds(5))
        try folder.write(Draft().document(in: folder.path), to: "talk.cutroom")
        try edit { $0.clips = [intro] }
        #expect(try add(1, lasting: 10, speed: 2, recorded) == nil)
        #expect(try add(2, lasting: 4, recorded) == nil)
        #expect(try layers == [1: 5, 2: 10])
        // A user cuts the first take, puts a dissolve between the two, and moves a layer.
        try edit { draft in
            draft.clips[1].content = .media(range: TimeRange(start: Self.seconds(1), duration: Self.seconds(7)))
            draft.clips[2].transition = Transition(duration: Self.seconds(0.5))
            draft.effects = draft.effects.map { effect in
                guard case .layer(var layer) = effect.kind, layer.clip.path == Take.second(of: file(2)) else {
                    return effect
                }
                layer.start = Self.seconds(8.25)
                return Effect(.layer(layer))
            }
        }
        #expect(try add(3, lasting: 2, recorded) == nil)
        #expect(try layers == [1: 5, 2: 8.25, 3: 12])
        try draft.remove(file: file(1), lengths: recorded)
        // The dissolve has the image now, for as long.
        #expect(try layers == [2: 4.75, 3: 8.5])
        #expect(try add(1, lasting: 10, speed: 2, recorded) == nil)
        #expect(try layers == [1: 5, 2: 9.75, 3: 13.5])
        for _ in 1...2 { try draft.remove(file: file(2), lengths: recorded) }
        #expect(try layers == [1: 5, 3: 10])
    }

    @Test func `a second picture that cannot be placed well has a warning`() throws {
        try FileManager.default.createDirectory(atPath: folder.file("talk.takes"), withIntermediateDirectories: true)
        for number in 1...2 { try folder.write("", to: "talk.takes/000\(number).second.mp4") }
        let recorded = [file(1): Self.seconds(4), file(2): Self.seconds(4), file(3): Self.seconds(4)]
        // It is longer than its take, and the draft plays faster at the end.
        try folder.write(Draft().document(in: folder.path), to: "talk.cutroom")
        try edit { $0.effects = [Effect(.speed(Rational(2)), range: nil)] }
        #expect(try add(1, lasting: 4, second: 4.25, recorded) == nil)
        let made = try draft.read()
        let range = TimeRange(start: .zero, duration: Self.seconds(4))
        #expect(made.effects.count == 2 && made.effects[0].layer?.clip.content == .media(range: range))
        // The length of a film is not known here.
        try edit { $0.clips.insert(Clip(path: folder.file("intro.mp4")), at: 0) }
        let warning = try add(2, lasting: 4, recorded)
        #expect(
            warning?.hasPrefix("The second picture of take 2 begins at 4 s, and may not") == true, "\(warning ?? "")")
        #expect(try layers == [1: 0, 2: 4])
        let missing = try add(3, lasting: 4, recorded)
        #expect(missing?.contains("0003.second.mp4’ is missing") == true, "\(missing ?? "")")
        #expect(try layers == [1: 0, 2: 4])
    }

    @Test func `clips are added in the order of their takes, among others`() throws {
        try add(2)
        var other = try draft.read()
        other.clips.insert(Clip(path: folder.file("intro.mp4")), at: 0)
        other.clips.append(Clip(path: folder.file("outro.mp4")))
        try folder.write(other.document(in: folder.path), to: "talk.cutroom")
        try add(4)
        try add(1)
        try add(3)
        #expect(try clips == [nil, 1, 2, 3, 4, nil])
        try add(3)
        #expect(try clips == [nil, 1, 2, 3, 4, nil])
        try draft.remove(file: file(2))
        try draft.remove(file: file(2))
        #expect(try clips == [nil, 1, 3, 4, nil])
    }

    @Test func `a take comes where the one is that it replaces`() throws {
        for number in 1...3 { try add(number) }
        let places = [1: [1, 1], 2: [2, 2], 3: [3, 3], 4: [2, 4]]
        func addFourth() throws {
            try draft.add(Take(number: 4, settings: TakeSettings(), replaces: 2), file: file(4)) { path in
                number(path).flatMap { places[$0] }
            }
        }
        try addFourth()
        #expect(try clips == [1, 2, 4, 3])
        try draft.remove(file: file(4))
        try draft.remove(file: file(2))
        try addFourth()
        #expect(try clips == [1, 4, 3])
    }

    @Test func `a clip has its take's speed and volume, and a relative path`() throws {
        try add(1, TakeSettings(speed: Rational(3, 2), volume: 0.5))
        let clip = try #require(try draft.read().clips.first)
        #expect(clip.speed == Rational(3, 2) && clip.sound.volume == .constant(0.5) && clip.path == file(1))
        let text = try String(contentsOfFile: draft.path, encoding: .utf8)
        #expect(text.contains("\"talk.takes/0001.mp4\"") && !text.contains(folder.path), "\(text)")
    }

    @Test func `what was edited meanwhile stays`() throws {
        try add(1)
        var edited = try draft.read()
        edited.canvas.frameRate = Rational(25)
        edited.clips[0].isReversed = true
        try folder.write(edited.document(in: folder.path), to: "talk.cutroom")
        try add(2)
        let found = try draft.read()
        #expect(found.canvas.frameRate == Rational(25) && found.clips[0].isReversed && found.clips.count == 2)
    }

    @Test func `a broken draft is left alone`() throws {
        try folder.write("{ \"cutroom\": 2, ", to: "talk.cutroom")
        #expect(throws: HostError.self) { try add(1) }
        #expect(throws: HostError.self) { try draft.remove(file: file(1)) }
        #expect(try String(contentsOfFile: draft.path, encoding: .utf8) == "{ \"cutroom\": 2, ")
        #expect(folder.names == ["talk.cutroom"])
    }

    @Test func `the journal goes on after a line that was cut off`() throws {
        let begun = JournalRecord.begun(take: 1, TakeSettings())
        do {
            let takes = try TakeFolder(draft: draft.path)
            #expect(try takes.records() == [])
            try takes.append(begun)
        }
        let journal = folder.file("talk.takes/journal.jsonl")
        let handle = try #require(FileHandle(forWritingAtPath: journal))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"event":"part","ta"#.utf8))
        try handle.close()
        let takes = try TakeFolder(draft: draft.path)
        #expect(try takes.records() == [begun])
        try takes.append(.dropped(take: 1))
        #expect(try takes.records() == [begun, .dropped(take: 1)])
    }

    @Test func `files are discarded, restored and removed, each also twice`() throws {
        let takes = try TakeFolder(draft: draft.path)
        try folder.write("take", to: "talk.takes/0001.mp4")
        for _ in 1...2 { try takes.discard("0001.mp4") }
        #expect(!takes.has("0001.mp4"))
        for _ in 1...2 { try takes.restore("0001.mp4") }
        #expect(takes.has("0001.mp4"))
        try takes.discard("0001.mp4")
        for _ in 1...2 { takes.removeDiscarded("0001.mp4") }
        #expect(!FileManager.default.fileExists(atPath: takes.path + "/discarded") && !takes.has("0001.mp4"))
        takes.remove(["0001.mp4", "none.mp4"])
    }

    @Test func `the file of a second picture goes with its take's`() throws {
        let takes = try TakeFolder(draft: draft.path)
        let names = ["0001.mp4", "0001.second.mp4"]
        func write() throws { for name in names { try folder.write("take", to: "talk.takes/" + name) } }
        try write()
        try takes.discard("0001.mp4")
        #expect(!names.contains { takes.has($0) })
        try takes.restore("0001.mp4")
        #expect(names.allSatisfy { takes.has($0) })
        try takes.discard("0001.mp4")
        takes.removeDiscarded("0001.mp4")
        #expect(!FileManager.default.fileExists(atPath: takes.path + "/discarded"))
        try write()
        try takes.keep(["0001.second.mp4"])
        takes.remove(["0001.mp4"])
        #expect(!names.contains { takes.has($0) } && takes.has("0001.second.mp4.damaged"))
        #expect(!takes.has("0001.mp4.damaged"))
    }

    @Test func `a folder has one recorder`() throws {
        let takes = try TakeFolder(draft: draft.path)
        #expect(throws: HostError.self) { _ = try TakeFolder(draft: draft.path) }
        withExtendedLifetime(takes) {}
    }

    @Test func `a folder that cannot be made has its sentence`() throws {
        let error = #expect(throws: HostError.self) { _ = try TakeFolder(draft: "/proc/none/talk.cutroom") }
        #expect(error?.message.contains("‘/proc/none/talk.takes’ cannot be made") == true)
    }
}
