import Draft
import Testing

@testable import Scripting

/// What people try first, and the sentence that says how it is done.
@Suite struct AdviceTests {
    private static let ducking =
        "it is a sound effect of the music: effects = { { \"org.cutroom.ducking\", key = \"voice\" } }, with the ‘id’ of the voice"
    private static let start =
        "when it starts is its ‘at’, and what is played of the file its ‘range’, { start, duration }"
    private static let fade =
        "a clip fades from black with opacity = { { 0, 0 }, { 1, 1 } }, and its sound with fade_in = 1"
    private static let number = "but must be a number, a list of keyframes or a function of time"

    static let options: [(script: String, message: String)] = [
        (
            "draft:add_clip('a.mp4', { colour = 'red' })",
            "clip 3: has no option ‘colour’; a clip has no colour; ‘background’ is the area beside its picture, and "
                + "draft:add_layer { color = \"tomato\" } shows a colour"
        ),
        (
            "draft:add_layer('a.mp4', { colour = 'red' })",
            "effect 1 (layer): has no option ‘colour’; a layer of a file has no colour; draft:add_layer { color = \"tomato\" } is one of "
                + "a colour alone"
        ),
        ("draft:add_layer { colour = 'red' }", "effect 1 (layer): has no option ‘colour’; did you mean ‘color’?"),
        (
            "draft:add_title('x', { outline_colour = 'red' })",
            "effect 1 (title): has no option ‘outline_colour’; did you mean ‘outline_color’?"
        ),
        ("draft:add_audio('music.m4a', { ducking = true })", "audio 1: has no option ‘ducking’; \(ducking)"),
        ("draft:add_layer('a.mp4', { ducking = true })", "effect 1 (layer): has no option ‘ducking’; \(ducking)"),
        (
            "draft:add_audio('music.m4a', { transition = 1 })",
            "audio 1: has no option ‘transition’; audio clips may overlap: ‘at’ starts the next one earlier, and ‘fade_out’ and ‘fade_in’ "
                + "cross them"
        ),
        (
            "draft:add_clip('a.mp4', { time_range = { 0, 1 } })",
            "clip 3: has no option ‘time_range’; what is played of the file is its ‘range’; draft.time_range is the part of the draft that "
                + "is rendered"
        ),
        (
            "draft:add_layer('a.mp4', { time_range = { 0, 1 } })",
            "effect 1 (layer): has no option ‘time_range’; \(start)"
        ),
        ("draft:add_audio('music.m4a', { time_range = { 0, 1 } })", "audio 1: has no option ‘time_range’; \(start)"),
        (
            "draft:add_title('x', { time_range = { 0, 1 } })",
            "effect 1 (title): has no option ‘time_range’; when it acts is its ‘range’, { start, duration }"
        ),
        (
            "draft:add_subtitles('talk.srt', { force_style = 'Fontsize=20' })",
            "effect 1 (subtitles): has no option ‘force_style’; a style is options of its own, such as ‘font’, ‘size’, ‘color’, "
                + "‘outline_color’, ‘position’ and ‘margin’"
        ),
        (
            "draft:add_effect('org.cutroom.vignette', { rect = { 0, 0, 9, 9 } })",
            "effect 1 (org.cutroom.vignette): has no parameter ‘rect’; an effect acts on the whole picture; for a part of it add the clip "
                + "again as a layer, with ‘crop’ and the effect in its ‘effects’"
        ),
        ("draft.fade_in = 1", "draft: has no property ‘fade_in’; \(fade)"),
        ("cutroom.draft('a.mp4', { fade_out = 1 })", "draft: has no option ‘fade_out’; \(fade)"),
    ]

    private static let border =
        "there is no border; a colour layer beneath, a little larger, makes one: add draft:add_layer { color = \"white\", size = { … } } "
        + "before the picture"
    private static let pitch =
        "clips and layers always keep the pitch when their speed changes; only audio clips have ‘keep_pitch’"
    private static let pictureHints = [
        ("border", border), ("border_width", border), ("outline", border), ("stroke", border),
        ("muted", "‘volume = 0’ is silence"), ("mute", "‘volume = 0’ is silence"), ("keep_pitch", pitch),
        ("shape", "‘corner_radius’ rounds its corners; \"50%\" makes a circle of a square"),
        ("chroma_key", "it is one of its ‘effects’: effects = { { \"org.cutroom.chroma_key\" } }"),
        ("blur", "it is one of its ‘effects’: effects = { { \"org.cutroom.blur\", { radius = 4 } } }"),
    ]

    @Test(arguments: pictureHints)
    func `clips and layers give the same advice`(option: String, advice: String) {
        for (call, object) in [
            ("draft:add_clip('a.mp4', { \(option) = 2 })", "clip 3"),
            ("draft:add_layer('a.mp4', { \(option) = 2 })", "effect 1 (layer)"),
        ] {
            let error = failure("\(twoClips) \(call)\nreturn draft")?.description ?? "no error"
            #expect(error.hasSuffix(": \(object): has no option ‘\(option)’; \(advice)"), "\(error)")
        }
    }

    static let values: [(script: String, message: String)] = [
        (
            "draft:add_clip('a.mp4', { effects = { 'org.cutroom.blur', { radius = 4 } } })",
            "clip 3: ‘effects’ begins with ‘org.cutroom.blur’, but must be a list of effects; one is effects = { { "
                + "\"org.cutroom.blur\", { … } } }"
        ),
        (
            "draft:add_audio('music.m4a', { effects = { 'org.cutroom.echo' } })",
            "audio 1: ‘effects’ begins with ‘org.cutroom.echo’, but must be a list of effects; one is effects = { { "
                + "\"org.cutroom.echo\" } }"
        ),
        (
            "draft:add_title('x', { size = '12%' })",
            "effect 1 (title): ‘size’ is ‘12%’, but must be a number of pixels; 12% of the canvas' height is draft.size[2] * 0.12"
        ),
        (
            "draft:add_clip('a.mp4', { background = 'blurred' })",
            "clip 3: ‘background’ is ‘blurred’; did you mean ‘blur’?"
        ),
        (
            "draft.background = 'blurred'",
            "draft: ‘background’ is ‘blurred’, but must be a colour; a clip has background = \"blur\", which fills the canvas with its "
                + "own picture, blurred"
        ),
        ("draft:add_title('x', { align = 'middle' })", "effect 1 (title): ‘align’ is ‘middle’; did you mean ‘center’?"),
        (
            "draft:add_title('x', { position = { 'middle', 'top' } })",
            "effect 1 (title): ‘position’ has ‘middle’; did you mean ‘center’?"
        ),
        (
            "draft:add_layer('a.mp4', { position = { 'left', 'middle' } })",
            "effect 1 (layer): ‘position’ has ‘middle’; did you mean ‘center’?"
        ),
        (
            "draft.background = 'blur'",
            "draft: ‘background’ is ‘blur’, but must be a colour; a clip has background = \"blur\", which fills the canvas with its own "
                + "picture, blurred"
        ),
        (
            "draft:add_image('photo.jpg', { range = { 0, 1 } })",
            "clip 3: an image has no ‘range’; its ‘duration’ is how long it is shown, in seconds"
        ),
        (
            "draft:add_layer('photo.jpg', { range = { 0, 1 } })",
            "effect 1 (layer): an image has no ‘range’; its ‘duration’ is how long it is shown, in seconds"
        ),
        (
            "draft:add_layer('a.mp4', { mask = 'circle' })",
            "effect 1 (layer), mask: there is no file ‘circle’; corner_radius = \"50%\" with mode = \"fill\" and a square ‘size’ makes a "
                + "circle"
        ),
        ("draft:add_clip('a.mp4', { opacity = '30%' })", "clip 3: ‘opacity’ is ‘30%’, \(number); 30% is 0.3"),
        (
            "draft:add_title('x', { opacity = '33.3 %' })",
            "effect 1 (title): ‘opacity’ is ‘33.3 %’, \(number); 33.3 % is 0.333"
        ),
        ("draft:add_audio('music.m4a', { volume = '-6dB' })", "audio 1: ‘volume’ is ‘-6dB’, \(number); -6dB is 0.5012"),
        ("draft:add_clip('a.mp4', { volume = '+6 dB' })", "clip 3: ‘volume’ is ‘+6 dB’, \(number); +6 dB is 1.9953"),
        ("draft:add_clip('a.mp4', { opacity = '-6dB' })", "clip 3: ‘opacity’ is ‘-6dB’, \(number)"),
        ("draft:add_clip('a.mp4', { rotation = '30%' })", "clip 3: ‘rotation’ is ‘30%’, \(number)"),
        (
            "draft:add_clip('a.mp4', { speed = '200%' })",
            "clip 3: ‘speed’ is ‘200%’, but must be a number or a fraction such as \"30000/1001\"; 200% is 2"
        ),
        (
            "draft:add_layer('a.mp4', { position = 'bottom_right', margin = { 40, 20 } })",
            "effect 1 (layer): ‘margin’ is a list, but must be one length for both directions; for two, position = { \"100%-40\", "
                + "\"100%-20\" } with an ‘anchor’ lies 40 pixels from the right and 20 from the bottom"
        ),
        (
            "draft:add_clip('a.mp4', { speed = { 1, 3 } })",
            "clip 3: ‘speed’ is a list of 2 numbers, but must be a number, or keys { seconds of the range, speed } such as "
                + "{ { 0, 1 }, { 2, 3 } }"
        ),
        (
            "draft:add_audio('music.m4a', { speed = { 1, 3 } })",
            "audio 1: ‘speed’ is a list, but an audio clip has one speed; add the file once for each part, with its ‘range’ and ‘speed’"
        ),
        (
            "draft:add_effect('sepia')",
            "effect 1: there is no effect ‘sepia’; ‘org.cutroom.libavfilter_pure’ does it: { graph = "
                + "\"colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131\" }"
        ),
        (
            "draft:add_clip('a.mp4', { effects = { { 'denoise' } } })",
            "clip 3, effect 1: there is no effect ‘denoise’; ‘org.cutroom.libavfilter’ does it for a picture, { graph = \"hqdn3d\" }, and "
                + "‘org.cutroom.noise_reduction’ for sound"
        ),
        (
            "draft:add_effect('brightness')",
            "effect 1: there is no effect ‘brightness’; ‘org.cutroom.libavfilter_pure’ does it: { graph = \"eq=brightness=0.1\" }"
        ),
    ]

    @Test(arguments: options + values)
    func `a first try gets the way to do it`(script: String, message: String) {
        let error = failure("\(twoClips) \(script)\nreturn draft")
        #expect(error?.description.hasSuffix(": \(message)") == true, "\(error?.description ?? "no error")")
    }

    @Test func `a layer's duration alone is a warning, whatever is set later`() throws {
        func warnings(_ script: String) throws -> [String] {
            let result = try run("\(twoClips) \(script)\nreturn draft")
            return result.draft.warnings(result.catalog).map(\.description)
        }
        let line = "local layer = draft:add_layer('a.mp4', { duration = 2 })\n"
        let sentence =
            "effect 1 (layer): its ‘duration’ of 2 s plays all 8 s of its content at speed 4; range = { 0, 2 } plays the first 2 s at "
            + "normal speed instead, and a ‘range’ beside ‘duration’ says that this speed is meant"
        for more in ["", "layer.opacity = 0.5", "layer.effects = {}"] {
            let found = try warnings(line + more)
            #expect(found.count == 1 && found.allSatisfy { $0.hasSuffix(sentence) }, "\(more): \(found)")
            #expect(found.allSatisfy { $0.contains("edit.lua:") }, "\(found)")
        }
        #expect(try warnings(line + "layer.speed = 4") == [])
        #expect(try warnings(line + "layer.range = { 0, 8 }") == [])
        #expect(try warnings("draft.clips[1].duration = 4").count == 1)
        #expect(try warnings("draft:add_layer('a.mp4', { range = { 0, 8 }, duration = 2 })") == [])
    }
}
