import Draft
import TestSupport
import Testing

@testable import Scripting

/// Every mistake gives one sentence with the script's own line.
@Suite struct ErrorTests {
    static let cases: [(script: String, message: String)] = [
        // Files.
        ("draft:add_clip('missing.mp4')", "clip 3: there is no file ‘missing.mp4’"),
        ("draft:add_clip('music.m4a')", "clip 3: ‘music.m4a’ has no picture; use add_audio for sound"),
        ("draft:add_clip('photo.jpg')", "clip 3: ‘photo.jpg’ is a still image; use add_image with a duration"),
        ("draft:add_image('a.mp4', { duration = 3 })", "clip 3: ‘a.mp4’ is not a still image; use add_clip"),
        ("draft:add_image('music.m4a', { duration = 3 })", "clip 3: ‘music.m4a’ is sound, not an image; use add_audio"),
        ("draft:add_audio('silent.mp4')", "audio 1: ‘silent.mp4’ has no sound"),
        ("draft:add_audio('photo.jpg')", "audio 1: ‘photo.jpg’ has no sound"),
        ("draft:add_clip('look.cube')", "clip 3: ‘look.cube’ is a look-up table; use it in a ‘lut’ effect"),
        ("draft:add_clip()", "add_clip wants the path of a file, or a draft, but was given nothing"),
        ("draft:add_clip('')", "clip 3: its path is empty"),
        ("cutroom.draft('missing.mp4')", "clip 1: there is no file ‘missing.mp4’"),
        (
            "cutroom.draft { 'a.mp4', 7 }",
            "clip 2: must be a path, { path, options } such as { \"a.mp4\", range = { 0, 3 } }, or a table with ‘media’, ‘image’ or ‘source’"
        ),
        ("cutroom.probe('missing.mp4')", "there is no file ‘missing.mp4’"),
        ("cutroom.probe('')", "‘’: its path is empty"),
        // Options and rules.
        ("draft:add_clip('a.mp4', { sped = 2 })", "clip 3: has no option ‘sped’; did you mean ‘speed’?"),
        (
            "draft:add_clip('a.mp4', { audio_track = 2 })",
            "clip 3: ‘audio_track’ is 2, but ‘a.mp4’ has 1 (no language, aac, 2 channels)"
        ),
        (
            "draft:add_audio('a.mp4', { audio_track = 'eng' })",
            "audio 1: ‘audio_track’ is ‘eng’, but ‘a.mp4’ has 1 (no language, aac, 2 channels)"
        ),
        (
            "draft:add_clip('silent.mp4', { audio_track = 1 })",
            "clip 3: ‘audio_track’ asks for a sound track, but ‘silent.mp4’ has no sound"
        ),
        (
            "draft:add_clip('a.mp4', { audio_track = 0 })",
            "clip 3: ‘audio_track’ is 0, but must be a track's number from 1 on, or its language such as \"eng\""
        ),
        ("draft:add_clip('a.mp4', { speed = 0 })", "clip 3: the speed is 0, but must lie between 0.01 and 100"),
        (
            "draft:add_clip('a.mp4', { speed = -1, id = 'x' })",
            "clip 3 (x): the speed is -1, but must lie between 0.01 and 100; ‘reverse = true’ plays it backwards"
        ),
        (
            "draft:add_clip('a.mp4', { speed = 1e9 })",
            "clip 3: the speed is 1000000000, but must lie between 0.01 and 100"
        ),
        (
            "draft:add_clip('a.mp4', { range = { 9, 1 } })",
            "clip 3: its range starts at 9 s, but ‘a.mp4’ is only 8 s long"
        ),
        ("draft:add_clip('a.mp4', { range = { 1, 0 } })", "clip 3: ‘range’ lasts 0 s, but must last longer than 0"),
        ("draft:add_clip('a.mp4', { range = 3 })", "clip 3: ‘range’ is 3, but must be { start, duration } in seconds"),
        ("draft:add_clip('a.mp4', 'fast')", "clip 3: wants a table of options, but was given ‘fast’"),
        ("draft:add_clip('a.mp4', { id = 'opening' })", "the id ‘opening’ is taken by clip 1"),
        ("draft:add_clip('a.mp4', { index = 9 })", "‘index’ is 9, but must be a whole number from 1 to 3"),
        (
            "draft:add_clip('a.mp4', { transition = { 'disolve', 1 } })",
            "clip 3, transition: ‘kind’ is ‘disolve’; did you mean ‘dissolve’?"
        ),
        ("draft:add_image('photo.jpg')", "clip 3: an image needs a ‘duration’ in seconds"),
        ("draft:add_image('photo.jpg', { duration = 2, volume = 1 })", "clip 3: an image has no ‘volume’"),
        (
            "draft:add_audio('music.m4a', { range = { 0, 21 } })",
            "audio 1: its range 0–21 s does not lie inside ‘music.m4a’, which is 20 s long"
        ),
        (
            "cutroom.draft { size = { 1281, 720 } }",
            "draft: the size is 1281×720, but both numbers must be even; 1280×720 would do"
        ),
        (
            "cutroom.draft { fps = 'x' }",
            "draft: ‘fps’ is ‘x’, but must be a number or a fraction such as \"30000/1001\""
        ),
        ("cutroom.draft { sise = { 2, 2 } }", "draft: has no option ‘sise’; did you mean ‘size’?"),
        (
            "cutroom.draft { export = { container = 'avi' } }",
            "export: ‘container’ is ‘avi’; did you mean ‘mp4’?"
        ),
        ("cutroom.draft(nil, {})", "the first argument is the media: a path or a list of paths"),
        ("cutroom.draft(true)", "cutroom.draft wants options, a path or a list of paths, but was given true"),
        // Effects.
        (
            "draft:add_effect('stiker', { image = 'emoji.png', rect = { 0, 0, 9, 9 } })",
            "effect 1: there is no effect ‘stiker’; did you mean ‘sticker’?"
        ),
        (
            "draft:add_effect('org.cutroom.vignete')",
            "effect 1: there is no effect ‘org.cutroom.vignete’; did you mean ‘org.cutroom.vignette’?"
        ),
        (
            "draft:add_effect('vignette')",
            "effect 1: there is no effect ‘vignette’; did you mean ‘org.cutroom.vignette’?"
        ),
        (
            "draft:add_effect('org.cutroom.vignette', { strenght = 1 })",
            "effect 1 (org.cutroom.vignette): has no parameter ‘strenght’; did you mean ‘strength’?"
        ),
        (
            "draft:add_effect('org.cutroom.vignette', { strength = 2 })",
            "effect 1 (org.cutroom.vignette): ‘strength’ is 2, but must lie between 0 and 1"
        ),
        ("draft:add_effect('speed')", "effect 1 (speed): needs a ‘factor’, e.g. 2 for twice as fast"),
        (
            "draft:add_effect('repeat', { count = 0 })",
            "effect 1 (repeat): the count is 0, but must lie between 1 and 10000"
        ),
        ("draft:add_effect('lut', { image = 'missing.png' })", "effect 1 (lut): there is no file ‘missing.png’"),
        (
            "draft:add_effect('sticker', { image = 'music.m4a', rect = { 0, 0, 9, 9 } })",
            "effect 1 (sticker): ‘music.m4a’ has no picture"
        ),
        ("draft:add_title(7)", "add_title wants the title's text, but was given 7"),
        ("draft:add_title('x', 3)", "add_title wants a table of options, but was given 3"),
        ("draft:add_title('x', 'y')", "add_title wants a table of options, but was given ‘y’"),
        ("draft:add_title('x', true)", "add_title wants a table of options, but was given true"),
        ("draft:add_subtitles('talk.srt', 'y')", "add_subtitles wants a table of options, but was given ‘y’"),
        (
            "draft:add_title('x', { size = 0 })",
            "effect 1 (title): the size is 0, but must lie between 1 and 4096 pixels"
        ),
        (
            "draft:add_title('x', { gradient = { 'red' } })",
            "effect 1 (title): ‘gradient’ has 1 colour, but must have 2 to 16"
        ),
        ("draft:add_title('x', { text = 'y' })", "add_title takes the text as its first argument, not as an option"),
        (
            "draft:add_title('x', { color = 'reddish' })",
            "effect 1 (title): ‘color’ is ‘reddish’, but must be a colour such as \"#ff8800\" or \"orange\""
        ),
        ("draft:add_title('x', { font_file = 'none.ttf' })", "effect 1 (title): there is no file ‘none.ttf’"),
        (
            "draft:add_clip('a.mp4', { effects = { { 'blurr' } } })",
            "clip 3, effect 1: there is no effect ‘blurr’; did you mean ‘org.cutroom.blur’?"
        ),
        (
            "draft:add_clip('a.mp4', { effects = { { 'speed', { factor = 2 } } } })",
            "clip 3, effect 1 (speed): changes time, so it belongs in the draft's effect list; a clip has a ‘speed’ of its own"
        ),
        // Lists.
        ("draft:remove_clip(9)", "there is no clip 9; the draft has 2"),
        ("draft:remove_clip(1.5)", "there is no clip 1.5; the draft has 2"),
        ("draft:remove_clip('openning')", "there is no clip with the id ‘openning’; did you mean ‘opening’?"),
        ("draft:remove_clip()", "remove_clip wants clip's number or id, but was given nothing"),
        ("draft:move_clip(1, 3)", "there is no clip 3; the draft has 2"),
        ("draft:remove_clip(cutroom.draft('a.mp4').clips[1])", "this clip is not in the draft"),
        ("draft:clip('x')", "there is no clip with the id ‘x’; there is opening"),
        ("draft.clips[3] = 1", "draft.clips cannot be assigned to; use the draft's add, move and remove functions"),
        ("draft.clips = {}", "draft: its ‘clips’ can be read, but not set"),
        ("local c = draft.clips[1] draft:remove_clip(1) print(c.speed)", "this clip is no longer in the draft"),
        ("draft.clips[3].speed = 1", "draft.clips has no entry 3; it has 2, counted from 1"),
        // Properties.
        ("draft.clips[1].speed = 0", "clip 1 (opening): the speed is 0, but must lie between 0.01 and 100"),
        ("draft.clips[1].spede = 1", "clip 1 (opening): has no property ‘spede’; did you mean ‘speed’?"),
        (
            "print(draft.clips[1].lenght)",
            "clip 1 (opening): has no property ‘lenght’; did you mean ‘duration’?"
        ),
        ("draft.clips[1].start = 1", "clip 1 (opening): its ‘start’ can be read, but not set"),
        ("draft.clips[2].id = 'opening'", "the id ‘opening’ is taken by clip 1"),
        ("draft.clips[1].duration = -1", "clip 1 (opening): ‘duration’ is -1 s, but must be longer than 0"),
        ("draft.size = { 3, 3 }", "draft: the size is 3×3, but each side must lie between 16 and 8192 pixels"),
        ("draft.durration = 3", "draft: has no property ‘durration’; did you mean ‘duration’?"),
        ("draft.original_duration = 3", "draft: its ‘original_duration’ can be read, but not set"),
        (
            "print(draft.lenght)",
            "draft: has no property or method ‘lenght’; did you mean ‘duration’?"
        ),
        ("draft.time_range = { -1, 3 }", "draft: ‘time_range’ starts at -1 s, but must not start before 0"),
        ("draft.export = { vdeo = {} }", "export: has no option ‘vdeo’; did you mean ‘video’?"),
        ("cutroom.opne('x')", "cutroom has no function ‘opne’; did you mean ‘open’?"),
        ("draft.add_clip('a.mp4')", "‘add_clip’ is called with a colon: draft:add_clip(…)"),
        ("draft:transaction()", "‘transaction’ wants a function with the changes"),
        ("draft:commit()", "there is no transaction to commit"),
        ("draft:cancel()", "there is no transaction to cancel"),
        (
            "draft:apply_effects('x')",
            "draft: ‘apply_effects’ is ‘x’, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        ("draft:apply_effects()", "apply_effects wants a time in seconds or { start, duration }"),
        // What cannot cross the border.
        (
            "local t = {} t.id = t draft:add_clip('a.mp4', t)",
            "‘id’ is nested more than 32 tables deep; does a table contain itself?"
        ),
        (
            "draft:add_clip('a.mp4', { 'dissolve', speed = 2 })",
            "clip 3: wants a table of options, but was given a list"
        ),
        (
            "draft:add_clip('a.mp4', { range = { 0, nil, 2 } })",
            "‘range’ is a list with a gap: it has 2 items, but the last is number 3"
        ),
        (
            "draft:add_clip('a.mp4', { [true] = 1 })",
            "a value has a key that is a boolean; keys are names, or 1, 2, 3, …"
        ),
        (
            "draft:add_clip('a.mp4', { [1.5] = 1 })",
            "a value has a key that is the number 1.5; keys are names, or 1, 2, 3, …"
        ),
        ("draft:add_clip('a.mp4', { id = coroutine.create(print) })", "‘id’ is a thread, but must be a plain value"),
        ("draft:add_clip('a.mp4', { id = draft })", "‘id’ is a draft, but must be a plain value"),
        ("draft:add_clip(draft.clips[1])", "add_clip wants the path of a file, or a draft, but was given a table"),
        ("draft:add_title('a\\xffb')", "a value is not valid UTF-8: byte 2 of its text is wrong"),
        ("draft:add_title('a\\0b')", "a value has a zero byte in its text, which no text may have"),
        ("draft:add_title('x', { font = 'a\\xc3' })", "‘font’ is not valid UTF-8: byte 2 of its text is wrong"),
        ("draft:add_title(('x'):rep(9000000))", "a value is too long: all texts of one call may have 8 MB together"),
        (
            "local r, t = {}, {} for i = 1, 6000 do r[i] = i end for i = 1, 1000 do t[i] = r end "
                + "draft:add_clip('a.mp4', { volume = t })",
            "‘volume’ is too large: all values of one call may take 128 MB together"
        ),
        (
            "draft:add_clip('a.mp4', { speed = -(0/0) })",
            "clip 3: ‘speed’ is 0/0, which is not a number, but must be a number or a fraction such as \"30000/1001\""
        ),
        (
            "draft:add_clip('a.mp4', { range = { 0, math.huge } })",
            "clip 3: ‘range’ is infinity, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        // Lua's own.
        ("local x = nil + 1", "one side of the calculation is nothing, but must be a number"),
        ("undefined()", "there is no function ‘undefined’"),
        ("error('my own words')", "my own words"),
        ("error({ code = 1 })", "the script ended itself with a table, and not with a text that says what is wrong"),
        ("error(setmetatable({}, { __tostring = function() return 'told' end }))", "told"),
        ("error()", "the script ended itself with nothing, and not with a text that says what is wrong"),
        ("assert(1 > 2)", "what ‘assert’ was given does not hold; assert(value, \"text\") says what is wrong"),
        ("assert(nil, 'my own words')", "my own words"),
        ("table.concat({ 1, {} })", "‘concat’ joins texts and numbers, but entry 2 is a table"),
        ("local f <close> = 1", "the variable ‘f’ is <close>, but its value has nothing that closes it"),
        ("string.rep()", "‘rep’ wants a text as its argument 1, but was given nothing"),
        ("table.insert(nil, 1)", "‘insert’ wants a table as its argument 1, but was given nothing"),
        ("local _ = ('x'):find('[')", "malformed pattern (missing ']')"),
    ]

    @Test(arguments: cases.indices)
    func `a mistake is named with its line`(index: Int) {
        let (script, message) = Self.cases[index]
        let error = failure(twoClips + "\n\n" + script + "\nreturn draft")
        #expect(error?.description == "edit.lua:5: \(message)", "\(script)")
    }

    @Test func `a syntax error has its line`() {
        let error = failure("local x = 1\nif x the\nend")
        #expect(error?.code == .syntax)
        #expect(error?.description == "edit.lua:2: ‘then’ is missing before ‘the’")
        let open = failure("for i = 1, 2 do\n\n")
        #expect(open?.code == .syntax)
        #expect(open?.message == "the ‘for’ of line 1 is not closed: ‘end’ is missing before the end of the script")
    }

    /// Mistakes of users of other languages, and of pasted text.
    static let habits: [(line: String, message: String)] = [
        (
            "draft:add_clip('a.mp4', { end = 1 })",
            "‘end’ is a word of Lua's own, and no option is called so; what is played of a file is its ‘range’, { start, duration }"
        ),
        (
            "draft:add_clip(“a.mp4”)",
            "texts stand between straight quotation marks, \"…\" or '…', and not ‘“’"
        ),
        (
            "draft:add_clip('a.mp4', { range = [0, 1] })",
            "lists stand in braces, as in { 0, 1 }, and not in brackets"
        ),
        ("draft:add_clip('a.mp4', { volume: 1 })", "an option is set with ‘=’: volume = …, and not volume: …"),
        (
            "draft:add_clip('a.mp4', { \"volume\": 1 })",
            "an option is set with ‘=’: volume = …, and not volume: …"
        ),
        ("if #draft.clips != 2 then end", "‘!=’ is written ‘~=’ in Lua"),
        ("if draft && cutroom then end", "‘&&’ is written ‘and’ in Lua"),
        ("local x = 1 x += 1", "Lua has no ‘+=’ and no ‘++’; write x = x + …"),
        ("draft:add_clip('a.mp4' { volume = 1 })", "a comma or ‘)’ is missing before ‘{’"),
        ("draft:add_clip('a.mp4)", "a text that begins here is not closed: its quotation mark is missing"),
        ("local x = 3px", "‘3p’ is not a number"),
        ("draft add_clip('a.mp4')", "‘add_clip’ cannot stand here"),
        ("local function = 1", "a name is missing before ‘=’"),
        ("if then", "‘then’, a word of Lua's own, cannot stand here"),
        ("end", "‘end’ is one too many: nothing is open that it could close"),
        ("local a <const> = 1 a = 2", "the variable ‘a’ is constant, <const>, and cannot be set again"),
        ("local a <final> = 1", "a variable cannot be <final>; there are <const> and <close>"),
        ("goto x", "there is no label ‘::x::’ where ‘goto x’ could go"),
        ("goto x; local y = 1 ::x:: y = 2", "‘goto x’ would leave out where the variable ‘y’ is made"),
        ("::x:: do goto x end ::x:: do end", "the label ‘::x::’ is there already, in line 5"),
        ("break", "‘break’ stands in no loop that it could end"),
        ("do return ... a end", "‘end’ is missing before ‘a’"),
        ("return ... a", "‘a’ cannot stand here"),
        ("local function f() return ... end", "‘...’ stands in a function that takes no ‘...’ itself"),
        (
            "local x = '\\q'",
            "a text has a backslash that says nothing to Lua; one that is meant is written twice, \\\\"
        ),
    ]

    @Test(arguments: habits.indices)
    func `what is no Lua is told of in sentences`(index: Int) {
        let (line, message) = Self.habits[index]
        let error = failure(twoClips + "\n\n" + line + "\nreturn draft")
        #expect(error?.description == "edit.lua:5: \(message)" && error?.code == .syntax, "\(line)")
        // In a module too.
        let module = failure("\nrequire 'part'", files: ["part.lua": "\n" + line])
        let there = message.replacing("line 5", with: "line 2")
        #expect(module?.description.hasPrefix("part.lua:2: ") == true && module?.message == there, "\(line)")
    }

    @Test func `an error has its traceback`() {
        let error = failure(
            """
            \(twoClips)
            local function add(path)
              draft:add_clip(path)
              return true
            end
            function add_all()
              for _, path in ipairs { "a.mp4", "gone.mp4" } do add(path) end
            end
            add_all()
            """)
        #expect(error?.description == "edit.lua:5: clip 4: there is no file ‘gone.mp4’")
        #expect(error?.code == .rule)
        #expect(error?.traceback == ["edit.lua:5: in add", "edit.lua:9: in add_all", "edit.lua:11: in the main part"])
    }

    @Test func `an error inside a coroutine or a pcall is the same`() throws {
        let error = failure("\(twoClips)local co = coroutine.wrap(function()\n draft:add_clip('x.mp4')\nend) co()")
        #expect(error?.description == "edit.lua:4: clip 3: there is no file ‘x.mp4’")
        try run(
            """
            \(twoClips)
            local ok, message = pcall(function() draft.clips[1].speed = 0 end)
            assert(not ok and message:match("edit.lua:4: clip 1 %(opening%): the speed is 0, but must lie between"), message)
            return draft
            """)
    }

    @Test func `what a script returns must be a draft`() {
        #expect(
            failure("local x = 1")?.description
                == "edit.lua: the script must return its draft, but returned nothing; end it with ‘return draft’")
        #expect(failure("return 7")?.code == .result)
        #expect(failure("return {}")?.message.contains("returned a table") == true)
        #expect(failure("\(twoClips) return draft.clips[1]")?.code == .result)
    }

    @Test func `scripts that cannot be read`() throws {
        try TemporaryFolder.with { folder in
            func code(_ path: String) -> String? {
                do throws(ScriptError) { _ = try Script.run(path: path, environment: TestEnvironment()) } catch {
                    return error.message
                }
                return nil
            }
            #expect(code(folder.file("none.lua")) == "is not there")
            #expect(code(folder.path) == "is a folder, not a file")
            #expect(code("/dev/null") == "is not a regular file")
            try folder.write("x = 1\0", to: "zero.lua")
            #expect(code(folder.file("zero.lua")) == "has a zero byte in it, so it is not a text")
            try folder.write(.init([0x78, 0xff]), to: "latin.lua")
            #expect(code(folder.file("latin.lua")) == "is not a UTF-8 text")
            try folder.write("", to: "empty.lua")
            #expect(code(folder.file("empty.lua"))?.hasPrefix("the script must return its draft") == true)
        }
    }

    @Test func `a first line for the shell and a byte order mark are no error`() throws {
        try run("#!/usr/bin/env -S cutroom render\n\(twoClips) return draft")
        try run("\u{feff}\(twoClips) return draft")
        #expect(failure("#!/usr/bin/cutroom\nlocal = 1")?.line == 2)
    }

    @Test func `a long path keeps its place`() throws {
        try TemporaryFolder.with { folder in
            let name = String(repeating: "a-very-long-folder/", count: 8) + "edit.lua"
            try folder.write("\nlocal x = nil + 1", to: name)
            let error = #expect(throws: ScriptError.self) {
                try Script.run(path: folder.file(name), environment: TestEnvironment())
            }
            #expect(
                error?.description == folder.file(name)
                    + ":2: one side of the calculation is nothing, but must be a number")
        }
    }

    @Test func `problems of the whole draft name the lines of its objects`() throws {
        let result = try run(
            "draft = require('cutroom').draft { 'a.mp4' }\ndraft:add_image('photo.jpg', { duration = 2 })\n"
                + "draft:add_clip('c.mp4', { transition = { 'dissolve', 3 } })\nreturn draft")
        let problems = result.draft.validate(result.catalog)
        #expect(problems.count == 1 && problems.allSatisfy { $0.origin?.line == 3 }, "\(problems)")
        let empty = try run("local cutroom = require 'cutroom'\n\nreturn cutroom.draft {}")
        #expect(
            empty.draft.validate(empty.catalog).map { "\($0.origin?.line ?? 0): \($0.message)" } == [
                "3: has no clips; add one with add_clip or add_image, or sound with add_audio"
            ])
    }

    @Test func `a call that ends a function has its line`() {
        let error = failure("local cutroom = require 'cutroom'\n\nreturn cutroom.draft('gone.mp4')")
        #expect(error?.description == "edit.lua:3: clip 1: there is no file ‘gone.mp4’")
        let method = failure("\(twoClips)local function add(path)\n  return draft:add_clip(path)\nend\nadd('gone.mp4')")
        #expect(method?.description == "edit.lua:4: clip 3: there is no file ‘gone.mp4’")
        #expect(method?.traceback == ["edit.lua:4: in add", "edit.lua:6: in the main part"])
    }

    @Test func `an error says what it is about`() {
        func object(_ script: String) -> [String?] {
            let error = failure(twoClips + script)
            return [error?.object, error?.message]
        }
        #expect(
            object("draft.clips[1].speed = 0")
                == ["clip 1 (opening)", "the speed is 0, but must lie between 0.01 and 100"])
        #expect(object("draft:remove_clip(9)") == [nil, "there is no clip 9; the draft has 2"])
        #expect(
            object("cutroom.open('none.cutroom')") == ["the document ‘none.cutroom’", "is not there"])
        #expect(
            object("draft:transaction(function() draft:add_title('x', { colr = 'red' }) end)")
                == ["effect 1 (title)", "has no option ‘colr’; did you mean ‘color’?"])
        #expect(
            object("draft.clips[1].volume = function(t) return t < 4 and 1 or nil end return draft").first
                == "clip 1, at 4 s")
    }
}
