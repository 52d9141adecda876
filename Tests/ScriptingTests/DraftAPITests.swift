import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Scripting

@Suite struct DraftAPITests {
    private func paths(_ draft: Draft) -> String {
        draft.clips.map { $0.path.split(separator: "/").last?.first.map(String.init) ?? "" }.joined()
    }

    @Test func `a draft from a file, an image and a list`() throws {
        let result = try run(
            """
            local cutroom = require "cutroom"
            assert(#cutroom.draft("a.mp4").clips == 1)
            assert(cutroom.draft("photo.jpg").clips[1].duration == 3)
            return cutroom.draft({ "a.mp4", "photo.jpg", { media = "b.mp4", speed = 2 }, { image = "photo.png", duration = 1 } }, { fps = 24 })
            """)
        #expect(paths(result.draft) == "apbp")
        #expect(result.draft.clips.map(\.isImage) == [false, true, false, true])
        #expect(result.draft.clips[2].speed == Rational(2))
        #expect(result.draft.canvas.frameRate == Rational(24))
    }

    @Test func `clips are added, found, moved and removed`() throws {
        let result = try run(
            """
            \(twoClips)
            draft:add_clip("c.mp4", { index = 1, id = "intro" })
            assert(#draft.clips == 3 and draft.clips.intro == draft.clips[1] and draft:clip("intro") == draft.clips.intro)
            assert(draft.clips.nobody == nil and draft.clips[0] == nil and draft.clips[4] == nil and draft.clips[1.5] == nil)
            local order = {}
            for i, clip in ipairs(draft.clips) do order[i] = clip.path:match("(%a)%.mp4$") end
            for i, clip in pairs(draft.clips) do assert(clip == draft.clips[i]) end
            assert(table.concat(order) == "cab")
            local b = draft.clips[3]
            draft:move_clip(3, 1)
            assert(b == draft.clips[1] and b.start == 0)
            draft:move_clip("intro", 3)
            draft:move_clip(b, 2)
            assert(tostring(b) == "clip 2" and tostring(draft.clips.opening) == "clip 1 (opening)")
            draft:remove_clip("opening")
            draft:remove_clip(draft.clips.intro)
            assert(#draft.clips == 1 and b == draft.clips[1])
            draft:add_clip("a.mp4")
            return draft
            """)
        #expect(paths(result.draft) == "ba")
    }

    @Test func `audio clips and effects have the same`() throws {
        let result = try run(
            """
            \(twoClips)
            draft:add_audio("music.m4a", { id = "song" })
            draft:add_audio("a.mp4", { id = "voice", index = 1 })
            draft:move_audio("song", 1)
            assert(draft.audio[1].id == "song" and draft:audio_clip(2).id == "voice" and #draft.audio == 2)
            draft:remove_audio(2)
            draft:add_effect("speed", { factor = 2, id = "fast" })
            draft:add_effect("lut", { image = "look.png", index = 1 })
            draft:add_title("Hi", { index = 2 })
            draft:move_effect(3, 1)
            assert(draft:effect("fast") == draft.effects[1] and draft.effects[3].kind == "title")
            draft:remove_effect(draft.effects[3])
            return draft
            """)
        #expect(result.draft.audio.map(\.id) == ["song"])
        #expect(result.draft.effects.map(\.kindName) == ["speed", "lut"])
    }

    /// One that is added later comes before it; wrong orders are found when the draft is checked,
    /// at the effect's own line.
    @Test func `a pass-through effect stays the last`() throws {
        let result = try run(
            """
            \(twoClips)
            local look = draft:add_effect("lut", { image = "look.png", pass_through = true })
            draft:add_title("Hi")
            draft:add_effect("speed", { factor = 2 })
            assert(draft.effects[3] == look and look.pass_through and not draft.effects[1].pass_through)
            draft:add_effect("repeat", { count = 2, index = 1 })
            assert(#draft:validate() == 0)
            draft:move_effect(look, 2)
            local problem = draft:validate()[1]
            assert(problem.line == 4 and problem.message:find("but effect 3 (title) comes after it", 1, true), problem.message)
            draft:move_effect(look, 4)
            return draft
            """)
        #expect(result.draft.effects.map(\.kindName) == ["repeat", "title", "speed", "lut"])
        #expect(result.draft.effects.map(\.isPassThrough) == [false, false, false, true])
        for (line, words) in [
            (
                "local e = draft:add_effect('lut', { image = 'look.png', pass_through = true })\ne.range = { 0, 1 }",
                "has the range 0–1 s"
            ),
            ("draft:add_effect('speed', { factor = 2 })\ndraft.effects[1].pass_through = true", "changes time"),
            (
                "\ndraft.clips[1].effects = { { 'lut', { image = 'look.png', pass_through = true } } }",
                "draft's effect list"
            ),
            (
                "\ndraft:add_audio('music.m4a', { effects = { { 'lut', { image = 'look.png', pass_through = true } } } })",
                "draft's effect list"
            ),
        ] {
            let refused = failure(twoClips + line)
            #expect(
                refused?.line == 4 && refused?.message.contains(words) == true, "\(refused.map { "\($0)" } ?? line)")
        }
        let wrong = failure(twoClips + "draft:add_effect('lut', { image = 'look.png', pass_through = 3 })")
        #expect(wrong?.message.contains("‘pass_through’ is 3, but must be true or false") == true)
    }

    @Test func `times are mapped in both directions`() throws {
        try run(
            """
            \(twoClips)
            draft:add_effect("speed", { range = { 4, 4 }, factor = 2 })
            draft:add_effect("repeat", { range = { 0, 1 }, count = 3 })
            assert(draft.original_duration == 18 and draft.duration == 18)
            assert(draft:apply_effects(0) == 0 and draft:apply_effects(6) == 7 and draft:apply_effects(8) == 8)
            assert(draft:apply_effects(100) == nil and draft:apply_effects { 17, 2 } == nil)
            assert(draft:remove_effects(18) == 18 and draft:remove_effects(18.1) == nil and draft:remove_effects(100) == nil)
            assert(draft:remove_effects { 17, 2 } == nil and draft:remove_effects { 100, 1 } == nil)
            assert(draft:remove_effects(7) == 6 and draft:remove_effects(1.5) == 0.5)
            local range = draft:apply_effects { 4, 4 }
            assert(range[1] == 6 and range[2] == 2)
            range = draft:remove_effects { 6, 2 }
            assert(range[1] == 4 and range[2] == 4)
            return draft
            """)
    }

    @Test func `a time range beside the timeline is a problem at its line`() throws {
        try run(
            """
            \(twoClips)
            draft.time_range = { 500, 1 }
            local problem = draft:validate()[1]
            assert(problem.message:find("time_range", 1, true) and problem.line == 4, problem.line)
            draft.time_range = nil
            return draft
            """)
    }

    @Test func `a transparent background is a problem at its line, but not in a draft inside`() throws {
        try run(
            """
            \(twoClips)
            draft.background = "transparent"
            local problem = draft:validate()[1]
            assert(problem.message:find("#00000000", 1, true) and problem.line == 4, problem.line)
            draft.background = nil
            local card = cutroom.draft({ "a.mp4" }, { background = "#ff000080" })
            draft:add_clip(card)
            assert(#draft:validate() == 0)
            return draft
            """)
    }

    // MARK: Reading gives a copy

    private static let filled =
        twoClips + """
            draft.export = { video = { codec = "hevc" } }
            draft.clips[1].range = { 1, 2 }; draft.clips[1].effects = { { "lut", { image = "look.png" } } }
            draft:add_effect("org.cutroom.rgb_split", { offset = { 4, 0 }, range = { 0, 1 } })

            """

    @Test(arguments: [
        ("draft.export.video = { quality = 20 }", "draft.export"), ("draft.export.video.quality = 20", "draft.export"),
        ("draft.export.network_use = false", "draft.export"), ("draft.size[1] = 640", "draft.size"),
        ("draft.clips[1].range[1] = 0", "clip.range"), ("local r = draft.clips[1].range; r[2] = 1", "clip.range"),
        ("draft.clips[1].effects[1].image = 'look.cube'", "clip.effects"),
        ("draft.effects[1].offset[1] = 2", "effect.offset"), ("draft.effects[1].range.start = 2", "effect.range"),
        ("draft.clips[1].source_range[1] = 2", "clip.source_range"),
    ])
    func `writing into a copy is refused`(assignment: String, property: String) {
        let error = failure(Self.filled + assignment + "\nreturn draft")
        #expect(
            error?.message
                == "what is read of \(property) is a copy, and a change to it would be lost; set the whole of it: \(property) = { … }",
            "\(String(describing: error))")
        #expect(error?.line == 6)
    }

    @Test func `a copy is read like any table`() throws {
        let draft = try run(
            """
            \(Self.filled)
            local range, size = draft.clips[1].range, draft.size
            assert(#range == 2 and range[1] == 1 and range[3] == nil and type(range) == "table")
            assert(table.unpack(size) == 1280 and table.concat(size, "x") == "1280x720")
            local sum, keys = 0, ""
            for _, value in ipairs(size) do sum = sum + value end
            for key, value in pairs(draft.export) do keys = keys .. key .. "=" .. value.codec end
            assert(sum == 2000 and keys == "video=hevc" and next(draft.export) == "video" and next(draft.export, "video") == nil)
            draft.clips[2].range = range
            draft.clips[2].effects = draft.clips[1].effects
            draft.export = draft.export
            draft:add_clip("c.mp4", { range = draft.clips[1].range, effects = { draft.clips[1].effects[1] } })
            draft.effects[1].range = { range[1], range[2] }
            return draft
            """
        ).draft
        #expect(draft.clips[1].content == draft.clips[0].content && draft.clips[2].effects == draft.clips[0].effects)
        #expect(draft.clips[1].effects == draft.clips[0].effects && draft.export.video.codec == .hevc)
    }

    @Test(arguments: [
        "local m = {} local t = setmetatable({}, m) m.__content = t draft.size = t",
        "draft.size = setmetatable({}, { __content = 7 })", "draft.size = setmetatable({}, { __content = { 1 } })",
        "next(nil)", "next(7)",
    ])
    func `what only looks like a copy does no harm`(script: String) {
        #expect(failure(twoClips + script)?.line == 3)
    }

    @Test func `validate lists every problem`() throws {
        try run(
            """
            \(twoClips)
            assert(#draft:validate() == 0)
            draft.clips[2].transition = { "dissolve", 9 }
            draft:add_effect("lut", { image = "look.png", range = { 50, 1 } })
            local problems = draft:validate()
            assert(#problems >= 2, #problems)
            for _, problem in ipairs(problems) do assert(problem.object ~= "" and problem.message ~= "" and problem.line, problem.message) end
            draft.clips[2].transition = nil
            draft:remove_effect(1)
            return draft
            """)
    }

    // MARK: Transactions

    @Test func `a transaction commits all or nothing`() throws {
        let result = try run(
            """
            \(twoClips)
            local a, b = draft:transaction(function(same)
              assert(same == draft)
              for _, clip in ipairs(draft.clips) do clip.volume = 0.5 end
              return 1, 2
            end)
            assert(a == 1 and b == 2)
            local ok, message = pcall(draft.transaction, draft, function()
              draft:add_clip("c.mp4")
              draft:move_clip(1, 2)
              draft.size = { 640, 360 }
              draft.time_range = { 0, 1 }
              draft:add_title("x")
              draft.clips[1].speed = 2
              draft.clips[1].speed = 0
            end)
            assert(not ok and message:find("the speed is 0", 1, true))
            assert(#draft.clips == 2 and draft.clips.opening == draft.clips[1] and draft.size[1] == 1280 and draft.time_range == nil)
            assert(#draft.effects == 0 and draft.clips[1].speed == 1 and draft.clips[1].volume == 0.5)
            return draft
            """)
        #expect(result.draft.clips.map(\.volume) == [.constant(0.5), .constant(0.5)])
    }

    @Test func `transactions nest`() throws {
        let result = try run(
            """
            \(twoClips)
            draft:transaction(function()
              draft:add_clip("c.mp4")
              pcall(draft.transaction, draft, function()
                draft:remove_clip(1)
                draft:transaction(function() draft:remove_clip(1) end)
                assert(#draft.clips == 1)
                error("no")
              end)
              assert(#draft.clips == 3)
              draft:transaction(function() draft:remove_clip(2) end)
            end)
            assert(#draft.clips == 2)
            local object = {}
            local ok, same = pcall(draft.transaction, draft, function()
              draft:begin()
              draft:remove_clip(1)
              error(object)
            end)
            assert(not ok and same == object and #draft.clips == 2)
            draft:begin()
            draft:remove_clip(1)
            draft:begin()
            draft:remove_clip(1)
            draft:cancel()
            draft:commit()
            return draft
            """)
        #expect(paths(result.draft) == "c")
    }

    @Test func `an error out of a transaction keeps its place and its traceback`() {
        let error = failure(
            "\(twoClips)draft:transaction(function()\n  draft:transaction(function()\n    draft.clips[1].speed = 0\n  end)\nend)\nreturn draft"
        )
        #expect(error?.line == 5)
        #expect(error?.traceback.count == 3)
        #expect(error?.traceback.first?.hasPrefix("edit.lua:5:") == true)
    }

    @Test func `a transaction must end`() {
        #expect(
            failure("\(twoClips)\ndraft:begin()\nreturn draft")?.description
                == "edit.lua:4: the transaction that begins here is neither committed nor cancelled")
        #expect(
            failure("\(twoClips) while true do draft:begin() end")?.message == "there are 100 open transactions already"
        )
        #expect(
            failure("\(twoClips) draft:transaction(function() draft:commit() end)")?.message
                == "the transaction was already ended inside its own function")
    }

    // MARK: Documents and probing

    @Test func `a document is opened`() throws {
        let text = try run(DesignScriptTests.text).draft.document(in: "/far/away")
        let original = try Draft(document: Data(text.utf8), file: "x", folder: "/far/away")
        let result = try run(
            "local cutroom = require 'cutroom' local draft = cutroom.open('edit.cutroom') assert(#draft.clips == 4) return draft",
            files: ["edit.cutroom": text])
        #expect(result.draft == original)
        #expect(result.catalog.effects.map(\.id) == TestEnvironment.effects.map(\.id))
        #expect(
            failure("\nrequire('cutroom').open('none.cutroom')")?.description
                == "edit.lua:2: the document ‘none.cutroom’: is not there")
        let broken = failure("require('cutroom').open('x.cutroom')", files: ["x.cutroom": "{ \"cutroom\": 9 }"])
        #expect(broken?.message == "is of version 9, but this Cutroom reads versions 1 and 2")
        #expect(broken?.file == "x.cutroom")
        let gone = failure(
            "require('cutroom').open('x.cutroom')",
            files: ["x.cutroom": "{ \"cutroom\": 1, \"clips\": [{ \"media\": \"gone.mp4\" }] }"])
        #expect(gone?.message.contains("there is no file") == true)
    }

    @Test func `a file is probed once`() throws {
        let environment = TestEnvironment()
        try run(
            """
            \(twoClips)
            local info = cutroom.probe("film.mp4")
            assert(info.kind == "media" and info.duration == 60 and info.width == 1280 and info.height == 720 and info.has_audio)
            assert(math.abs(info.fps - 29.97) < 0.001 and info.sample_rate == 48000 and info.channels == 2 and info.codec == "h264")
            assert(cutroom.probe("photo.jpg").kind == "image" and cutroom.probe("photo.jpg").fps == nil)
            assert(cutroom.probe("music.m4a").has_picture == false)
            for _ = 1, 10 do draft:add_clip("film.mp4", { range = { 1, 1 } }) end
            return draft
            """, environment: environment)
        #expect(environment.probed.count == Set(environment.probed).count)
        #expect(environment.effectsAsked == 0)
    }

    // MARK: Functions of time

    @Test func `functions of time are sampled at every output frame`() throws {
        let result = try run(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft { size = { 320, 180 }, fps = 10 }
            draft:add_clip("a.mp4", { range = { 2, 2 }, volume = function(t) return t / 2 end })
            draft:add_audio("music.m4a", { volume = function(t) return t < 1 and 0 or 1 end })
            draft:add_effect("speed", { range = { 0, 1 }, factor = 2 })
            local f = function(t) return { t, -t } end
            draft:add_effect("org.cutroom.rgb_split", { offset = f, range = { 0.5, 1 } })
            assert(draft.effects[2].offset == f and draft.clips[1].volume(1) == 0.5)
            return draft
            """)
        #expect(!result.draft.hasFunctions)
        guard case .keyframes(let volume) = result.draft.clips[0].volume,
            case .numbers(.keyframes(let offset))? = result.draft.effects[1].plugin?.parameters["offset"]
        else {
            Issue.record("the functions are not replaced")
            return
        }
        #expect(volume.count == 15)
        #expect(volume.allSatisfy { abs($0.value[0] - $0.time.seconds / 2) < 1e-9 })
        #expect(volume[1].time == Time("1/5s"))
        #expect(offset.count == 10)
        #expect(offset[3].value == [offset[3].time.seconds, -offset[3].time.seconds])
        #expect(result.draft.validate(result.catalog) == [])
    }

    @Test(arguments: [
        (
            "function(t) return nil end",
            "clip 1, at 0 s: the function of time returned nothing, but must return a number or a list of numbers"
        ),
        (
            "function(t) return 'x' end",
            "clip 1, at 0 s: the function of time returned a string, but must return a number or a list of numbers"
        ),
        (
            "function(t) return {} end",
            "clip 1, at 0 s: the function of time returned a list of another length, but must return a number or a list of numbers"
        ),
        ("function(t) if t > 0.5 then error('late') end return 1 end", "clip 1, at 0.6 s: late"),
        ("function(t) return t.x end", "clip 1, at 0 s: the variable ‘t’ is a number, and has no fields"),
    ])
    func `a function of time that fails names its line and time`(function: String, message: String) {
        let error = failure(
            "local cutroom = require 'cutroom' local draft = cutroom.draft { fps = 10 }\ndraft:add_clip('a.mp4', { volume = \(function) })\nreturn draft"
        )
        #expect(error?.description == "edit.lua:2: \(message)")
    }

    @Test func `a function of time cannot run for ever or return nonsense`() {
        let script = "\(twoClips) draft.clips[1].volume = function() while true do end end return draft"
        #expect(failure(script, limits: LimitTests.small)?.code == .limit)
        let nan = failure("\(twoClips) draft.clips[1].volume = function() return 0/0 end return draft")
        #expect(nan?.message == "the function of time of ‘volume’ gave no number at 0 s")
    }
}
