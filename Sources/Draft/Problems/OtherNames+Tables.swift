import Values

/// What other tools call things, by object. Other names of
/// options are declared with the options.
extension OtherNames {
    // MARK: The module and the draft

    /// `cutroom.…`
    public static let module = OtherNames(
        [
            "draft": "new create project timeline sequence composition edit", "open": "document",
            "probe": "info ffprobe inspect media_info metadata", "analyse": "analyze analysis detect track",
            "params": "parameters param args arguments options", "smooth": "smoothen filter",
            "steady": "stabilize stabilise",
        ],
        saying: [
            "a draft of one file is cutroom.draft(path)": "clip video",
            "cutroom.draft(path) makes a draft of a file, cutroom.open(path) opens a saved draft": "load read import",
            "a script returns its draft, and ‘cutroom render’ writes the file": "render save write export run",
        ])

    /// A draft's properties and methods.
    public static let draft = OtherNames(
        [
            "add_title":
                "text title add_text add_caption add_label drawtext add_text_overlay",
            "add_subtitles": "subtitles add_subtitle add_captions captions add_srt add_vtt add_ass subs burn_subtitles",
            "add_clip":
                "append add push insert concat add_video add_media add_file add_movie add_footage append_clip insert_clip video",
            "add_audio":
                "add_music add_sound add_voice add_voiceover add_song add_audio_track add_soundtrack music sound",
            "add_layer":
                "overlay add_overlay add_sticker sticker add_pip add_picture_in_picture add_watermark watermark add_logo layer add_track add_video_track composite",
            "add_image": "add_photo add_picture add_still image",
            "add_effect":
                "add_filter add_fx apply_effect effect_add add_look add_lut add_repeat add_speed filter apply",
            "add_source": "add_generator add_generated add_solid add_color",
            "size": "resolution resize set_size canvas dimensions width height w h longer_side",
            "fps": "frame_rate framerate rate set_fps", "background": "bg background_color bgcolor",
            "duration": "length len total_duration",
            "loudness": "lufs target_loudness integrated loudnorm normalize normalise volume",
            "true_peak": "dbtp peak tp max_peak ceiling limit", "time_range": "range render_range in_out",
            "effects": "titles stickers filters overlays texts", "clips": "videos images tracks layers timeline",
            "audio": "sounds audios audio_clips audio_tracks",
            "remove_clip": "delete_clip delete remove", "remove_audio": "delete_audio",
            "remove_effect": "delete_effect",
            "validate": "check verify", "transaction": "undo rollback",
        ],
        saying: [
            "a transition is a clip's: draft:add_clip(path, { transition = { \"dissolve\", 0.5 } })":
                "add_transition transition crossfade add_crossfade add_fade",
            "a script returns its draft, and ‘cutroom render’ writes the file":
                "render write write_videofile write_file export_video render_to output run",
            "a script returns its draft; ‘cutroom save’ writes it as a document, and ‘cutroom render’ as a film":
                "save save_as to_json dump serialize",
            "which part of a file is played is its clip's ‘range’, { start, duration }":
                "trim cut split subclip crop_time",
            "it is an option of cutroom.draft; the size that comes of it is draft.size":
                "max aspect ratio aspect_ratio shape",
            draftFade: fades,
        ])

    private static let fades = "fade_in fade_out fadein fadeout fade fade_from_black fade_to_black"
    private static let draftFade =
        "a clip fades from black with opacity = { { 0, 0 }, { 1, 1 } }, and its sound with fade_in = 1"

    /// The options of `cutroom.draft`.
    public static let draftOptions = DraftOptions.options.otherNames(
        saying: [
            "‘size’ is { width, height }": "width height w h",
            "it belongs in ‘export’: export = { video = { … } }":
                "codec vcodec quality bitrate bit_rate preset profile video",
            "it is the ‘quality’ in ‘export’: export = { video = { quality = … } }": "crf qp cq cqp q qscale",
            "it belongs in ‘export’: export = { container = … }": "format container",
            "it belongs in ‘export’: export = { audio = { … } }": "audio_codec acodec sample_rate channels",
            "a draft of several clips is cutroom.draft({ \"a.mp4\", \"b.mp4\" }, { … })": "clips media files path",
            draftFade: fades,
        ]).with(Canvas.options.otherNames())

    /// A declaration of `cutroom.params`, and the types that it may have.
    public static let parameter = OtherNames([
        "min": "minimum from low", "max": "maximum to high", "default": "value initial",
        "help": "description label doc",
        "choices": "enum values options oneof", "list": "multiple array repeated",
    ])
    public static let parameterTypes = OtherNames(
        [
            "string": "text str", "number": "float double real", "integer": "int long", "boolean": "bool flag switch",
            "color": "colour", "path": "file filename folder directory media",
        ], saying: ["a list is a type with ‘list = true’ beside it": "list array table"])

    // MARK: Clips

    private static let clipTimes =
        "end in out from to ss trim trim_start trim_end trim_before trim_after in_point out_point inpoint outpoint start_from cut_from cut_to source_range clip_range subclip start_time end_time media_start offset source_in source_out"

    private static let ducking =
        "it is a sound effect of the music: effects = { { \"org.cutroom.ducking\", key = \"voice\" } }, with the ‘id’ of the voice"
    private static let duckings = "duck ducking auto_duck sidechain sidechaincompress"

    /// What clips and layers have not, and how it is done.
    private static let pictureAdvice = OtherNames(
        [:],
        saying: [
            "there is no border; a colour layer beneath, a little larger, makes one: add draft:add_layer { color = \"white\", size = { … } } before the picture":
                "border border_width border_color border_size outline outline_width outline_color stroke stroke_width stroke_color",
            "‘volume = 0’ is silence": "mute muted no_audio audio without_audio",
            "‘corner_radius’ rounds its corners; \"50%\" makes a circle of a square": "shape circle ellipse",
            "clips and layers always keep the pitch when their speed changes; only audio clips have ‘keep_pitch’":
                "keep_pitch preserve_pitch preserves_pitch",
            "it is one of its ‘effects’: effects = { { \"org.cutroom.blur\", { radius = 4 } } }": "blur",
            "it is one of its ‘effects’: effects = { { \"org.cutroom.chroma_key\" } }":
                "chroma_key chromakey chroma green_screen greenscreen color_key colorkey",
        ])

    /// A clip's options and properties.
    public static let clip = Clip.options.otherNames(
        ["path": "filename file src url media"],
        saying: [
            "what is played of the file is its ‘range’, { start, duration }": clipTimes + " start",
            "what lies over the clips is a layer, draft:add_layer(path, { at = … }); a file's sound track is ‘audio_track’":
                "track layer video_track",
            "clips lie end to end in the order of their list; ‘index’ puts one elsewhere":
                "at time begin position_in_timeline when",
            "a transition is { kind, seconds }: transition = { \"dissolve\", 0.5 }":
                "crossfade dissolve xfade cross_dissolve crossfadein",
            "a picture fades through black with transition = { \"fade\", 0.5 }; ‘fade_in’ and ‘fade_out’ are those of the sound":
                "fade",
            "a layer has, which lies over the picture: draft:add_layer(path, { blend = \"screen\" })":
                "blend blend_mode",
            "a clip's range plays again with ‘loop = 2’, a part of the timeline with draft:add_effect(\"repeat\", { range = …, count = 2 })":
                "repeat",
            "a text is a title: draft:add_title(text, { range = { start, duration } })": "text title caption subtitle",
            "a clip's own effects are its ‘effects’: clip.effects = { { \"lut\", { image = \"look.png\" } } }":
                "add_effect add_filter add_fx apply_effect set_effect add_look add_lut effects_add",
            "a clip has no colour; ‘background’ is the area beside its picture, and draft:add_layer { color = \"tomato\" } shows a colour":
                "color colour",
            "what is played of the file is its ‘range’; draft.time_range is the part of the draft that is rendered":
                "time_range",
            ducking: duckings,
            "draft:remove_clip(clip) removes it": "remove delete", "draft:move_clip(clip, to) moves it": "move move_to",
        ]
    ).with(pictureAdvice.without(Clip.optionNames))

    /// A layer's options and properties.
    public static let layer = Layer.options.otherNames(
        saying: [
            "what is played of the file is its ‘range’, { start, duration }": clipTimes,
            "a layer has no ‘transition’; ‘enter’ and ‘leave’ say how it comes and goes":
                "crossfade dissolve xfade cross_dissolve crossfadein fade",
            "where it lies is its ‘position’, how large it is its ‘size’": "rect rectangle bounds",
            "when it starts is its ‘at’, and what is played of the file its ‘range’, { start, duration }": "time_range",
            "a layer of a file has no colour; draft:add_layer { color = \"tomato\" } is one of a colour alone":
                "color colour",
            ducking: duckings,
            "of two layers the later one in the effect list lies above; ‘index’ and draft:move_effect change their order":
                "z_index z zindex z_order depth order track stack_order",
        ]
    ).with(Clip.options.otherNames()).with(pictureAdvice).without(Layer.optionNames + Layer.clipOptionNames)

    /// What a layer shows.
    public static let layerContents = OtherNames([
        "color": "colour solid", "media": "path file filename src url video clip", "image": "picture photo",
        "source": "generator plugin",
    ])

    /// An audio clip's options and properties.
    public static let audio = AudioClip.options.otherNames(
        ["path": "file filename src url media"],
        saying: [
            "what is played of the file is its ‘range’, { start, duration }":
                "end in out to ss trim trim_start trim_end in_point out_point cut_from cut_to subclip length len end_time",
            "‘fade_in’ and ‘fade_out’ are seconds": "fade", "‘volume = 0’ is silence": "mute muted",
            "audio clips may overlap: ‘at’ starts the next one earlier, and ‘fade_out’ and ‘fade_in’ cross them":
                "transition crossfade acrossfade dissolve xfade crossfadein audio_crossfadein",
            "when it starts is its ‘at’, and what is played of the file its ‘range’, { start, duration }": "time_range",
            ducking: duckings,
            "‘org.cutroom.pitch’ in its ‘effects’ changes it, and ‘keep_pitch’ says whether ‘speed’ leaves it": "pitch",
            "audio is not played backwards; a clip of the main track is, with its sound": "reverse reversed backwards",
            "an audio clip's own effects are its ‘effects’: clip.effects = { { \"org.cutroom.echo\", { delay = 0.25 } } }":
                "add_effect add_filter add_fx apply_effect set_effect",
            "draft:remove_audio(clip) removes it": "remove delete",
            "draft:move_audio(clip, to) moves it": "move move_to",
        ])

    // MARK: Effects

    /// The names of effects.
    public static let effects = Clip.options.effectAdvice.with(otherEffects)

    private static let otherEffects = OtherNames(
        [
            "title": "title text caption drawtext label text_overlay",
            "subtitles": "subtitles subtitle srt captions subs ass",
            "repeat": "repeat loop loops",
            "speed": "speed slow slow_motion slowmo timelapse time_lapse setpts tempo fast retime",
            "lut": "lut look cube color_grade grade lut3d color_lut haldclut",
            "sticker": "sticker image overlay pip picture_in_picture watermark logo picture video layer emoji photo",
            "org.cutroom.chroma_key": "greenscreen green_screen chroma colorkey",
            "org.cutroom.blur": "gaussian_blur gblur boxblur",
        ],
        saying: [
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=s=0\" }":
                "greyscale grayscale gray grey bw black_and_white monochrome desaturate",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=s=1.5\" }": "saturation saturate vibrance",
            "‘org.cutroom.libavfilter_pure’ does it, { graph = \"eq=contrast=1.2\" }, or a ‘lut’":
                "contrast eq color_correction",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"eq=brightness=0.1\" }":
                "brightness exposure lightness",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"eq=gamma=1.2\" }": "gamma",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131\" }":
                "sepia sepia_tone",
            "‘org.cutroom.libavfilter’ does it for a picture, { graph = \"hqdn3d\" }, and ‘org.cutroom.noise_reduction’ for sound":
                "denoise denoiser hqdn3d nlmeans",
            "‘org.cutroom.libavfilter_pure’ does it, { graph = \"curves=preset=lighter\" }, or a ‘lut’": "curves curve",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"colorlevels=rimin=0.05\" }": "levels colorlevels",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"colorbalance=rm=0.1\" }":
                "color_balance colorbalance temperature",
            "‘org.cutroom.old_film’ has grain, and ‘org.cutroom.libavfilter’ makes some: { graph = \"noise=alls=12\" }":
                "grain film_grain noise",
            "‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=h=90\" }": "hue hue_rotate huerotate",
            "a clip and a layer have a ‘crop’, { left, top, width, height } in 0 … 1, which may change with time":
                "crop zoom ken_burns kenburns zoompan",
            "a clip and a layer have ‘rotate’ for quarters of a turn, and ‘rotation’ for any angle":
                "rotate rotation turn transpose",
            "a clip and a layer have a ‘flip’": "flip hflip vflip",
            "a clip and a layer have ‘position’, ‘size’ and ‘scale’; ‘org.cutroom.transform’ moves the whole picture":
                "scale move resize position size place",
            "‘org.cutroom.transform’ does it with what cutroom.steady gives":
                "stabilize stabilise stabilization deshake vidstab",
            "a clip has ‘reverse = true’": "reverse reversed backwards",
            "a clip has transition = { \"fade\", 0.5 } for the picture, ‘fade_in’ and ‘fade_out’ for the sound":
                "fade fadein fadeout",
            "a clip has transition = { \"dissolve\", 0.5 }": "crossfade dissolve transition xfade",
            "the whole output is made so loud by draft.loudness = -14, in LUFS":
                "loudness loudnorm normalize normalise lufs ebur128",
            "music makes room with ‘org.cutroom.ducking’ in its clip's ‘effects’":
                "duck ducking sidechain sidechaincompress",
        ])

    private static let effectTimes = OtherNames(
        [:],
        saying: [
            "when it acts is its ‘range’, { start, duration }":
                "start end at time from to in out when duration length start_time end_time begin time_range"
        ])

    private static let entry = OtherNames(
        [:],
        saying: [
            "draft:remove_effect(effect) removes it": "remove delete",
            "draft:move_effect(effect, to) moves it": "move move_to",
        ])

    private static let title = Title.options.otherNames(
        saying: [
            "where the text lies is its ‘position’, as in { \"center\", \"top\" }; ‘anchor’ is the point of it that lies there":
                "valign vertical_align vertical_alignment v_align",
            "the ‘font’ says it: font = \"Sans Bold Italic\"":
                "weight style font_weight font_style fontweight fontstyle bold italic",
            "it fades with enter = \"fade\" and leave = \"fade\"": "fade",
        ])

    private static let subtitles = Subtitles.options.otherNames(
        saying: [
            "the files bring their own text; draft:add_title(text, …) shows a text": "text markup",
            "a style is options of its own, such as ‘font’, ‘size’, ‘color’, ‘outline_color’, ‘position’ and ‘margin’":
                "force_style ass_style",
        ]
    ).with(title)

    private static let sticker = OtherNames([
        "rect": "x y left top width height w h size position pos scale rectangle bounds",
        "opacity": "alpha transparency", "image": "path file src picture video media filename url",
    ])

    private static let look = OtherNames([
        "image": "path file src lut cube filename look", "intensity": "strength amount opacity mix alpha",
    ])

    /// Options that only a keyed filter has; for others there is no such option.
    private static let keyed = OtherNames([
        "key": "sidechain side_chain keys key_clip trigger voice keyed_by source control"
    ])
    private static let region = OtherNames(
        [:],
        saying: [
            "an effect acts on the whole picture; for a part of it add the clip again as a layer, with ‘crop’ and the effect in its ‘effects’":
                "rect rectangle region area box bounds roi"
        ])
    private static let speed = OtherNames(["factor": "speed rate value amount multiplier"])
    private static let again = OtherNames(["count": "times n loops number value repeats"])

    /// The options and properties of an effect.
    /// - Parameter kind: its name or id.
    public static func effect(_ kind: String) -> OtherNames {
        let times = effectTimes.with(entry)
        switch kind {
        case "layer": return layer
        case "title": return title.with(times)
        case "subtitles": return subtitles.with(times)
        case "sticker": return sticker.with(times)
        case "lut": return look.with(times)
        case "speed": return speed.with(times)
        case "repeat": return again.with(times)
        case "audio_filter": return keyed.with(times)
        default: return kind.contains(".") ? keyed.with(times).with(region) : times
        }
    }

    // MARK: What is chosen

    static let transitions = OtherNames(
        [
            "dissolve": "crossfade xfade cross_dissolve crossdissolve mix blend",
            "fade": "fade_black fadeblack dip_to_black fade_to_black dip",
        ],
        saying: [
            "there are wipe_left, wipe_right, wipe_up, wipe_down": "wipe",
            "there are slide_left, slide_right, slide_up, slide_down": "slide push",
            "there are ‘org.cutroom.circle_open’ and ‘org.cutroom.circle_close’": "circle iris",
            "FFmpeg's transitions have ‘xfade.’ before their names: { \"xfade.hblur\", 0.5 }":
                "circlecrop rectcrop distance fadewhite radial smoothleft smoothright smoothup smoothdown circleopen circleclose vertopen "
                + "vertclose horzopen horzclose pixelize diagtl diagtr diagbl diagbr hlslice hrslice vuslice vdslice hblur fadegrays "
                + "wipetl wipetr wipebl wipebr squeezeh squeezev zoomin fadefast fadeslow hlwind hrwind vuwind vdwind coverleft "
                + "coverright coverup coverdown revealleft revealright revealup revealdown",
            "there is ‘org.cutroom.zoom’": "zoom", "a cut is no transition; leave it out": "cut none",
        ])

    static let backdrops = OtherNames(["blur": "blurred blurry blurred_background blur_background gaussian"])
    static let modes = OtherNames(["fit": "contain letterbox pad", "fill": "cover crop", "stretch": "scale distort"])
    static let frameMixing = OtherNames(["nearest": "none off hold drop", "blend": "mix linear blended average"])
    static let colorSystems = OtherNames([
        "sdr": "bt709 rec709 srgb 709", "pq": "hdr hdr10 smpte2084 st2084", "hlg": "arib",
    ])
    static let anchors = OtherNames([
        "top": "upper top_center north", "bottom": "lower bottom_center south", "center": "middle centre",
        "left": "west left_center", "right": "east right_center",
        "top_left": "upper_left left_top", "top_right": "upper_right right_top",
        "bottom_left": "lower_left left_bottom", "bottom_right": "lower_right right_bottom",
    ])
    static let alignments = OtherNames(["left": "start", "center": "middle centre", "right": "end"])
    /// The names of a position's coordinates.
    static let sides = OtherNames(["center": "middle centre", "top": "upper", "bottom": "lower"])
    static let flips = OtherNames([
        "horizontal": "x h mirror across left_right hflip", "vertical": "y v down top_bottom vflip", "both": "xy hv",
    ])
    static let entrances = OtherNames(
        [
            "fade": "fade_in fade_out appear dissolve opacity crossfade", "slide_left": "slide slide_in from_right fly",
            "slide_right": "from_left", "slide_up": "from_bottom rise", "slide_down": "from_top drop fall",
            "wipe_right": "wipe reveal", "zoom": "zoom_in scale grow", "pop": "pop_in bounce", "spin": "rotate roll",
            "blur": "blur_in focus", "type": "typewriter typing typed",
        ])
    static let entrance = OtherNames([
        "duration": "length seconds time", "easing": "ease curve timing", "by": "unit per split each",
        "stagger": "delay interval each_delay",
    ])
    static let blends = OtherNames([
        "plus_lighter": "add addition plus lighter linear_dodge", "color_dodge": "dodge", "color_burn": "burn",
        "normal": "over src_over alpha none", "difference": "subtract", "lighten": "max", "darken": "min",
    ])
    static let masks = OtherNames(["luma": "luminance brightness grey gray matte", "alpha": "transparency opacity"])
    static let mask = OtherNames([
        "image": "path file src media video", "kind": "type mode", "invert": "inverted inverse negate",
    ])
}
