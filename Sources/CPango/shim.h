#pragma once
// Text layout (Pango), drawing (Cairo) and the choice of fonts (fontconfig).
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-font.h>
#include <pango/pangofc-fontmap.h>
#include <stdint.h>

// GObject's checked casts are macros, which Swift does not see.

/// The font map that Pango makes for Cairo's FreeType backend, as the fontconfig font map that it
/// is; null where it is not one.
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

/// What a run's own attributes say of how it is painted. Colours are 0xrrggbbaa; the flags say
/// whether there is one.
typedef struct {
    int has_color, has_background, is_underlined, is_struck;
    uint32_t color, background;
} cutroom_run_paint;

static inline uint32_t cutroom_rgb(const PangoAttribute *attribute) {
    PangoColor color = ((const PangoAttrColor *)attribute)->color;
    return (uint32_t)(color.red >> 8) << 24 | (uint32_t)(color.green >> 8) << 16 | (uint32_t)(color.blue >> 8) << 8;
}

static inline cutroom_run_paint cutroom_paint_of(const PangoGlyphItem *run) {
    cutroom_run_paint paint = {0};
    uint32_t alpha = 255, background_alpha = 255;
    for (const GSList *node = run->item->analysis.extra_attrs; node != NULL; node = node->next) {
        const PangoAttribute *attribute = node->data;
        const int value = ((const PangoAttrInt *)attribute)->value;
        switch (attribute->klass->type) {
        case PANGO_ATTR_FOREGROUND: paint.has_color = 1, paint.color = cutroom_rgb(attribute); break;
        case PANGO_ATTR_BACKGROUND: paint.has_background = 1, paint.background = cutroom_rgb(attribute); break;
        case PANGO_ATTR_FOREGROUND_ALPHA: alpha = (uint32_t)value >> 8; break;
        case PANGO_ATTR_BACKGROUND_ALPHA: background_alpha = (uint32_t)value >> 8; break;
        case PANGO_ATTR_UNDERLINE: paint.is_underlined = value != PANGO_UNDERLINE_NONE; break;
        case PANGO_ATTR_STRIKETHROUGH: paint.is_struck = value != 0; break;
        default: break;
        }
    }
    paint.color |= alpha;
    paint.background |= background_alpha;
    return paint;
}

/// The attributes of a text's first byte, for `length` bytes from `start` of another text.
static inline void cutroom_add_attributes(PangoAttrList *to, PangoAttrList *from, unsigned start, unsigned length) {
    GSList *all = pango_attr_list_get_attributes(from);
    for (GSList *node = all; node != NULL; node = node->next) {
        PangoAttribute *attribute = node->data;
        attribute->start_index = start;
        attribute->end_index = start + length;
        pango_attr_list_insert(to, attribute);
    }
    g_slist_free(all);
}

/// The direction of the first strong character of `length` bytes of UTF-8. Pango deprecates its
/// function without a public one in its place.
static inline PangoDirection cutroom_base_direction(const char *text, int length) {
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    return pango_find_base_dir(text, length);
    G_GNUC_END_IGNORE_DEPRECATIONS
}
