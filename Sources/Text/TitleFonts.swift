import CPango
import Draft
import Glibc

/// What one title asks of its fonts, and how they are to be drawn.
///
/// Owns a Pango context and a font description. Confined to the call that made it.
struct TitleFonts: ~Copyable {
    /// Borrowed by layouts; released with this value.
    let context: OpaquePointer
    /// The title's font with its size in pixels. Owned.
    let description: OpaquePointer

    /// Glyphs are shaped and drawn as the font's designer drew them, on no grid, so that a title is
    /// the same picture on every machine with the same fonts, whatever the desktop there says about
    /// hinting and sub-pixels.
    /// - Parameters:
    ///   - map: of ``TitleFontMaps/map(for:)``, for the same title.
    ///   - language: BCP 47.
    init(for title: Title, language: String, map: OpaquePointer) {
        let fontMap = UnsafeMutableRawPointer(map).assumingMemoryBound(to: PangoFontMap.self)
        context = pango_font_map_create_context(fontMap)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        pango_context_set_language(context, pango_language_from_string(language))
        pango_context_set_base_dir(context, PANGO_DIRECTION_LTR)

        description = pango_font_description_from_string(title.font)
        if title.fontFile != nil, let config = pango_fc_font_map_get_config(cutroom_fc_font_map(fontMap)) {
            Self.prefer(fontsOf: config, in: description)
        }
        pango_font_description_set_absolute_size(description, title.size * Double(PANGO_SCALE))
    }

    deinit {
        pango_font_description_free(description)
        g_object_unref(UnsafeMutableRawPointer(context))
    }

    /// Before any other thread of the process runs: takes the choice of fonts out of the hands of
    /// the user's locale, which fontconfig and Pango read from the environment once.
    static func ignoreLocale() {
        setenv("FC_LANG", "en", 1)
        setenv("PANGO_LANGUAGE", "en", 1)
    }

    /// Where the title has a font file and names no other family, that file's first face decides
    /// what the title leaves open.
    private static func prefer(fontsOf config: OpaquePointer, in wanted: OpaquePointer) {
        guard let faces = FcConfigGetFonts(config, FcSetApplication), faces.pointee.nfont > 0,
            let first = faces.pointee.fonts[0], let own = pango_fc_font_description_from_pattern(first, 0)
        else { return }
        defer { pango_font_description_free(own) }
        let family = pango_font_description_get_family(wanted).map { String(cString: $0) } ?? ""
        guard family.isEmpty || names(family, first) else { return }
        pango_font_description_set_family(wanted, TitleFontMaps.ownFamily)
        if family.isEmpty { pango_font_description_merge(wanted, own, 0) }
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
