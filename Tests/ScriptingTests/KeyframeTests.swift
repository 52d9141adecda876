import Draft
import Foundation
import TestSupport
import Testing

@testable import Scripting

/// `map`, `smooth`, `follow` and `steady`, which make keyframes of what analysers find.
@Suite struct KeyframeTests {
    /// What a script prints.
    private static func lines(_ text: String) throws -> [String] {
        let environment = TestEnvironment()
        try run("local cutroom = require 'cutroom'\n\(text)\nreturn cutroom.draft 'a.mp4'", environment: environment)
        return environment.lines
    }

    private static func numbers(_ text: String) throws -> [Double] { try lines(text).compactMap { Double($0) } }

    @Test func `map changes values and keeps times and easings`() throws {
        let lines = try Self.lines(
            """
            local keys = cutroom.map({ { 0, { 1, 2 }, "ease_in" }, { 2, { 3, 4 } } }, function(a, b) return a + b end)
            for _, key in ipairs(keys) do print(key[1], key[2], key[3]) end
            print(cutroom.map({ { 1, 5 } }, function(x) return { x, x } end)[1][2][2], #cutroom.map({}, print))
            """)
        #expect(lines == ["0\t3\tease_in", "2\t7\tnil", "5\t0"])
    }

    /// Against the formula, in one dimension and two, at uneven times.
    @Test func `smooth is a local linear regression with Gaussian weights`() throws {
        let times = [0, 0.1, 0.15, 0.4, 0.5, 0.9, 1.4], values = [1.0, 4, 2, 8, -3, 5, 6]
        let keys = zip(times, values).map { "{ \($0), { \($1), \(2 * $1) } }" }.joined(separator: ", ")
        let found = try Self.numbers(
            "for _, key in ipairs(cutroom.smooth({ \(keys) }, 0.2)) do print(key[2][1]) print(key[2][2]) end")
        for (index, time) in times.enumerated() {
            let near = times.indices.filter { abs(times[$0] - time) <= 0.6 }
            let w = near.map { exp(-pow((times[$0] - time) / 0.2, 2) / 2) }
            func sum(_ power: Double, _ weigh: Bool) -> Double {
                zip(near, w).reduce(0) { $0 + $1.1 * pow(times[$1.0] - time, power) * (weigh ? values[$1.0] : 1) }
            }
            let expected =
                (sum(2, false) * sum(0, true) - sum(1, false) * sum(1, true))
                / (sum(0, false) * sum(2, false) - pow(sum(1, false), 2))
            #expect(
                abs(found[2 * index] - expected) < 1e-9 && abs(found[2 * index + 1] - 2 * expected) < 1e-9,
                "key \(index)")
        }
    }

    @Test func `smooth leaves straight lines as they are, to their ends`() throws {
        let found = try Self.numbers(
            """
            local keys = {}
            for i = 0, 60 do keys[i + 1] = { i / 30, 3 * i - 7 } end
            for i, key in ipairs(cutroom.smooth(keys, 0.4)) do print(key[2] - (3 * (i - 1) - 7)) end
            """)
        #expect(found.count == 61 && found.allSatisfy { abs($0) < 1e-9 })
    }

    @Test func `smooth calms noise, and a lone key or no time changes nothing`() throws {
        let found = try Self.numbers(
            """
            local keys = {}
            for i = 0, 60 do keys[i + 1] = { i / 30, (-1) ^ i } end
            print(math.abs(cutroom.smooth(keys, 0.1)[30][2]))
            print(cutroom.smooth({ { 3, 8 } }, 1)[1][2])
            print(cutroom.smooth(keys, 0)[4][2])
            print(#cutroom.smooth({}, 1))
            """)
        #expect(found[0] < 0.01 && Array(found[1...]) == [8, -1, 0], "\(found)")
    }

    /// Two faces change places in the list, one is lost for a while, and something else shows up
    /// far away.
    @Test func `follow keeps to one rectangle`() throws {
        let text = """
            local function frame(t, faces, smiles) return { time = 5 + t, faces = faces, smiles = smiles } end
            local a, b = { 0.1, 0.1, 0.2, 0.2 }, { 0.6, 0.5, 0.15, 0.2 }
            local function both(one, two, dx)
              return { one[1] + dx, one[2], one[3], one[4], two[1] + dx, two[2], two[3], two[4] }
            end
            local track = { start = 5, width = 640, height = 360, frames = {
              frame(0, both(a, b, 0), { 0.25, 0.75 }), frame(0.1, both(b, a, 0.02), { 0.75, 0.5 }), frame(0.2, {}, {}),
              frame(0.3, { 0.7, 0.7, 0.2, 0.2 }, { 1 }), frame(0.4, both(a, b, 0.04), { 1, 0 }), frame(2, { 0.7, 0.7, 0.2, 0.2 }, { 0 }) } }
            """
        func show(_ call: String) throws -> [String] {
            try Self.lines("\(text)\nfor _, key in ipairs(\(call)) do print(key[1], table.unpack(key[2])) end").map {
                $0.split(separator: "\t").map { "\((Double($0).map { ($0 * 1000).rounded() / 1000 }) ?? .nan)" }.joined(
                    separator: " ")
            }
        }
        #expect(
            try show("cutroom.follow(track, 'faces')")
                == ["0.0 0.1 0.1 0.2 0.2", "0.1 0.12 0.1 0.2 0.2", "0.4 0.14 0.1 0.2 0.2", "2.0 0.7 0.7 0.2 0.2"])
        #expect(
            try show("cutroom.follow(track, { 'faces', 'smiles' }, { at = { 0.7, 0.6 }, lost = 60 })")
                == ["0.0 0.6 0.5 0.15 0.2 0.75", "0.1 0.62 0.5 0.15 0.2 0.75", "0.4 0.64 0.5 0.15 0.2 0.0"])
        #expect(
            try Self.lines("print(cutroom.follow({ start = 0, frames = { { time = 0, faces = {} } } }, 'faces'))") == [
                "nil"
            ])
    }

    /// A camera that moves steadily and shakes: what is left is the steady part, and the zoom
    /// covers the largest correction.
    @Test func `steady takes the shake and leaves the way`() throws {
        let found = try Self.numbers(
            """
            local frames, x = {}, 0
            for i = 0, 89 do
              local shake = i == 0 and 0 or 0.01 * (-1) ^ i * 2
              frames[i + 1] = { time = i / 30, motion = { i == 0 and 0 or 0.002 + shake, 0, i == 0 and 0 or (-1) ^ i, 1.001 } }
            end
            local track = { start = 0, width = 640, height = 360, frames = frames }
            local steady = cutroom.steady(track, { seconds = 0.4 })
            local where, worst, before = 0, 0, nil
            for i = 1, 90 do
              where = where + frames[i].motion[1]
              local shown = where + steady.dx[i][2]
              if i > 20 and i < 70 then worst = math.max(worst, math.abs(shown - before - 0.002)) end
              before = shown
            end
            print(worst)
            print(steady.angle[45][2])
            print(steady.zoom[45][2])
            print(cutroom.steady(track, { zoom = 1 }).zoom[45][2])
            print(steady.dx[45][1])
            """)
        #expect(found[0] < 1e-4 && abs(abs(found[1]) - 0.5) < 0.01, "\(found)")
        // 0.5 of a width to each side less 0.01, turned by half a degree: 1 / 0.98 and a bit for
        // the corners.
        #expect(
            found[2] > 1.02 && found[2] < 1.06 && abs(found[3] - 1) < 1e-3 && abs(found[4] - 44.0 / 30) < 1e-9,
            "\(found)")
    }

    /// The stabiliser's recipe on an hour at 30 frames per second: 108 000 keys for each of four
    /// parameters in one call.
    @Test func `steady holds an hour still`() throws {
        let draft = try run(
            """
            local cutroom = require 'cutroom'
            local frames = {}
            for i = 0, 107999 do frames[i + 1] = { time = i / 30, motion = { i % 2 * 0.001, 0, 0, 1 } } end
            local track = { start = 0, width = 640, height = 360, frames = frames }
            local draft = cutroom.draft 'a.mp4'
            draft:add_effect("org.cutroom.transform", cutroom.steady(track, { seconds = 0.35 }))
            return draft
            """, limits: ScriptLimits(time: .seconds(300))
        ).draft
        guard case .picture(.filter(let effect)) = draft.effects[0].kind,
            case .numbers(let values)? = effect.parameters["zoom"]
        else {
            Issue.record("\(draft.effects)")
            return
        }
        #expect(values.keyValues.count == 108_000)
    }

    @Test(arguments: [
        ("cutroom.smooth(nil, 1)", "cutroom.smooth wants a list of keyframes { time, value }, but was given nothing"),
        ("cutroom.smooth({ { 0, 1 } })", "cutroom.smooth wants seconds, 0 or more, but was given nothing"),
        ("cutroom.smooth({ { 0, 1 } }, -1)", "cutroom.smooth wants seconds, 0 or more, but was given -1"),
        (
            "cutroom.smooth({ { 0, 1 }, { 0, 2 } }, 1)",
            "in order of time and with values alike, but number 2 is not one"
        ),
        ("cutroom.smooth({ { 0, 1 }, { 1, { 1, 2 } } }, 1)", "but number 2 is not one"),
        ("cutroom.smooth({ 5 }, 1)", "but number 1 is not one"),
        ("cutroom.map({ { 0, 1 } })", "cutroom.map wants keyframes and a function of their values"),
        ("cutroom.map({ { 0, 1 } }, function() end)", "cutroom.map: the function gives nothing for key 1"),
        ("cutroom.follow({}, 'faces')", "cutroom.follow wants what cutroom.analyse gives, but was given a table"),
        (
            "cutroom.follow({ start = 0, frames = { { time = 0 } } }, 'faces')",
            "cutroom.follow: a frame of the track has no list ‘faces’"
        ),
        ("cutroom.follow({ start = 0, frames = {} }, 'faces', { los = 1 })", "cutroom.follow has no option ‘los’"),
        (
            "cutroom.follow({ start = 0, frames = {} }, 'faces', { at = 1 })",
            "cutroom.follow wants { x, y } for ‘at’, each 0 … 1"
        ),
        (
            "cutroom.steady({ start = 0, width = 640, height = 360, frames = { { time = 0, motion = { 0, 0, 0, 0 } } } })",
            "cutroom.steady: ‘motion’ of frame 1 of the track is not { dx, dy, angle, scale } with a scale above 0"
        ),
        (
            "cutroom.steady({ start = 0, width = 640, height = 360, frames = { { time = 0, motion = {} } } })",
            "‘motion’ of frame 1"
        ),
        ("cutroom.steady(nil)", "cutroom.steady wants what cutroom.analyse gives, but was given nothing"),
        (
            "cutroom.steady({ start = 0, frames = {} }, { zoom = 0.5 })",
            "cutroom.steady wants 1 or more for ‘zoom’, but was given 0.5"
        ),
    ])
    func `a mistake is told at its line`(line: String, sentence: String) throws {
        let error = try #require(failure("local cutroom = require 'cutroom'\n\(line)\nreturn cutroom.draft 'a.mp4'"))
        #expect(error.line == 2 && error.description.contains(sentence), "\(error)")
    }

    @Test func `they work where a script has changed the globals`() throws {
        let found = try Self.lines(
            "pairs, math.exp, type, table.unpack, math.max = nil\nprint(cutroom.smooth({ { 0, 1 }, { 1, 1 } }, 1)[1][2])"
        )
        #expect(found == ["1.0"])
    }
}
