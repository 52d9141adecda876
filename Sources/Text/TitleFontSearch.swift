import CPango
import Draft

extension TitleFontMaps {
    /// The family that is drawn in the place of the one that is asked for; nil where that is there,
    /// where none is asked for, and where the font file cannot be read, which drawing tells better.
    mutating func substitute(for font: TitleFont) -> String? {
        var title = Title("")
        (title.font, title.fontFile) = (font.name, font.file)
        guard let map = try? map(for: title),
            let fontMap = cutroom_fc_font_map(UnsafeMutableRawPointer(map).assumingMemoryBound(to: PangoFontMap.self)),
            let description = pango_font_description_from_string(font.name)
        else { return nil }
        defer { pango_font_description_free(description) }
        guard let text = pango_font_description_get_family(description) else { return nil }
        let config = pango_fc_font_map_get_config(fontMap)
        let families = String(cString: text).split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(
            String.init)
        if families.isEmpty || families.contains(where: { Self.generic.contains($0.lowercased()) || has($0, config) }) {
            return nil
        }
        return match(families, config)
    }

    /// Why a font file cannot be used; nil where it can.
    mutating func refusal(ofFont file: String) -> String? {
        var title = Title("")
        title.fontFile = file
        do throws(TitleError) {
            _ = try map(for: title)
            return nil
        } catch {
            return "cannot \(error.operation) ‘\(file)’: \(error.reason)"
        }
    }

    /// What fontconfig has a font for on every system.
    private static let generic: Set<String> = [
        "sans", "sans-serif", "serif", "monospace", "mono", "cursive", "fantasy", "system-ui", "emoji", "math",
    ]

    private func has(_ family: String, _ config: OpaquePointer?) -> Bool {
        let pattern = FcPatternCreate()
        let wanted = FcObjectSetCreate()
        defer {
            FcPatternDestroy(pattern)
            FcObjectSetDestroy(wanted)
        }
        FcPatternAddString(pattern, FC_FAMILY, family)
        FcObjectSetAdd(wanted, FC_FAMILY)
        guard let found = FcFontList(config, pattern, wanted) else { return false }
        defer { FcFontSetDestroy(found) }
        return found.pointee.nfont > 0
    }

    private func match(_ families: [String], _ config: OpaquePointer?) -> String? {
        let pattern = FcPatternCreate()
        defer { FcPatternDestroy(pattern) }
        for family in families { FcPatternAddString(pattern, FC_FAMILY, family) }
        FcConfigSubstitute(config, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultMatch
        var name: UnsafeMutablePointer<FcChar8>?
        guard let best = FcFontMatch(config, pattern, &result) else { return nil }
        defer { FcPatternDestroy(best) }
        guard FcPatternGetString(best, FC_FAMILY, 0, &name) == FcResultMatch, let name else { return nil }
        return String(cString: name)
    }
}
