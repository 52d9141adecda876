extension Canvas {
    static let options = OptionTable(
        plain: Canvas(),
        [
            Option(
                "size", .list(.whole(sizeRange), 2...2), also: "resolution dimensions canvas",
                usually: "the first clip's; 1280×720 where that is generated, or there is none",
                "`{ width, height }`; even numbers, 16 … 8192",
                read: { (canvas, fields) throws(Problem) in try canvas.readSize(&fields) },
                value: { canvas, _ in
                    canvas.size.map { .array([.number(Double($0.width)), .number(Double($0.height))]) }
                }),
            Option(
                "aspect", .either([.number(), .text, .list(.number(), 2...2)]), also: "ratio aspect_ratio shape",
                usually: "none",
                "instead of `size`: a shape such as `{ 9, 16 }` or `\"9:16\"`; what comes of it is read as `draft.size`",
                read: { _, _ in }, value: { _, _ in nil }),
            Option(
                "max", .whole(sizeRange), also: "longest longer_side max_size max_side scale",
                usually: "1280 with `aspect`",
                "the longer side: of that shape or, without `aspect`, at most that of the first clip, which is never enlarged",
                read: { _, _ in },
                value: { canvas, _ in canvas.size == nil ? canvas.longerSide.map { .number(Double($0)) } : nil }),
            .part(
                "fps", .fraction, \.frameRate, also: "frame_rate framerate rate r",
                usually:
                    "the first clip's ([rounded to an exact rate](#frame-rates)); 30 for an image, for what is generated, and without clips",
                "1 … 240; a number, or a fraction as a text: `\"30000/1001\"`. 29.97, 23.976 (23.98) and 59.94 are the rates of NTSC, 30000/1001 and so on",
                read: { (fields, name) throws(Problem) in try fields.rational(name) },
                value: { rate, _ in rate?.value }),
            .color(
                "background", \.wishedBackground, also: "bg background_color bgcolor", usually: "`\"#000000\"`",
                "what shows where no picture is. It must be opaque, except in a [draft inside another one](#drafts-in-drafts)"
            ),
            .choice(
                "color", \.color, .colorSystems, also: "color_space colorspace hdr",
                "the canvas: `\"sdr\"` (8-bit BT.709), or `\"hlg\"` or `\"pq\"`, which are 10-bit HDR of BT.2020; see [below](#an-hdr-canvas)"
            ),
        ])
}

extension DraftOptions {
    static let options = OptionTable(
        plain: DraftOptions(),
        [
            .range(
                "time_range", \.timeRange, also: "range start end", usually: "all",
                "the part that is rendered, `{ start, duration }` in final time"),
            .part(
                "duration", .seconds, \.backgroundDuration, also: "length len",
                usually: "until the end of what lies in it",
                "seconds: how long the background of a draft [without clips](#drafts-without-clips) is",
                read: { (fields, name) throws(Problem) in
                    let duration = try fields.time(name)
                    if let duration, duration <= .zero {
                        throw fields.problem("‘\(name)’ is \(duration.forPeople) s, but must be longer than 0")
                    }
                    return duration
                }, value: { duration, _ in duration.map { .string($0.description) } }),
            .number(
                "loudness", \.loudness.integrated, in: Loudness.integratedRange, "LUFS",
                also: "lufs target_loudness integrated loudnorm normalize normalise volume", usually: "as it is mixed",
                "-70 … -5 LUFS: how [loud](#loudness) the output is made"),
            .number(
                "true_peak", \.loudness.truePeak, in: Loudness.truePeakRange, "dBTP",
                also: "dbtp peak tp max_peak ceiling limit", usually: "-1",
                "-9 … 0 dBTP: what no peak passes where a `loudness` is asked for"),
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
