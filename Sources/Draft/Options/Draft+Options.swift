import Values

extension Canvas {
    static let options = OptionTable(
        plain: Canvas(),
        [
            DeclaredOption(
                "size", .list(.whole(sizeRange), 2...2), also: "resolution dimensions canvas",
                usually: "the first clip's; 1280×720 if that is generated, or if there are no clips",
                "`{ width, height }`; even numbers, 16 … 8192",
                read: { (canvas, fields) throws(Problem) in try canvas.readSize(&fields) },
                value: { canvas, _ in
                    canvas.size.map { .array([.number(Double($0.width)), .number(Double($0.height))]) }
                }),
            DeclaredOption(
                "aspect", .either([.number(), .text, .list(.number(), 2...2)]), also: "ratio aspect_ratio shape",
                usually: "none",
                "in place of `size`: a shape such as `{ 9, 16 }` or `\"9:16\"`. `draft.size` returns the resulting size",
                read: { _, _ in }, value: { _, _ in nil }),
            DeclaredOption(
                "max", .whole(sizeRange), also: "longest longer_side max_size max_side scale",
                usually: "1280 with `aspect`",
                "with `aspect`: the longer side of the canvas. Without it: an upper bound for the longer side; the canvas has the size of the first clip, reduced if necessary",
                read: { _, _ in },
                value: { canvas, _ in canvas.size == nil ? canvas.longerSide.map { .number(Double($0)) } : nil }),
            .part(
                "fps", .fraction, \.frameRate, also: "frame_rate framerate rate r",
                usually:
                    "the first clip's ([rounded to an exact rate](drafts.md#frame-rates)); 30 for an image, for a generated clip, and without clips",
                "1 … 240; a number, or a fraction as a text: `\"30000/1001\"`. 29.97, 23.976 (23.98) and 59.94 mean the exact NTSC rates, 30000/1001 and so on",
                read: { (fields, name) throws(Problem) in try fields.rational(name) },
                value: { rate, _ in rate?.value }),
            .part(
                "background", .color, \.wishedBackground, also: "bg background_color bgcolor", usually: "`\"#000000\"`",
                "the colour where there is no picture. It must be opaque, except in a [nested draft](nested-drafts.md#transparency)",
                read: { (fields, name) throws(Problem) in
                    if case .string(let text) = fields.value(name), Color(text) == nil, Clip.Backdrop.isLikeBlur(text) {
                        throw fields.problem(
                            "‘\(name)’ is \(Value.quoted(text)), but must be a colour; a clip has background = \"blur\", which fills the "
                                + "canvas with its own picture, blurred")
                    }
                    return try fields.color(name)
                }, value: { color, _ in color.map { .string($0.description) } }
            ),
            .choice(
                "color", \.color, .colorSystems, also: "color_space colorspace hdr",
                "the canvas: `\"sdr\"` (8-bit BT.709), or [10-bit HDR](drafts.md#an-hdr-canvas) of BT.2020 as `\"hlg\"` or `\"pq\"`"
            ),
        ])
}

extension DraftOptions {
    static let options = OptionTable(
        plain: DraftOptions(),
        [
            .range(
                "time_range", \.timeRange, also: "range start end", usually: "all",
                "the part to render, `{ start, duration }` in final time"),
            .part(
                "duration", .seconds, \.backgroundDuration, also: "length len",
                usually: "the end of the last object",
                "seconds: the length of the background of a draft [without clips](drafts.md#drafts-without-clips)",
                read: { (fields, name) throws(Problem) in
                    let duration = try fields.time(name)
                    if let duration, duration <= .zero {
                        throw fields.problem("‘\(name)’ is \(duration.forPeople) s, but must be longer than 0")
                    }
                    return duration
                }, value: { duration, _ in duration.map { .string($0.description) } }),
            .number(
                "loudness", \.loudness.integrated, in: Loudness.integratedRange, "LUFS",
                also: "lufs target_loudness integrated loudnorm normalize normalise volume", usually: "as mixed",
                "-70 … -5 LUFS: the [loudness](sound.md#loudness) of the output"),
            .number(
                "true_peak", \.loudness.truePeak, in: Loudness.truePeakRange, "dBTP",
                also: "dbtp peak tp max_peak ceiling limit", usually: "-1",
                "-9 … 0 dBTP: the highest true peak, if `loudness` is set"),
        ])

    init(_ draft: Draft) {
        (timeRange, backgroundDuration) = (draft.timeRange, draft.backgroundDuration)
        loudness = draft.loudness
    }
}

extension Draft {
    /// The options of `cutroom.draft`, which lie in several places of a document.
    static let optionNames = Canvas.options.names + DraftOptions.options.names + ["export"]

    /// The options that a script may set later, too.
    public static let settableNames = optionNames.filter { !["aspect", "max"].contains($0) }
}
