#pragma once
// Text layout (Pango), drawing (Cairo) and the choice of fonts (fontconfig).
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-font.h>
#include <pango/pangofc-fontmap.h>

// GObject's checked casts are macros, which Swift does not see.

/// The font map that Pango makes for Cairo's FreeType backend, as the fontconfig font map that it is; null where it is not one.
static inline PangoFcFontMap *cutroom_fc_font_map(PangoFontMap *map) {
    return PANGO_IS_FC_FONT_MAP(map) ? PANGO_FC_FONT_MAP(map) : NULL;
}

/// Whether glyphs of this font bring their own colours, as emoji do.
static inline int cutroom_font_has_colors(PangoFont *font) {
    FcBool color = FcFalse;
    if (font == NULL || !PANGO_IS_FC_FONT(font)) return 0;
    FcPattern *pattern = pango_fc_font_get_pattern(PANGO_FC_FONT(font));
    return pattern != NULL && FcPatternGetBool(pattern, FC_COLOR, 0, &color) == FcResultMatch && color;
}

static inline PangoGlyphItem *cutroom_run(const GSList *node) { return node->data; }
static inline PangoLayoutLine *cutroom_line(const GSList *node) { return node->data; }

/// The direction of the first strong character of `length` bytes of UTF-8. Pango deprecates its function without a public one
/// in its place.
static inline PangoDirection cutroom_base_direction(const char *text, int length) {
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    return pango_find_base_dir(text, length);
    G_GNUC_END_IGNORE_DEPRECATIONS
}
