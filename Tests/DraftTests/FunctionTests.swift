import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct FunctionTests {
    private let catalog = RandomDraft.catalog

    @Test func becomesAKeyAtEveryFrameThatShowsTheObject() throws {
        var title = Title("x")
        title.opacity = .function(7)
        var draft = Draft(
            [.sound(0, 2)], effects: [Effect(.picture(.title(title)), range: range(0.5, 1)), .speed(Rational(2))])
        draft.clips[0].volume = .function(8)
        #expect(draft.hasFunctions)
        var asked: [Int: [Double]] = [:]
        var objects: Set<String> = []
        let replaced = try draft.replacingFunctions(catalog) { (id, time, object) throws(Problem) in
            asked[id, default: []].append(time)
            objects.insert(object)
            return [time / 4]
        }
        #expect(!replaced.hasFunctions && objects == ["clip 1", "effect 1"])
        #expect(asked[8]?.count == 30 && asked[7]?.count == 15, "played at double speed")
        guard case .picture(.title(let result)) = replaced.effects[0].kind, case .keyframes(let keys) = result.opacity
        else {
            Issue.record("no keyframes")
            return
        }
        let timeline = try Timeline(replaced, catalog: catalog)
        let clock = timeline.local(ofEffect: 0)
        for frame in 0..<timeline.frameCount {
            let time = Time(frame: frame, rate: Rational(30))
            guard let piece = clock.piece(at: Time(middleOfFrame: frame, rate: Rational(30))) else { continue }
            let local = max(.zero, piece.content(at: time))
            #expect(
                keys.contains { $0.time == local } && abs(result.opacity.scalar(at: local) - local.seconds / 4) < 1e-9)
        }
    }

    @Test func aRepeatAsksOnceForEachOfTheObjectsTimes() throws {
        var draft = Draft([.sound(0, 2)], effects: [.repeat(3)])
        draft.clips[0].volume = .function(1)
        var count = 0
        _ = try draft.replacingFunctions(catalog) { (_, _, _) throws(Problem) in
            count += 1
            return [1]
        }
        #expect(count == 60)
    }

    @Test func everyPlaceIsReached() throws {
        var clip = Clip.sound(0, 1)
        clip.effects = [.plugin("org.test.pure", ["amount": .numbers(.function(3))])]
        var music = AudioClip(path: "/m/music.m4a", startTime: seconds(0.5))
        music.volume = .function(4)
        var unheard = AudioClip(path: "/m/music.m4a", startTime: seconds(5))
        unheard.volume = .function(5)
        let sticker = Sticker(path: "/m/emoji.png", rect: .function(6), opacity: .function(2))
        let look = Look(path: "/m/look.png", intensity: .function(1))
        let draft = Draft(
            [clip], effects: [Effect(.picture(.lut(look))), Effect(.picture(.sticker(sticker)))],
            audio: [music, unheard])
        var asked: [Int: [Double]] = [:]
        let replaced = try draft.replacingFunctions(catalog) { (id, time, _) throws(Problem) in
            asked[id, default: []].append(time)
            return id == 6 ? [10 * time, 0, 8, 8] : [0.5]
        }
        #expect(!replaced.hasFunctions && Set(asked.keys) == [1, 2, 3, 4, 5, 6])
        #expect(asked[4]?.count == 15 && asked[4]?.first == 0 && asked[5] == [0])
        #expect(replaced.validate(catalog).isEmpty)
    }

    /// A function for a clip gets the clip's time, and one for an overlay the time of its range.
    @Test func whatIsGenerated() throws {
        let made = { PluginEffect(effectID: "org.test.made", parameters: ["amount": .numbers(.function($0))]) }
        var draft = Draft([.sound(0, 1), Clip(made(1), duration: seconds(2))])
        draft.effects = [
            Effect(.picture(.overlay(SourceOverlay(made(2), opacity: .function(3)))), range: range(1, 1)),
            .speed(Rational(2)),
        ]
        var asked: [Int: [Double]] = [:]
        var objects: Set<String> = []
        let replaced = try draft.replacingFunctions(catalog) { (id, time, object) throws(Problem) in
            asked[id, default: []].append(time)
            objects.insert(object)
            return [time / 4]
        }
        #expect(!replaced.hasFunctions && objects == ["clip 2", "effect 1"] && replaced.validate(catalog).isEmpty)
        #expect(asked[1]?.count == 30 && asked[2]?.count == 15 && asked[3]?.count == 15)
        #expect(asked[1]?.first == 0 && asked[1]?.last == 58.0 / 30)
    }

    /// Once for each frame that sounds with it, in the effect's own time.
    @Test func anAudioClipsFilter() throws {
        var music = AudioClip(path: "/m/music.m4a", startTime: seconds(0.5))
        music.effects = [.sound("org.test.echo", ["amount": .numbers(.function(7))], range(0.25, 0.5))]
        var asked: [Double] = []
        let draft = try Draft([.sound(0, 2)], audio: [music]).replacingFunctions(catalog) {
            (function, time, object) throws(Problem) in
            #expect(function == 7 && object == "audio 1, effect 1")
            asked.append(time)
            return [0.5]
        }
        #expect(asked.count == 15 && asked.first == 0 && asked.allSatisfy { $0 < 0.5 })
        #expect(!draft.hasFunctions && draft.validate(catalog).isEmpty)
    }

    @Test(arguments: [[], [Double.nan], [.infinity]])
    func whatIsNoNumberIsAProblem(value: [Double]) throws {
        var draft = Draft([.sound(0, 1)])
        draft.clips[0].volume = .function(1)
        let problem = #expect(throws: Problem.self) {
            try draft.replacingFunctions(catalog) { (_, _, _) throws(Problem) in value }
        }
        #expect(problem?.description == "clip 1: the function of time of ‘volume’ gave no number at 0 s")
    }

    @Test func anotherNumberOfComponentsIsAProblem() throws {
        var draft = Draft([.sound(0, 1)])
        draft.clips[0].volume = .function(1)
        #expect(throws: Problem.self) {
            try draft.replacingFunctions(catalog) { (_, time, _) throws(Problem) in time > 0.5 ? [1, 2] : [1] }
        }
    }

    @Test func aBrokenDraftIsReported() {
        var draft = Draft([])
        #expect(!draft.hasFunctions)
        draft.audio = [AudioClip(path: "/m/broken.mp4")]
        draft.audio[0].volume = .function(1)
        #expect(throws: Problems.self) { try draft.replacingFunctions(catalog) { (_, _, _) throws(Problem) in [1] } }
    }
}
