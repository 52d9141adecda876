import CPango
import Draft
import Glibc

/// The fonts that one title may use: those of the system and, where the title names one, its own file.
///
/// Owns a Pango context and the fontconfig configuration behind it. Confined to the call that made it.
struct TitleFonts: ~Copyable {
    /// Borrowed by layouts; released with this value.
    let context: OpaquePointer
    /// What is asked for, with its size. Owned.
    let description: OpaquePointer

    /// Glyphs are shaped and drawn as the font's designer drew them, on no grid, so that a title is the same picture on every
    /// machine with the same fonts, whatever the desktop there says about hinting, sub-pixels and dots per inch.
    init(for title: Title, language: String) throws(TitleError) {
        let config = try Self.configuration(for: title)
        defer { FcConfigDestroy(config) }
        guard let map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT), let fonts = cutroom_fc_font_map(map) else {
            throw TitleError(.drawing, "choose a font", title, reason: "this Cairo was built without FreeType")
        }
        defer { g_object_unref(map) }
        pango_fc_font_map_set_config(fonts, config)
        pango_cairo_font_map_set_resolution(OpaquePointer(map), 72)

        context = pango_font_map_create_context(map)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        pango_context_set_language(context, pango_language_from_string(language))
        pango_context_set_base_dir(context, PANGO_DIRECTION_LTR)

        description = Self.description(for: title, config)
    }

    deinit {
        pango_font_description_free(description)
        g_object_unref(UnsafeMutableRawPointer(context))
    }

    /// Before any other thread of the process runs: takes the choice of fonts out of the hands of the user's locale, which
    /// fontconfig and Pango read from the environment once.
    static func ignoreLocale() {
        setenv("FC_LANG", "en", 1)
        setenv("PANGO_LANGUAGE", "en", 1)
    }

    // MARK: The font file

    /// The name under which a title's own font goes before a system font of the same name.
    private static let ownFamily = "Cutroom Title Font"

    /// The caller owns the result.
    private static func configuration(for title: Title) throws(TitleError) -> OpaquePointer {
        guard let file = title.fontFile else {
            guard let config = FcConfigReference(nil) else {
                throw TitleError(.drawing, "choose a font", title, reason: "fontconfig has no configuration; is it installed")
            }
            return config
        }
        try check(file, for: title)
        guard let config = FcInitLoadConfigAndFonts() else {
            throw TitleError(.drawing, "choose a font", title, reason: "fontconfig has no configuration; is it installed")
        }
        guard FcConfigAppFontAddFile(config, file) != 0, let faces = FcConfigGetFonts(config, FcSetApplication),
            faces.pointee.nfont > 0
        else {
            FcConfigDestroy(config)
            throw TitleError(
                .notAFont, "load the font", title, fontFile: file,
                reason: "it is not a font; give a TrueType, OpenType or Type 1 file")
        }
        for face in 0..<Int(faces.pointee.nfont) {
            FcPatternAddString(faces.pointee.fonts[face], FC_FAMILY, ownFamily)
        }
        return config
    }

    private static func check(_ file: String, for title: Title) throws(TitleError) {
        func failure(_ code: TitleError.Code, _ reason: String, errno number: Int32? = nil) -> TitleError {
            let underlying = number.map { TitleError.Underlying(code: $0, text: String(cString: strerror($0))) }
            return TitleError(code, "load the font", title, fontFile: file, reason: reason, underlying: underlying)
        }
        var status = stat()
        guard stat(file, &status) == 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { throw failure(.fontNotFound, "there is no such file", errno: number) }
            throw failure(.fontUnreadable, String(cString: strerror(number)), errno: number)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(.fontNotFound, "it is a folder; name the font file in it") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.fontUnreadable, "it is not a regular file") }
        guard access(file, R_OK) == 0 else {
            throw failure(.fontUnreadable, "this user may not read it; change its permissions", errno: errno)
        }
    }

    // MARK: What is asked for

    /// The title's font with the size in pixels. Where the title has a font file and names no other family, that file's first
    /// face decides what the title leaves open.
    private static func description(for title: Title, _ config: OpaquePointer) -> OpaquePointer {
        let wanted: OpaquePointer = pango_font_description_from_string(title.font)
        if title.fontFile != nil, let faces = FcConfigGetFonts(config, FcSetApplication), faces.pointee.nfont > 0,
            let first = faces.pointee.fonts[0], let own = pango_fc_font_description_from_pattern(first, 0)
        {
            defer { pango_font_description_free(own) }
            let family = pango_font_description_get_family(wanted).map { String(cString: $0) } ?? ""
            if family.isEmpty || names(family, first) { pango_font_description_set_family(wanted, ownFamily) }
            if family.isEmpty { pango_font_description_merge(wanted, own, 0) }
        }
        pango_font_description_set_absolute_size(wanted, title.size * Double(PANGO_SCALE))
        return wanted
    }

    /// Whether a face goes by this family name.
    private static func names(_ family: String, _ face: OpaquePointer) -> Bool {
        var index: Int32 = 0
        var name: UnsafeMutablePointer<FcChar8>?
        while FcPatternGetString(face, FC_FAMILY, index, &name) == FcResultMatch, let found = name {
            if String(cString: found).lowercased() == family.lowercased() { return true }
            index += 1
        }
        return false
    }
}
