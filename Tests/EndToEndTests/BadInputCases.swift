import Testing

extension EndToEnd.BadInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// After the lines `local cutroom …` and `local draft …`, so its first line is the script's
        /// third. The files are those of ``EndToEnd/BadFiles``.
        var body: String
        var exit: Exit = .data
        /// What the message must contain.
        var says: [String]
        var options: [String] = []
        /// One line for each.
        var problems = 1
        var testDescription: String { name }

        init(
            _ name: String, _ body: String, says: [String], exit: Exit = .data, options: [String] = [],
            problems: Int = 1
        ) {
            (self.name, self.body, self.says, self.exit) = (name, body, says, exit)
            (self.options, self.problems) = (options, problems)
        }
    }

    static let media: [Case] = [
        Case("missing", "draft:add_clip('nowhere.mp4')", says: ["edit.lua:3", "nowhere.mp4"]),
        Case(
            "other capitals", "draft:add_clip('Good.mp4')",
            says: ["edit.lua:3", "Good.mp4", "did you mean ‘good.mp4’?"]),
        Case(
            "a URL", "draft:add_clip('https://x.org/a.mp4')",
            says: ["edit.lua:3", "https://x.org/a.mp4", "URLs are not"]),
        Case("empty", "draft:add_clip('empty.mp4')", says: ["edit.lua:3", "empty.mp4"]),
        Case(
            "truncated", "draft:add_clip('truncated.mp4')",
            says: ["edit.lua:3: clip 1: cannot read ‘truncated.mp4’: it is"]),
        Case("text", "draft:add_clip('text.mp4')", says: ["edit.lua:3", "text.mp4"]),
        Case("noise", "draft:add_clip('noise.mp4')", says: ["edit.lua:3", "noise.mp4"]),
        Case("sound only", "draft:add_clip('tone.wav')", says: ["edit.lua:3", "tone.wav", "picture"]),
        Case("picture only", "draft:add_audio('silent.mp4')", says: ["edit.lua:3", "silent.mp4", "sound"]),
        Case("a folder", "draft:add_clip('folder')", says: ["edit.lua:3", "folder"]),
        Case("an image as a clip", "draft:add_clip('still.png')", says: ["edit.lua:3", "still.png", "add_image"]),
        Case(
            "a clip as an image", "draft:add_image('good.mp4', { duration = 1 })",
            says: ["edit.lua:3", "good.mp4", "add_clip"]),
        Case(
            "a look of the wrong size", "draft:add_clip('good.mp4')\ndraft:add_effect('lut', { image = 'still.png' })",
            says: ["edit.lua:4", "still.png", "512"]),
        Case(
            "a look that is text", "draft:add_clip('good.mp4')\ndraft:add_effect('lut', { image = 'text.cube' })",
            says: ["edit.lua:4", "text.cube"]),
        look("rows are missing", "cut.cube", ["7 rows", "8"]),
        look("rows are too many", "many.cube", ["line 10", "more rows"]),
        look("rows are no numbers", "words.cube", ["line 3", "zero"]),
        look("a number is none", "nan.cube", ["line 3", "finite"]),
        look("the size is none", "size.cube", ["line 1", "2…256"]),
        look("there is no end", "endless.cube", ["line 2", "longer"]),
        Case(
            "a missing sticker",
            "draft:add_clip('good.mp4')\ndraft:add_effect('sticker', { image = 'gone.png', rect = { 0, 0, 9, 9 } })",
            says: ["edit.lua:4", "gone.png"]),
        Case(
            "a missing font", "draft:add_clip('good.mp4')\ndraft:add_title('x', { font_file = 'gone.ttf' })",
            says: ["edit.lua:4", "gone.ttf"]),
        Case(
            "a font that is a picture", "draft:add_clip('good.mp4')\ndraft:add_title('x', { font_file = 'still.png' })",
            says: ["edit.lua:4: effect 1 (title): cannot load the font ‘still.png’: it is not a font"]),
        Case(
            "a font without an end", "draft:add_clip('good.mp4')\ndraft:add_title('x', { font_file = 'endless.cube' })",
            says: ["edit.lua:4: effect 1 (title): cannot load the font ‘endless.cube’: it is not a font"]),
        Case(
            "a document that is a script", "cutroom.open('good.lua')",
            says: ["edit.lua:3: ‘good.lua’: is not a draft's document", "cutroom save"]),
        Case(
            "subtitles that are a script", "draft:add_subtitles('good.lua')",
            says: ["edit.lua:3: effect 1 (subtitles)", "‘good.lua’", "no video, sound, picture or subtitles"]),
        Case(
            "a missing file of a plugin",
            "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.chroma_key', { image = 'gone.png' })",
            says: ["edit.lua:4", "gone.png"]),
    ]

    /// A look whose file says something wrong.
    private static func look(_ name: String, _ file: String, _ says: [String]) -> Case {
        Case(
            "a look where \(name)", "draft:add_clip('good.mp4')\ndraft:add_effect('lut', { image = '\(file)' })",
            says: ["edit.lua:4", file] + says)
    }

    static let values: [Case] = [
        Case(
            "a range beyond the media", "draft:add_clip('good.mp4', { range = { 9, 1 } })",
            says: ["edit.lua:3", "clip 1", "9", "2 s"]),
        Case("an empty range", "draft:add_clip('good.mp4', { range = { 0, 0 } })", says: ["edit.lua:3"]),
        Case("a negative range", "draft:add_clip('good.mp4', { range = { -1, 1 } })", says: ["edit.lua:3"]),
        Case(
            "sound beyond its media", "draft:add_clip('good.mp4')\ndraft:add_audio('tone.wav', { range = { 3, 9 } })",
            says: ["edit.lua:4", "audio 1"]),
        Case(
            "speed zero", "draft:add_clip('good.mp4', { speed = 0 })",
            says: ["edit.lua:3", "clip 1", "speed", "0.01", "100"]),
        Case("a negative speed", "draft:add_clip('good.mp4', { speed = -2 })", says: ["edit.lua:3", "speed", "-2"]),
        Case("a huge speed", "draft:add_clip('good.mp4', { speed = 1e9 })", says: ["edit.lua:3", "speed", "100"]),
        Case("an infinite speed", "draft:add_clip('good.mp4', { speed = 1 / 0 })", says: ["edit.lua:3", "speed"]),
        Case(
            "a speed that is no number", "draft:add_clip('good.mp4', { speed = 0 / 0 })", says: ["edit.lua:3", "speed"]),
        Case(
            "a long transition",
            "draft:add_clip('good.mp4', { range = { 0, 1 } })\ndraft:add_clip('good.mp4', { range = { 0, 1 }, transition = { 'dissolve', 1.5 } })",
            says: ["edit.lua:4", "clip 2", "1.5 s"]),
        Case(
            "transitions that do not fit together",
            "for i = 1, 3 do draft:add_clip('good.mp4', { range = { 0, 1 }, transition = i > 1 and { 'dissolve', 0.6 } or nil }) end",
            says: ["edit.lua:3", "clip 2", "do not fit"]),
        Case(
            "a transition of the first clip", "draft:add_clip('good.mp4', { transition = 0.5 })",
            says: ["edit.lua:3", "clip 1", "transition"]),
        Case(
            "an unknown transition",
            "draft:add_clip('good.mp4')\ndraft:add_clip('good.mp4', { transition = { 'disolve', 0.5 } })",
            says: ["edit.lua:4", "disolve", "‘dissolve’"]),
        Case(
            "an unknown effect", "draft:add_clip('good.mp4')\ndraft:add_effect('stiker', {})",
            says: ["edit.lua:4", "stiker", "‘sticker’"]),
        Case(
            "an unknown plugin", "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignete', {})",
            says: ["edit.lua:4", "org.cutroom.vignete", "‘org.cutroom.vignette’"]),
        Case("an unknown key", "draft:add_clip('good.mp4', { volum = 1 })", says: ["edit.lua:3", "volum", "‘volume’"]),
        Case(
            "an unknown plugin parameter",
            "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignette', { strenght = 1 })",
            says: ["edit.lua:4", "strenght", "‘strength’"]),
        Case(
            "a plugin parameter out of range",
            "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignette', { strength = 7 })",
            says: ["edit.lua:4", "strength", "7"]),
        Case(
            "a speed effect of zero", "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { factor = 0 })",
            says: ["edit.lua:4", "effect 1", "factor"]),
        Case(
            "a repeat of zero", "draft:add_clip('good.mp4')\ndraft:add_effect('repeat', { count = 0 })",
            says: ["edit.lua:4", "effect 1", "count"]),
        Case(
            "a repeat without end", "draft:add_clip('good.mp4')\ndraft:add_effect('repeat', { count = 1e15 })",
            says: ["edit.lua:4", "effect 1"]),
        Case(
            "repeats of repeats",
            "draft:add_clip('good.mp4')\nfor i = 1, 9 do draft:add_effect('repeat', { count = 10000 }) end",
            says: ["edit.lua:4"]),
        Case(
            "an effect after the end",
            "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { range = { 50, 1 }, factor = 2 })",
            says: ["edit.lua:4", "effect 1"]),
        Case(
            "an effect after what a speed left",
            "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { factor = 4 })\ndraft:add_effect('repeat', { range = { 1, 0.5 }, count = 2 })",
            says: ["edit.lua:5", "effect 2"]),
        Case(
            "a time range after the end", "draft:add_clip('good.mp4')\ndraft.time_range = { 9, 1 }",
            says: ["edit.lua:4", "time_range", "9"]),
        Case("no clips", "", says: ["clip", "add_audio"]),
        Case(
            "nothing with an end", "draft:add_audio('tone.wav', { loop = true })",
            says: ["has no clips, and nothing in it has an end", "duration"]),
        Case(
            "a length beside clips", "draft:add_clip('good.mp4')\ndraft.duration = 3",
            says: ["edit.lua:4", "its clips decide how long it is"]),
        Case(
            "a key that is not there",
            "draft:add_audio('tone.wav', { effects = { { 'org.cutroom.ducking', key = 'voice' } } })",
            says: ["edit.lua:3", "‘voice’", "no clip, audio clip or layer has that id"]),
        Case(
            "a key that is keyed by what it keys",
            "draft:add_audio('tone.wav', { id = 'a', effects = { { 'org.cutroom.ducking', key = 'b' } } })\n"
                + "draft:add_audio('tone.wav', { id = 'b', effects = { { 'org.cutroom.ducking', key = 'a' } } })",
            says: ["edit.lua:3: audio 1 (a)", "edit.lua:4: audio 2 (b)", "nothing can key what keys it"], problems: 2),
        Case("a loudness that is none", "draft.loudness = 3", says: ["edit.lua:3", "-70 and -5 LUFS"]),
        Case("an odd size", "draft.size = { 101, 77 }\ndraft:add_clip('good.mp4')", says: ["edit.lua:3", "even"]),
        Case(
            "an enormous size", "draft.size = { 1e6, 1e6 }\ndraft:add_clip('good.mp4')", says: ["edit.lua:3", "8192"]),
        Case(
            "a colour that is none", "draft:add_clip('good.mp4')\ndraft:add_title('x', { color = 'reddish' })",
            says: ["edit.lua:4", "color", "reddish"]),
        Case(
            "a sticker of no size",
            "draft:add_clip('good.mp4')\ndraft:add_effect('sticker', { image = 'still.png', rect = { 0, 0, 0, 0 } })",
            says: ["edit.lua:4", "rect"]),
    ]

    static let scripts: [Case] = [
        Case("a syntax error", "if then", says: ["edit.lua:3", "then"]),
        Case("a runtime error", "local nothing\nnothing.field = 1", says: ["edit.lua:4", "nothing"]),
        Case("an error of its own", "error 'the template is wrong'", says: ["edit.lua:3", "the template is wrong"]),
        Case("os.execute", "os.execute('touch harm')", says: ["edit.lua:3", "os"]),
        Case("io.open", "io.open('harm', 'w')", says: ["edit.lua:3", "io"]),
        Case("a memory bomb", "local s = 'x'\nwhile true do s = s .. s end", says: ["edit.lua", "memory"]),
        Case("nothing returned", "do return end", says: ["edit.lua", "draft"]),
        Case("not a draft returned", "do return 7 end", says: ["edit.lua", "draft"]),
        Case(
            "an unknown parameter",
            "cutroom.params { title = { type = 'string', default = '' } }\ndraft:add_clip('good.mp4')",
            says: ["titel", "‘title’"], exit: .usage, options: ["--set", "titel=x"]),
        Case(
            "a parameter of the wrong type",
            "cutroom.params { n = { type = 'integer', default = 1 } }\ndraft:add_clip('good.mp4')",
            says: ["edit.lua:3", "--set n", "many"], exit: .usage, options: ["--set", "n=many"]),
    ]

    /// Command lines, run among the files of ``EndToEnd/BadFiles``.
    static let commands: [([String], Exit, [String])] =
        [
            (["render", "gone.lua", "-o", "out.mp4"], .noInput, ["gone.lua"]),
            (["render", "folder", "-o", "out.mp4"], .noInput, ["folder"]),
            (["render", "good.lua", "-o", "out.mpeg"], .usage, ["out.mpeg", ".mp4"]),
            (["render", "good.lua", "-o", ""], .usage, ["empty"]),
            (["render", "good.lua", "-o", "nowhere/out.mp4"], .cannotCreate, ["nowhere"]),
            (["render", "good.lua", "-o", "good.lua/out.mp4"], .cannotCreate, ["good.lua"]),
            (["render", "good.lua", "-o", "folder.mp4"], .cannotCreate, ["folder.mp4", "folder"]),
            (["render", "good.lua", "-o", "there.mp4"], .cannotCreate, ["there.mp4", "--overwrite"]),
            (["render", "good.lua", "-o", "out.mp4", "--set", "novalue"], .usage, ["novalue"]),
            (["render", "good.lua", "-o", "out.mp4", "--workers", "0"], .usage, ["--workers", "0"]),
            (["render", "good.lua", "-o", "out.mp4", "--workers", "many"], .usage, ["many"]),
            (["render", "good.lua", "-o", "out.mp4", "--stall-timeout", "0"], .usage, ["--stall-timeout"]),
            (["render", "good.lua", "-o", "out.mp4", "--progress", "loud"], .usage, ["loud"]),
            (["render", "good.lua", "-o", "out.mp4", "--overwite"], .usage, ["--overwite", "--overwrite"]),
            (["render"], .usage, ["script"]),
            (["rendr", "good.lua"], .usage, ["rendr", "‘render’"]),
            (["good.lua"], .usage, ["good.lua", "check", "render"]),
            (["plugin", "lst"], .usage, ["‘lst’", "‘list’"]),
            (["check", "gone.lua"], .noInput, ["gone.lua"]),
            (["render", "tone.wav", "-o", "out.mp4"], .data, ["‘tone.wav’ has no picture; use add_audio"]),
            (["check", "still.png"], .data, ["‘still.png’ is a still image; use add_image"]),
            (["plan", "truncated.mp4"], .data, ["cannot read ‘truncated.mp4’", "cut off"]),
            (
                ["cover", "noise.mp4", "--at", "0", "-o", "out.png"], .data,
                ["cannot read ‘noise.mp4’", "known format"]
            ),
            (["render", "text.mp4", "-o", "out.mp4"], .data, ["cannot read ‘text.mp4’", "it holds text"]),
            (["check", "empty.mp4"], .data, ["cannot read ‘empty.mp4’: the file is empty"]),
            (["check", "good.mp4", "--set", "x=1"], .usage, ["‘--set’ is for scripts", "good.mp4"]),
            (["params", "good.mp4"], .usage, ["‘good.mp4’ is a media file, which has no parameters"]),
            (["render", "talk.srt", "-o", "out.mp4"], .noInput, ["‘talk.srt’ is a subtitle file", "add_subtitles"]),
            (["check", "pipe"], .noInput, ["‘pipe’ is not a regular file", "‘-’"]),
            (["check", "pipe.lua"], .noInput, ["‘pipe.lua’ is not a regular file"]),
            (["check", "/dev/null"], .noInput, ["‘/dev/null’ is not a regular file"]),
            (["check", "huge.cutroom"], .data, ["‘huge.cutroom’ is larger than 256 MiB"]),
            (["help", "rendr"], .usage, ["‘rendr’", "‘render’"]),
            (["cache", "clean"], .usage, ["‘clean’", "did you mean ‘clear’?"]),
            (["check", "https://x.org/edit.lua"], .noInput, ["https://x.org/edit.lua", "URLs are not supported"]),
            (["probe", "https://x.org/a.mp4"], .data, ["https://x.org/a.mp4", "URLs are not supported"]),
            (["probe", "good.mov"], .data, ["good.mov", "did you mean ‘good.mp4’?"]),
            (["params", "gone.lua"], .noInput, ["gone.lua"]),
            (["params", "version.cutroom"], .usage, ["version.cutroom", "no parameters"]),
            (["params", "good.lua", "--set", "x=1"], .usage, ["there is no parameter ‘x’"]),
            (["plan", "gone.lua", "--json"], .noInput, ["gone.lua"]),
            (["probe", "gone.mp4"], .data, ["gone.mp4"]),
            (["probe", "text.mp4"], .data, ["text.mp4"]),
            (["plugin", "info", "org.cutroom.vignete"], .data, ["org.cutroom.vignete", "‘org.cutroom.vignette’"]),
            (["save", "good.lua", "-o", "there.mp4"], .cannotCreate, ["there.mp4"]),
            (["render", "version.cutroom", "-o", "out.mp4"], .data, ["version.cutroom", "99"]),
            (["render", "key.cutroom", "-o", "out.mp4"], .data, ["key.cutroom", "clps", "‘clips’"]),
            (["render", "broken.cutroom", "-o", "out.mp4"], .data, ["broken.cutroom"]),
            (["render", "noise.cutroom", "-o", "out.mp4"], .data, ["noise.cutroom"]),
            (["render", "list.cutroom", "-o", "out.mp4"], .data, ["list.cutroom"]),
            (["render", "media.cutroom", "-o", "out.mp4"], .data, ["gone.mp4"]),
            (["render", "version.cutroom", "-o", "out.mp4", "--set", "a=b"], .usage, ["--set"]),
        ] + outputs + exports

    /// Outputs of no kind, and patterns where there is one file.
    static let outputs: [([String], Exit, [String])] = [
        (["render", "good.lua", "-o", "folder"], .usage, ["‘folder’ is a folder", "‘folder/’"]),
        (["render", "good.lua", "-o", "x"], .usage, ["‘x’ has no suffix", ".mp4", ".wav", ".png"]),
        (["render", "good.lua", "-o", "-"], .usage, ["‘-’ has no suffix"]),
        (["render", "good.lua", "-o", "frame-%04d.mp4"], .usage, ["frame-%04d.mp4", "‘.png’ or ‘.jpg’"]),
        (
            ["render", "good.lua", "-o", "out.mp4", "--workers", "-1"], .usage,
            ["--workers", "-1", "between 1 and 1024"]
        ),
        (["render", "good.lua", "-o", "out.mp4", "--stall-timeout", "-5"], .usage, ["--stall-timeout", "-5"]),
    ]

    /// Export options that are wrong, or cannot apply; none of these needs the script.
    static let exports: [([String], Exit, [String])] = [
        (["render", "gone.lua", "-o", "out.mp4", "--codec", "hevk"], .usage, ["‘--codec’", "hevk", "‘hevc’"]),
        (["render", "gone.lua", "-o", "out.mp4", "--audio-codec", "ac"], .usage, ["‘--audio-codec’", "aac"]),
        (
            ["render", "gone.lua", "-o", "out.mp4", "--codec", "prores"], .usage,
            ["‘--codec’", "mp4 cannot hold prores"]
        ),
        (
            ["render", "gone.lua", "-o", "out.webm", "--audio-codec", "aac"], .usage,
            ["‘--audio-codec’", "webm cannot hold aac"]
        ),
        (["render", "gone.lua", "-o", "out.mp4", "--bit-rate=-5"], .usage, ["‘--bit-rate’", "-5"]),
        (["render", "gone.lua", "-o", "out.mp4", "--bit-rate", "-5"], .usage, ["‘--bit-rate’", "-5"]),
        (
            ["render", "gone.lua", "-o", "out.mp4", "--quality", "20", "--bit-rate", "1M"], .usage,
            ["‘--quality’ or ‘--bit-rate’"]
        ),
        (
            ["render", "gone.lua", "-o", "out.mp4", "--codec", "h264", "--quality", "99"], .usage,
            ["‘--quality’ is 99", "51"]
        ),
        (["render", "gone.lua", "--codec", "av1", "--quality", "0"], .usage, ["‘--quality’ is 0", "63"]),
        (["render", "gone.lua", "-o", "x.wav", "--codec", "h264"], .usage, ["‘--codec’", "‘.wav’", "sound only"]),
        (["render", "gone.lua", "-o", "x.gif", "--quality", "20"], .usage, ["‘--quality’", "gif"]),
        (["render", "gone.lua", "-o", "x.gif", "--audio-codec", "aac"], .usage, ["‘--audio-codec’", "‘.gif’"]),
        (["render", "gone.lua", "-o", "x-%d.png", "--quality", "2"], .usage, ["‘--quality’", "png"]),
        (["render", "good.lua", "-o", "out.mp4", "--quality", "99"], .usage, ["‘--quality’ is 99", "51"]),
        (["render", "good.lua", "-o", "out.mp4", "--preset", "slowest"], .usage, ["‘--preset’", "slowest"]),
        (["render", "good.lua", "-o", "out.mp4", "--set", "nope=1"], .usage, ["nope"]),
    ]
}
