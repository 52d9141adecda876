import Draft
import TestSupport
import Testing

@testable import Scripting

/// Whatever a script passes to whatever function, the answer is a value or an error with a place.
@Suite struct RandomCallTests {
    private static let values = [
        "nil", "true", "false", "0", "1", "2", "-1", "1.5", "1e300", "-1e300", "0/0", "1/0", "math.mininteger",
        "math.maxinteger", "''",
        "'a.mp4'", "'photo.jpg'", "'music.m4a'", "'look.png'", "'opening'", "'speed'", "'5/2s'", "'1/0s'", "'1/0'",
        "'#fff'", "'\\xff'", "'a\\0'",
        "{}", "{ 0, 1 }", "{ 1, -1 }", "{ 0/0, 1 }", "{ 1e300, 1e300 }", "{ { 0, 1 }, { 1, 0 } }",
        "{ { 1, { 1, 2 } } }", "{ {} }",
        "{ 'dissolve', 1 }", "{ speed = 2 }", "{ range = { 1, 2 } }", "{ duration = 1e-9 }", "{ duration = 1 }",
        "{ index = 1 }", "{ id = 'x' }",
        "{ factor = 1e9 }", "{ factor = 2 }", "{ count = 3 }", "{ count = 1e18 }", "{ image = 'look.png' }",
        "{ image = 'emoji.png', rect = { 0, 0, 1e9, 1 } }", "{ image = 'emoji.png', rect = { 0, 0, 9, 9 } }",
        "{ size = { 2, 2 } }",
        "{ aspect = { 1e-300, 1 } }", "{ effects = { { 'lut', { image = 'look.png' } } } }",
        "{ strength = function(t) return t end }",
        "function(t) return t end", "function() error('x') end", "draft", "other", "draft.clips", "draft.clips[1]",
        "other.clips[1]", "print",
        "coroutine.create(print)", "setmetatable({}, { __index = function() return 1 end })", "draft.audio[1]",
        "draft.effects[1]",
    ]
    private static let methods = [
        "add_clip", "add_image", "add_audio", "add_effect", "add_title", "clip", "audio_clip", "effect", "remove_clip",
        "move_clip",
        "remove_audio", "move_audio", "remove_effect", "move_effect", "apply_effects", "remove_effects", "validate",
        "begin", "commit",
        "cancel", "transaction",
    ]
    private static let properties = [
        "id", "range", "speed", "duration", "volume", "fade_in", "fade_out", "mode", "transition", "effects", "at",
        "loop", "keep_pitch",
        "factor", "count", "image", "intensity", "rect", "opacity", "text", "size", "color", "position", "width",
        "strength", "offset",
        "start", "path", "kind", "source_range", "fps", "background", "time_range", "export", "clips",
        "original_duration", "nonsense",
    ]

    @Test func `random calls never do harm`() throws {
        let seed = Seed.announced(for: "RandomCallTests", cases: 40)
        for round in 0..<40 {
            var random = SplitMix64.forCase(round, of: seed)
            var lines = [
                "local cutroom = require 'cutroom' local draft = cutroom.draft('a.mp4') local other = cutroom.draft('b.mp4')",
                "draft:add_clip('b.mp4', { id = 'opening' }) draft:add_audio('music.m4a') draft:add_effect('speed', { factor = 2 })",
                "local function try(f) local ok, m = pcall(f) if not ok then assert(tostring(m):find('^.*edit.lua:%d+: '), m) end end",
            ]
            for _ in 0..<150 {
                let (a, b) = (random.pick(Self.values), random.pick(Self.values))
                let object = random.pick([
                    "draft", "draft", "draft.clips[1]", "draft.audio[1]", "draft.effects[1]", "draft.effects[2]",
                ])
                let property = random.pick(Self.properties)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1: lines.append("try(function() draft:\(random.pick(Self.methods))(\(a), \(b)) end)")
                case 2: lines.append("try(function() \(object).\(property) = \(a) end)")
                case 3: lines.append("try(function() return \(object).\(property), \(object)[\(a)] end)")
                case 4:
                    lines.append(
                        "try(function() cutroom.\(random.pick(["draft", "open", "probe", "params"]))(\(a), \(b)) end)")
                default:
                    lines.append(
                        "try(function() return draft.clips[\(a)], #draft.effects, draft.duration, draft:validate() end)"
                    )
                }
            }
            lines.append("while pcall(draft.commit, draft) do end return draft")
            do {
                let result = try run(lines.joined(separator: "\n"), limits: ScriptLimits(time: .seconds(60)))
                _ = result.draft.validate(result.catalog)
            } catch let error as ScriptError {
                // What a function of time does wrong shows when it is sampled, after the script has
                // ended.
                #expect(
                    error.message.contains("function of time") || error.description.contains(" s: "),
                    "\(error) in round \(round)")
            }
        }
    }
}
