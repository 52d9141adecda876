import Draft
import Testing
import Values

@testable import Scripting

/// What people write, understood or answered with what there is.
@Suite struct SpellingTests {
    private static func seconds(_ count: Int64, _ part: Int64 = 1) -> Time { Time(value: count, timeBase: 1, part) }

    @Test func `timecodes, named colours and other ways to write a value are understood`() throws {
        let draft = try run(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft({ { "a.mp4", range = { "0:01", "0:03" } }, { "photo.jpg" }, { "b.mp4", { speed = 2 } },
              { "photo.png", duration = "0:01.5" } }, { aspect = "9:16", max = 640, fps = 29.97, background = "navy",
              time_range = { "0:00.5", 2 }, export = { video = { bit_rate = "2.5M" }, audio = { bit_rate = "96k" } } })
            draft.clips[2].transition = "0:01"
            draft.clips[3].transition = { "wipe_left", duration = 0.25 }
            draft.clips[4].transition = { "org.cutroom.circle_open", duration = 0.5, softness = 0.2 }
            draft.clips[1].volume = { { 0, 0 }, { "0:02", 1 } }
            draft:add_audio("music.m4a", { at = "0:01.25", fade_in = "0:00.5" })
            draft:add_title("x", { position = "center", color = "Tomato", background = "transparent", range = { "0:00", "0:01" } })
            draft:add_effect("org.cutroom.flash", { color = "teal" })
            draft:add_effect("org.cutroom.flash", { color = { { 0, "red" }, { "0:01", "#0f0" } } })
            draft:add_effect("org.cutroom.flash", { color = function(t) return t < 1 and "blue" or "white" end })
            draft:add_clip("a.mp4", { effects = { { "lut", image = "look.png", intensity = 0.5 } } })
            assert(draft.effects[2].color == "#008080" and draft.effects[3].color[2][1] == 1)
            assert(math.abs(draft.fps - 30000 / 1001) < 1e-9 and draft.background == "#000080")
            draft.fps = 23.976
            assert(draft.clips[2].duration == 3 and draft.clips[1].range[1] == 1)
            return draft
            """
        ).draft
        #expect(draft.clips.count == 5)
        #expect(
            draft.canvas.size == Canvas.Size(width: 360, height: 640) && draft.canvas.frameRate == Rational(24000, 1001)
        )
        #expect(draft.timeRange == TimeRange(start: Self.seconds(1, 2), duration: Self.seconds(2)))
        #expect(draft.clips[1].transition == Transition(duration: Self.seconds(1)))
        #expect(draft.clips[2].transition == Transition(.wipeLeft, duration: Self.seconds(1, 4)))
        #expect(draft.clips[3].transition?.plugin?.parameters == ["softness": .numbers(.constant([0.2]))])
        #expect(draft.audio[0].startTime == Time(seconds: 1.25) && draft.audio[0].fadeIn == Time(seconds: 0.5))
        #expect(draft.export.video.bitRate == 2_500_000 && draft.export.audio.bitRate == 96_000)
        guard case .picture(.title(let title)) = draft.effects[0].kind else { throw Problem("effect 1", "is no title") }
        #expect(
            title.x == .center && title.y == .center && title.color.description == "#ff6347"
                && title.background == .clear)
        #expect(draft.document(in: "/x").contains("#008080"), "a document has one form")
        guard case .picture(.filter(let flash)) = draft.effects[3].kind,
            case .numbers(.keyframes(let keys))? = flash.parameters["color"]
        else { throw Problem("effect 4", "has no keyframes") }
        #expect(keys.first?.value == [0, 0, 1, 1] && keys.last?.value == [1, 1, 1, 1])
    }

    @Test func `a draft of a file follows its shape up to a longer side`() throws {
        try run(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft("c.mp4", { max = 640 })
            assert(draft.size[1] == 360 and draft.size[2] == 640, draft.size[1])
            draft.size = { 320, 320 }
            draft.size = nil
            assert(draft.size[1] == 720)
            local empty = cutroom.draft { max = 640 }
            assert(empty.size[1] == 640 and empty.size[2] == 360)
            return draft
            """)
    }

    @Test func `a rate of NTSC's is meant by its decimals, another one by itself`() throws {
        for (text, rate) in [
            ("29.97", Rational(30000, 1001)), ("23.98", Rational(24000, 1001)), ("'59.94'", Rational(60000, 1001)),
            ("29.5", Rational(59, 2)), ("9.99", Rational(999, 100)), ("'2997/100'", Rational(2997, 100)),
            ("25", Rational(25)),
        ] {
            let made = try run("local cutroom = require 'cutroom' return cutroom.draft('a.mp4', { fps = \(text) })")
            #expect(made.draft.canvas.frameRate == rate, "\(text)")
        }
    }

    static let cases: [(script: String, message: String)] = [
        // What is answered with a form.
        (
            "draft:add_clip('a.mp4', { transition = 'dissolve' })",
            "clip 3, transition: ‘dissolve’ needs its seconds too, such as { \"dissolve\", 0.5 }"
        ),
        (
            "draft:add_clip('a.mp4', { transition = { 'wipe_left' } })",
            "clip 3, transition: ‘wipe_left’ needs its seconds too, such as { \"wipe_left\", 0.5 }"
        ),
        (
            "draft:add_clip('a.mp4', { transition = 'crossfade' })",
            "clip 3, transition: ‘kind’ is ‘crossfade’; did you mean ‘dissolve’?"
        ),
        (
            "draft:add_clip('a.mp4', { range = { '1:75', 1 } })",
            "clip 3: ‘range’ is ‘1:75’, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        (
            "draft:add_title('x', { position = 'middle' })",
            "effect 1 (title): ‘position’ is ‘middle’; did you mean ‘center’?"
        ),
        ("draft:add_audio('music.m4a', { start = 3 })", "audio 1: has no option ‘start’; did you mean ‘at’?"),
        ("draft:add_audio('music.m4a').start = 3", "audio 1: has no property ‘start’; did you mean ‘at’?"),
        (
            "draft:add_effect('speed', { factor = -2 })",
            "effect 1 (speed): the factor is -2, but must lie between 0.01 and 100; a clip's ‘reverse = true’ plays it backwards"
        ),
        (
            "draft:add_clip('https://example.com/a.mp4')",
            "clip 3: ‘https://example.com/a.mp4’ is a URL, and URLs are not supported yet; fetch the file and give its path"
        ),
        (
            "draft:add_effect('lut', { image = 'http://x/look.png' })",
            "effect 1 (lut): ‘http://x/look.png’ is a URL, and URLs are not supported yet; fetch the file and give its path"
        ),
        (
            "cutroom.open('http://x/y.cutroom')",
            "‘http://x/y.cutroom’ is a URL, and URLs are not supported yet; fetch the file and give its path"
        ),
        (
            "draft:add_clip('a.mp4', { transition = 'org.cutroom.zoom' })",
            "clip 3, transition: ‘org.cutroom.zoom’ needs its seconds too, such as { \"org.cutroom.zoom\", 0.5 }"
        ),
        (
            "draft:add_clip('a.mp4', { transition = { 'org.cutroom.zoom' } })",
            "clip 3, transition: ‘org.cutroom.zoom’ needs its seconds too, such as { \"org.cutroom.zoom\", 0.5 }"
        ),
        (
            "draft:add_clip('a.mp4', { transition = '0.5' })",
            "clip 3, transition: ‘duration’ is ‘0.5’, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        (
            "draft:add_effect('sticker', { image = 'emoji.png', x = 3, width = 9 })",
            "effect 1 (sticker): needs a ‘rect’: { left, top, width, height } in pixels, in place of ‘x’, ‘width’"
        ),
        (
            "draft:add_image('photo.jpg', { duration = 1, foo = 2 })",
            "clip 3: has no option ‘foo’; there are anchor, background, corner_radius, crop, duration, effects, flip, focus, height, id, margin, mode, opacity, position, rotate, rotation, scale, size, transition, width"
        ),
        (
            "print(draft:add_image('photo.jpg', { duration = 1 }).foo)",
            "clip 3: has no property ‘foo’"
        ),
        // What other tools call it.
        (
            "draft:add_clip('a.mp4', { ['end'] = 3 })",
            "clip 3: has no option ‘end’; what is played of the file is its ‘range’, { start, duration }"
        ),
        (
            "draft:add_clip('a.mp4', { blend = 'screen' })",
            "clip 3: has no option ‘blend’; a layer has, which lies over the picture: draft:add_layer(path, { blend = \"screen\" })"
        ),
        (
            "draft:add_title('x', { x = 3 })", "effect 1 (title): has no option ‘x’; did you mean ‘position’?"
        ),
        (
            "draft:add_title('x', { start = 3 })",
            "effect 1 (title): has no option ‘start’; when it acts is its ‘range’, { start, duration }"
        ),
        (
            "draft:add_effect('org.cutroom.vignette', { at = 3 })",
            "effect 1 (org.cutroom.vignette): has no parameter ‘at’; when it acts is its ‘range’, { start, duration }"
        ),
        (
            "draft:add_effect('org.cutroom.greyscale')",
            "effect 1: there is no effect ‘org.cutroom.greyscale’; ‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=s=0\" }"
        ),
        ("draft:add_effect('text')", "effect 1: there is no effect ‘text’; did you mean ‘title’?"),
        ("cutroom.draft('a.mp4', { width = 640 })", "draft: has no option ‘width’; ‘size’ is { width, height }"),
        (
            "draft.export = { video = { crf = 20 } }",
            "export, video: has no option ‘crf’; did you mean ‘quality’?"
        ),
        (
            "draft.export = { crf = 20 }",
            "export: has no option ‘crf’; it is the ‘quality’ in ‘video’: video = { quality = … }"
        ),
        (
            "cutroom.draft { crf = 20 }",
            "draft: has no option ‘crf’; it is the ‘quality’ in ‘export’: export = { video = { quality = … } }"
        ),
        (
            "draft:add_clip('a.mp4', { j_cut = 1 })", "clip 3: has no option ‘j_cut’; did you mean ‘sound_lead’?"
        ),
        (
            "draft:add_audio('music.m4a', { effects = { { 'org.cutroom.ducking', { sidechain = 'x' } } } })",
            "audio 1, effect 1 (org.cutroom.ducking): has no parameter ‘sidechain’; did you mean ‘key’?"
        ),
        ("cutroom.draft { lufs = -14 }", "draft: has no option ‘lufs’; did you mean ‘loudness’?"),
        (
            "draft:add_effect('loudnorm')",
            "effect 1: there is no effect ‘loudnorm’; the whole output is made so loud by draft.loudness = -14, in LUFS"
        ),
        ("draft.clips[1]:cpy()", "clip 1 (opening): has no property ‘cpy’; did you mean ‘copy’?"),
        ("draft.clips[1]:remove()", "clip 1 (opening): has no property ‘remove’; draft:remove_clip(clip) removes it"),
        (
            "cutroom.draft { 'a.mp4', fps = 30 }",
            "clip 2: has neither ‘media’ nor ‘image’ nor ‘source’; a clip with options has braces of its own, cutroom.draft({ { \"a.mp4\", range = … } }), and a draft's options come after the list: cutroom.draft({ … }, { fps = 30 })"
        ),
        ("cutroom.draft { { path = 'a.mp4' } }", "clip 1: has no ‘media’; did you mean it by ‘path’?"),
        (
            "draft:add_title('x', { weight = 'bold' })",
            "effect 1 (title): has no option ‘weight’; the ‘font’ says it: font = \"Sans Bold Italic\""
        ),
        (
            "draft:add_audio('a.mp4', { pitch = 2 })",
            "audio 1: has no option ‘pitch’; ‘org.cutroom.pitch’ in its ‘effects’ changes it, and ‘keep_pitch’ says whether ‘speed’ leaves it"
        ),
        (
            "draft:add_audio('a.mp4', { speed = -1 })",
            "audio 1: the speed is -1, but must lie between 0.01 and 100; audio is not played backwards"
        ),
        (
            "draft.export = { video = { preset = 'fastest' } }",
            "export, video: ‘preset’ is ‘fastest’, which h264 does not have; did you mean ‘ultrafast’?"
        ),
        (
            "draft:add_title('x', { valign = 'top' })",
            "effect 1 (title): has no option ‘valign’; where the text lies is its ‘position’, as in { \"center\", \"top\" }; ‘anchor’ is the point of it that lies there"
        ),
        (
            "draft.export = { audio = { rate = 48000 } }",
            "export, audio: has no option ‘rate’; did you mean ‘sample_rate’?"
        ),
        (
            "draft:add_clip('a.mp4', { background = 'blurr' })",
            "clip 3: ‘background’ is ‘blurr’; did you mean ‘blur’?"
        ),
        (
            "draft:add_effect('crop')",
            "effect 1: there is no effect ‘crop’; a clip and a layer have a ‘crop’, { left, top, width, height } in 0 … 1, which may change with time"
        ),
        (
            "draft:add_effect('rotate')",
            "effect 1: there is no effect ‘rotate’; a clip and a layer have ‘rotate’ for quarters of a turn, and ‘rotation’ for any angle"
        ),
        (
            "draft:add_effect('hue')",
            "effect 1: there is no effect ‘hue’; ‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=h=90\" }"
        ),
        (
            "draft:add_clip('a.mp4', { track = 2 })",
            "clip 3: has no option ‘track’; what lies over the clips is a layer, draft:add_layer(path, { at = … }); a file's sound track is ‘audio_track’"
        ),
        (
            "draft:add_layer('b.mp4', { start = 2 })",
            "effect 1 (layer): has no option ‘start’; did you mean ‘at’?"
        ),
        (
            "draft:add_layer('b.mp4', { z_index = 2 })",
            "effect 1 (layer): has no option ‘z_index’; of two layers the later one in the effect list lies above; ‘index’ and draft:move_effect change their order"
        ),
        (
            "draft:add_effect('org.cutroom.lut', { image = 'look.png' })",
            "effect 1: there is no effect ‘org.cutroom.lut’; did you mean ‘lut’?"
        ),
        (
            "draft:add_effect('lut', { file = 'look.png' })",
            "effect 1 (lut): needs an ‘image’: a look-up image or a .cube file, in place of ‘file’"
        ),
        // Methods.
        (
            "draft:xyzzy()",
            "draft: has no property or method ‘xyzzy’; there are audio, background, clips, color, duration, effects, export, fps, loudness, original_duration, size, time_range, true_peak, and the methods add_audio, add_clip, add_effect, add_image, add_layer, add_source, add_subtitles, add_title, apply_effects, audio_clip, begin, cancel, clip, commit, effect, move_audio, move_clip, move_effect, remove_audio, remove_clip, remove_effect, remove_effects, transaction, validate"
        ),
        (
            "draft:save('x.cutroom')",
            "draft: has no property or method ‘save’; a script returns its draft; ‘cutroom save’ writes it as a document, and ‘cutroom render’ as a film"
        ),
        ("draft:ad_clip('a.mp4')", "draft: has no property or method ‘ad_clip’; did you mean ‘add_clip’?"),
        ("draft:addTitle('x')", "draft: has no property or method ‘addTitle’; did you mean ‘add_title’?"),
        ("draft:add_text('x')", "draft: has no property or method ‘add_text’; did you mean ‘add_title’?"),
        (
            "draft:add_overlay('x')",
            "draft: has no property or method ‘add_overlay’; did you mean ‘add_layer’?"
        ),
        (
            "draft:add_wobble('x')",
            "draft: has no property or method ‘add_wobble’; there are add_audio, add_clip, add_effect, add_image, add_layer, add_source, add_subtitles, add_title"
        ),
        (
            "draft:render('x.mp4')",
            "draft: has no property or method ‘render’; a script returns its draft, and ‘cutroom render’ writes the file"
        ),
        (
            "cutroom.load('x')",
            "cutroom has no function ‘load’; cutroom.draft(path) makes a draft of a file, cutroom.open(path) opens a saved draft"
        ),
        ("cutroom:draft {}", "‘draft’ is called with a point: cutroom.draft(…)"),
        ("cutroom:steady({})", "‘steady’ is called with a point: cutroom.steady(…)"),
        (
            "draft.clips[1]:add_effect('lut')",
            "clip 1 (opening): has no property ‘add_effect’; a clip's own effects are its ‘effects’: clip.effects = { { \"lut\", { image = \"look.png\" } } }"
        ),
        (
            "draft:add_audio('music.m4a'):add_effect('org.cutroom.echo')",
            "audio 1: has no property ‘add_effect’; an audio clip's own effects are its ‘effects’: clip.effects = { { \"org.cutroom.echo\", { delay = 0.25 } } }"
        ),
        ("print(draft.widht)", "draft: has no property or method ‘widht’; did you mean ‘size’?"),
        (
            "print(draft.max)",
            "draft: has no property or method ‘max’; it is an option of cutroom.draft; the size that comes of it is draft.size"
        ),
        (
            "draft.aspect = '1:1'",
            "draft: has no property ‘aspect’; it is an option of cutroom.draft; the size that comes of it is draft.size"
        ),
        // Lua's own.
        ("drfat:add_clip('a.mp4')", "there is no variable ‘drfat’; did you mean ‘draft’?"),
        ("darft.size = 3", "there is no variable ‘darft’; did you mean ‘draft’?"),
        ("local function f() return drfat.size end f()", "there is no variable ‘drfat’; did you mean ‘draft’?"),
        ("pritn('x')", "there is no function ‘pritn’; did you mean ‘print’?"),
        ("print(draft.clips[0].start)", "draft.clips has no entry 0; it has 2, counted from 1"),
        ("print(draft.audio[1].at)", "draft.audio has no entry 1; it is empty"),
        (
            "print(draft.clips.openning.start)",
            "draft.clips has no entry with the id ‘openning’; did you mean ‘opening’?"
        ),
        (
            "draft.clips:add('a.mp4')",
            "draft.clips has no function ‘add’; draft:add_clip, draft:remove_clip and draft:move_clip change the list"
        ),
        ("local t = {} print(t[1].x)", "the entry of that number is nothing, and has no fields; lists count from 1"),
        ("local t = {} print(t.a.b)", "‘a’ is nothing, and has no fields"),
        ("local t print(t.a)", "the variable ‘t’ is nothing, and has no fields"),
        ("local t = {} t:go()", "there is no method ‘go’"), ("local t = {} t.go()", "there is no function ‘go’"),
        ("draft()", "the variable ‘draft’ is a draft, not a function"),
        ("local x print(x + 1)", "the variable ‘x’ is nothing, but must be a number"),
        ("local x print('a' .. x)", "the variable ‘x’ is nothing, but must be a text or a number"),
        ("local x print(#x)", "the variable ‘x’ is nothing, and has no length"),
        ("print(1 < 'a')", "a number cannot be compared with a text"),
        ("print({} < {})", "two tables cannot be compared"),
        ("string.format('%d', 1.5)", "‘format’ does not take its argument 2: number has no integer representation"),
        ("local x = 'a' + 1", "one side of the calculation is a text, but must be a number"),
        ("local x = -'a'", "one side of the calculation is a text, but must be a number"),
        ("local x = 2 * 'a' + {}", "one side of the calculation is a text, but must be a number"),
        ("local x = '1' + {}", "one side of the calculation is a table, but must be a number"),
        (
            "for clip in draft.clips do end",
            "‘for … in’ goes through what pairs(…) or ipairs(…) gives, but was given a list of a draft"
        ),
        (
            "for x in nil do end",
            "‘for … in’ goes through what pairs(…) or ipairs(…) gives, but was given nothing"
        ),
        ("for k in next do end", "‘next’ wants a table as its argument 1, but was given nothing"),
        ("for i = 1, 'x' do end", "‘for’ wants a number as its limit, but was given a text"),
        ("for i = 1, 2, 0 do end", "the step of a ‘for’ is 0, so that it would never end"),
        ("local x = draft.clips .. 'x'", "‘clips’ is a list of a draft, but must be a text or a number"),
        ("local x = 1 // 0", "a whole number is divided by 0"), ("local x = 1 % 0", "a whole number is divided by 0"),
        ("local x = 1.5 | 1", "a number has a fraction, but must be whole"),
        ("local t = {} t[nil] = 1", "the key in the brackets is nothing; keys are names or numbers"),
        ("local t = {} t[0/0] = 1", "the key in the brackets is 0/0, which is not a number"),
        ("ipairs()", "‘ipairs’ wants a value as its argument 1, but was given nothing"),
        (
            "cutroom.smooth({}, 0/0)",
            "cutroom.smooth wants seconds, 0 or more, but was given 0/0, which is not a number"
        ),
        ("cutroom.smooth({}, -1.0)", "cutroom.smooth wants seconds, 0 or more, but was given -1"),
        ("cutroom.smooth({}, {})", "cutroom.smooth wants seconds, 0 or more, but was given a table"),
        ("require 'os'", "the script has no access to Lua's library ‘os’"),
        ("require 'math'", "‘math’ is there without ‘require’: it is a variable of every script"),
        ("require()", "require wants a module's name, but was given nothing"),
        (
            "require 'cutrom'",
            "there is no module ‘cutrom’: ‘cutrom.lua’ is not in the script's folder; did you mean ‘cutroom’?"
        ),
    ]

    @Test(arguments: cases.indices) func `a mistake is answered with what there is`(index: Int) {
        let (script, message) = Self.cases[index]
        let error = failure(twoClips + "\n\n" + script + "\nreturn draft")
        #expect(error?.description == "edit.lua:5: \(message)", "\(script)")
    }

    @Test func `a script that never required the module is told so`() {
        let error = failure("\nlocal draft = cutroom.draft('a.mp4')")
        #expect(
            error?.description
                == "edit.lua:2: there is no variable ‘cutroom’; begin the script with: local cutroom = require \"cutroom\""
        )
    }

    @Test func `a module near by is proposed`() {
        let error = failure("require 'intor'", files: ["intro.lua": "return 1"])
        #expect(error?.message.hasSuffix("did you mean ‘intro’?") == true)
    }

    @Test func `every method is known to suggestions`() throws {
        let names = Session.draftMethods.map { "'\($0)'" }.joined(separator: ", ")
        try run(
            """
            \(twoClips)
            for _, name in ipairs { \(names) } do assert(type(draft[name]) == "function", name) end
            return draft
            """)
    }
}
