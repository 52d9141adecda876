import Values

extension Subtitles {
    static let options = OptionTable(plain: plain, own + look)

    private static let plain = Subtitles(path: "")

    private static let own: [DeclaredOption<Subtitles>] = [
        DeclaredOption(
            "file", .path, also: "path srt vtt ass filename src", usually: "",
            "an `.srt`, `.vtt`, `.ass` or `.ssa` file",
            read: { (subtitles, fields) throws(Problem) in
                guard let path = try fields.path("file") else {
                    throw fields.problem("needs a ‘file’: an .srt, .vtt, .ass or .ssa file")
                }
                subtitles.path = path
            }, value: { subtitles, writer in .string(writer.written(path: subtitles.path)) }
        ).unset { _ in nil },
        .choice(
            "as", \.form, otherForms, also: "form mode burn track",
            "`\"picture\"` draws the text over the picture; `\"track\"` adds a track to the file, which players can show or hide"
        ),
        .part(
            "at", .seconds, \.shift, also: "offset delay shift start",
            "seconds to add to the times of the cues; may be negative",
            read: { (fields, name) throws(Problem) in try fields.time(name) },
            value: { shift, _ in .string(shift.description) }),
        .part(
            "language", .text, \.language, also: "lang", usually: "none",
            "the language of the track: three letters of ISO 639-2, such as `\"eng\"`",
            read: { (fields, name) throws(Problem) in
                let language = try fields.string(name)
                if let language, !isLanguage(language) {
                    throw fields.problem(
                        "‘language’ is \(Value.quoted(language)), but must be three letters of ISO 639-2, such as \"eng\""
                    )
                }
                return language
            }, value: { language, _ in language.map(Value.string) }),
        .part(
            "name", .text, \.name, also: "title label", usually: "none", "the name of the track, for viewers",
            read: { (fields, name) throws(Problem) in
                let text = try fields.string(name)
                if let text, text.utf8.count > 200 || text.contains(where: \.isNewline) {
                    throw fields.problem("‘name’ must be one line of at most 200 bytes")
                }
                return text
            }, value: { name, _ in name.map(Value.string) }),
    ]

    /// The look of cues: that of titles, with sizes that follow the canvas unless they are given.
    private static let look: [DeclaredOption<Subtitles>] =
        Title.style.options.map { option in
            switch option.name {
            case "size": open("size", \.size, option, \.size, usually: "1/18 of the canvas' height")
            case "outline_width":
                open("outline_width", \.outlineWidth, option, \.outlineWidth, usually: "1/16 of `size`")
            case "margin": margin(option)
            case "position": position(option)
            default: option.lifted(\Subtitles.style)
            }
        } + [
            .color(
                "highlight", \.highlight, also: "highlight_color karaoke", usually: "none",
                "the colour of the word that is spoken, if the file has times inside its cues")
        ]

    /// Returns a title's number as an option that may stay open.
    private static func open(
        _ name: String, _ path: WritableKeyPath<Subtitles, Double?> & Sendable, _ option: DeclaredOption<Title>,
        _ own: WritableKeyPath<Title, Double> & Sendable, usually: String
    ) -> DeclaredOption<Subtitles> {
        DeclaredOption(
            name, option.form, also: option.otherNames, usually: usually, option.help,
            read: { (subtitles, fields) throws(Problem) in
                let isGiven = fields.value(name) != nil
                var style = subtitles.style
                try option.read(&style, &fields)
                if isGiven { subtitles[keyPath: path] = style[keyPath: own] }
            }, value: { subtitles, _ in subtitles[keyPath: path].map(Value.number) }
        ).unset { _ in nil }
    }

    private static func position(_ option: DeclaredOption<Title>) -> DeclaredOption<Subtitles> {
        var position = option.lifted(\Subtitles.style)
        position.usually = "`{ \"center\", \"bottom\" }`"
        return position
    }

    private static func margin(_ option: DeclaredOption<Title>) -> DeclaredOption<Subtitles> {
        DeclaredOption(
            "margin", option.form, usually: "1/20 of the canvas' height", option.help,
            read: { (subtitles, fields) throws(Problem) in
                let isGiven = fields.value("margin") != nil
                var style = subtitles.style
                try option.read(&style, &fields)
                if isGiven { subtitles.margin = style.margin }
            }, value: { subtitles, _ in subtitles.margin?.value }
        ).unset { _ in nil }
    }

    private static let otherForms = OtherNames([
        "picture": "burned burn burnt hard hardsub image video", "track": "soft softsub stream file sidecar",
    ])

    private static func isLanguage(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (97...122).contains($0) }
    }

    /// What a script reads of the options that are not given; null where that is nothing.
    public static let unsetValues = options.unsetValues().filter { !["height", "fit"].contains($0.key) }
}
