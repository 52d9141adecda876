/* What a chain may not have. */
#include "chain.h"
#include <ctype.h>
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <stdlib.h>
#include <string.h>

static const char files[] = "reads or writes files, and those are in no cache key";
static const char commands[] = "takes commands, of which a file may be full; let an expression follow ‘t’ instead";
static const char chance[] = "depends on a clock or on chance";
static const char hardware[] = "needs a graphics card, whose results differ from machine to machine";

/* Filters that are never allowed; a name that begins with _ is an ending. */
static const struct { const char *name, *why; } refused[] = {
    {"_cuda", hardware}, {"_npp", hardware}, {"_opencl", hardware}, {"_qsv", hardware}, {"_vaapi", hardware}, {"_vulkan", hardware},
    {"acue", chance}, {"ametadata", files}, {"amovie", files}, {"arealtime", chance}, {"arnndn", files}, {"asendcmd", commands}, {"asr", files}, {"ass", files}, {"azmq", "uses the network"},
    {"cover_rect", files}, {"cue", chance}, {"derain", files}, {"dnn_classify", files}, {"dnn_detect", files}, {"dnn_processing", files}, {"fieldhint", files},
    {"find_rect", files}, {"fsync", files}, {"frei0r", "loads a library; such are effects by themselves (docs/frei0r.md)"}, {"hwdownload", hardware},
    {"hwmap", hardware}, {"hwupload", hardware}, {"kerndeint", "writes outside of its memory, in some of FFmpeg's versions"},
    {"ladspa", "loads a library"}, {"lensfun", files}, {"libplacebo", hardware},
    {"libvmaf", files}, {"lut1d", files}, {"lut3d", files}, {"lv2", "loads a library"}, {"metadata", files}, {"movie", files}, {"nnedi", files},
    {"ocr", files}, {"ocv", files}, {"psnr", files}, {"random", chance}, {"realtime", chance}, {"removelogo", files},
    {"sendcmd", commands}, {"signature", files}, {"sofalizer", files}, {"sr", files}, {"ssim", files}, {"subtitles", files}, {"vidstabdetect", files},
    {"vidstabtransform", files}, {"vmafmotion", files}, {"whisper", files}, {"zmq", "uses the network"},
};

/* Options that name a file, of filters that can do without. */
static const char *const file_options[] = {"axisfile", "debug_kdtree", "dumpfile", "file", "filename", "fontfile", "log_path", "plot", "psfile",
                                           "stats_file", "textfile"};

static cutroom_status refuse_file(const chain_setting *s, const char *filter, const char *option, char *reason) {
    return chain_refuse(s, reason, "gives the filter ‘%s’ a file (‘%s’), and those are in no cache key", filter, option);
}

static const char *unit(const chain_setting *s) { return s->setup->format == CUTROOM_FORMAT_PCMF32_PLANAR ? "sample" : "frame"; }

static cutroom_status check_name(const chain_setting *s, const char *name, char *reason) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const size_t size = strlen(refused[i].name);
        const int is_ending = refused[i].name[0] == '_';
        if (is_ending ? length > size && strcmp(name + length - size, refused[i].name) == 0 : strcmp(name, refused[i].name) == 0)
            return chain_refuse(s, reason, "has the filter ‘%s’, which %s", name, refused[i].why);
    }
    const char *instead = "", *why = chain_breaks(name, &instead);
    if (why)
        return chain_refuse(s, reason, "has the filter ‘%s’, which %s; an effect must give one %s for each%s", name, why, unit(s), instead);
    const AVFilter *filter = avfilter_get_by_name(name);
    if (!filter) return chain_refuse(s, reason, "has a filter ‘%s’, which this libavfilter does not know", name);
    if (avfilter_filter_pad_count(filter, 0) == 0 && !(filter->flags & AVFILTER_FLAG_DYNAMIC_INPUTS))
        return chain_refuse(s, reason, "has the filter ‘%s’, which is a source; an effect's picture or sound comes from outside", name);
    if (avfilter_filter_pad_count(filter, 1) == 0 && !(filter->flags & AVFILTER_FLAG_DYNAMIC_OUTPUTS))
        return chain_refuse(s, reason, "has the filter ‘%s’, which swallows what it gets", name);
    if (s->is_pure && !pure_is_listed(name))
        return chain_refuse(s, reason, "has the filter ‘%s’, which is not known to make each frame by itself; use org.cutroom.libavfilter", name);
    return CUTROOM_OK;
}

/* 1 where the text has the word by itself. */
static int has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
        const int before = p > text ? (unsigned char)p[-1] : 0, after = (unsigned char)p[length];
        if (!isalnum(before) && before != '_' && !isalnum(after) && after != '_') return 1;
    }
    return 0;
}

/* The option of `file_options` that the key sets, by whichever of its names; null where it sets
 * none. */
static const char *file_option(const AVClass *class, const char *key) {
    const AVOption *set = class ? av_opt_find(&class, key, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ) : NULL;
    for (size_t i = 0; i < sizeof file_options / sizeof *file_options; i++) {
        if (strcmp(key, file_options[i]) == 0) return file_options[i];
        const AVOption *file = set ? av_opt_find(&class, file_options[i], NULL, 0, AV_OPT_SEARCH_FAKE_OBJ) : NULL;
        if (file && file->offset == set->offset) return file_options[i];
    }
    return NULL;
}

static int takes_file(const AVClass *class) {
    for (size_t i = 0; i < sizeof file_options / sizeof *file_options; i++)
        if (class && av_opt_find(&class, file_options[i], NULL, 0, AV_OPT_SEARCH_FAKE_OBJ)) return 1;
    return 0;
}

/* The next option in the order of values without a name: what has the same place as the last one is
 * another name of it. */
static const AVOption *next_option(const AVClass *class, const AVOption *last) {
    const AVOption *o = last;
    do o = class ? av_opt_next(&class, o) : NULL;
    while (o && (o->type == AV_OPT_TYPE_CONST || (last && o->offset == last->offset)));
    return o;
}

/* Goes through the options as avfilter_init_str does. Some filters open, and empty, their files
 * when they are made, so what they are told cannot wait until then. What cannot be read makes no
 * filter either, and libavfilter has better words for it. */
static cutroom_status check_options(const chain_setting *s, const AVFilter *filter, const char *text, char *reason) {
    const AVClass *class = filter->priv_class;
    const AVOption *last = NULL;
    int is_ended = 0, is_named = 0;
    cutroom_status status = CUTROOM_OK;
    while (*text && status == CUTROOM_OK) {
        char *key = NULL, *value = NULL;
        if (av_opt_get_key_value(&text, "=", ":", AV_OPT_FLAG_IMPLICIT_KEY, &key, &value) < 0) break;
        if (*text) text++;
        const char *file = NULL;
        if (key) {
            is_named = 1;
            file = file_option(class, key);
            /* Later than FFmpeg 5: the value is in a file. */
            if (!file && *key == '/') file = key;
        } else if (!is_named && !is_ended) {
            last = next_option(class, last);
            is_ended = !last;
            file = last ? file_option(class, last->name) : NULL;
        } else if (is_named && takes_file(class)) {
            /* Which one it is differs between FFmpeg's versions. */
            status = chain_refuse(s, reason, "gives the filter ‘%s’ a value without a name after one with a name, and it could be a file; name it",
                                  filter->name);
        }
        if (file) status = refuse_file(s, filter->name, file, reason);
        av_free(key), av_free(value);
    }
    return status;
}

/* One filter of the text, with its options; the text goes on after it. */
static cutroom_status check_filter(const chain_setting *s, const char **text, char *reason) {
    char *name = av_get_token(text, "=,;["), *options = NULL;
    if (!name) return CUTROOM_ERROR_MEMORY;
    cutroom_status status = CUTROOM_OK;
    if (**text == '=') {
        (*text)++;
        options = av_get_token(text, "[],;");
        if (!options) status = CUTROOM_ERROR_MEMORY;
    }
    name[strcspn(name, "@")] = 0;
    if (status == CUTROOM_OK) status = check_name(s, name, reason);
    if (status == CUTROOM_OK && options) status = check_options(s, avfilter_get_by_name(name), options, reason);
    av_free(name), av_free(options);
    return status;
}

static const char blanks[] = " \n\t\r";

/* Past the labels of a filter's inputs or outputs; null where they cannot be read. */
static const char *past_labels(const char *p) {
    while (*p == '[') {
        p++;
        av_free(av_get_token(&p, "]"));
        if (*p++ != ']') return NULL;
        p += strspn(p, blanks);
    }
    return p;
}

/* Goes through the text as avfilter_graph_parse2 does, with the same functions of libavutil. Where
 * that stops, so does this. */
cutroom_status chain_check_text(const chain_setting *s, char *reason) {
    const char *p = s->text + strspn(s->text, blanks);
    if (strncmp(p, "sws_flags=", 10) == 0) return chain_refuse(s, reason, "begins with ‘sws_flags’, which the effect sets itself");
    while (1) {
        p = past_labels(p + strspn(p, blanks));
        if (!p) return CUTROOM_OK;
        const cutroom_status status = check_filter(s, &p, reason);
        if (status != CUTROOM_OK) return status;
        p = past_labels(p);
        if (!p) return CUTROOM_OK;
        p += strspn(p, blanks);
        if (*p != ',' && *p != ';') return CUTROOM_OK;
        p++;
    }
}

/* An expression that keeps something from frame to frame, or counts them; a format that is dithered
 * by errors that go on. */
static const char *changing_word(const char *text) {
    static const char *const words[] = {"n", "N", "in", "on", "ld", "st", "random", "print", "rgb8", "bgr8", "rgb4", "bgr4", "rgb4_byte",
                                        "bgr4_byte", "monow", "monob"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i])) return words[i];
    return NULL;
}

static cutroom_status check_option(const chain_setting *s, const char *filter, const char *option, const char *value, char *reason) {
    for (size_t i = 0; i < sizeof file_options / sizeof *file_options; i++)
        if (strcmp(option, file_options[i]) == 0 && *value)
            return refuse_file(s, filter, option, reason);
    /* Functions of drawtext and of expressions, and variables of setpts. */
    static const char *const clocks[] = {"localtime", "gmtime", "time", "RTCTIME", "RTCSTART", NULL};
    for (const char *const *word = clocks; *word; word++)
        if (has_word(value, *word) && (strcmp(*word, "time") != 0 || strstr(value, "time("))) return chain_refuse(s, reason, "asks the clock (‘%s’ in ‘%s’ of ‘%s’)", *word, option, filter);
    const char *word = s->is_pure ? changing_word(value) : NULL;
    if (!word) return CUTROOM_OK;
    return chain_refuse(s, reason,
                        "has ‘%s’ in ‘%s’ of the filter ‘%s’, which differs from frame to frame by more than its time; use ‘t’, or "
                        "org.cutroom.libavfilter", word, option, filter);
}

/* How many times the text gives a seed that is a number. */
static int seeds_given(const char *text) {
    int count = 0;
    for (const char *p = strstr(text, "seed="); p; p = strstr(p + 1, "seed=")) {
        const int before = p > text ? (unsigned char)p[-1] : 0;
        const size_t digits = strspn(p + 5, "0123456789");
        count += !isalnum(before) && before != '_' && digits > 0 && (!p[5 + digits] || strchr(":,;[ \n", p[5 + digits]));
    }
    return count;
}

static int leaves_seed(const AVFilterContext *filter) {
    const AVOption *o = filter->filter->priv_class ? av_opt_find(filter->priv, "seed", NULL, 0, 0) : NULL;
    return o && o->default_val.i64 < 0;
}

/* A filter without a seed draws one when it is created. Afterwards, this seed cannot be told from
 * one that was given. */
static cutroom_status check_seeds(const chain_setting *s, const AVFilterGraph *graph, char *reason) {
    int wanted = 0;
    for (unsigned i = 0; i < graph->nb_filters; i++) wanted += leaves_seed(graph->filters[i]);
    for (unsigned i = 0; i < graph->nb_filters && wanted > seeds_given(s->text); i++)
        if (leaves_seed(graph->filters[i]))
            return chain_refuse(s, reason, "leaves the ‘seed’ of the filter ‘%s’ to chance; give it one", graph->filters[i]->filter->name);
    return CUTROOM_OK;
}

static cutroom_status check_object(const chain_setting *s, const AVFilterContext *filter, void *object, char *reason) {
    const char *name = filter->filter->name;
    cutroom_status status = CUTROOM_OK;
    for (const AVOption *o = av_opt_next(object, NULL); o && status == CUTROOM_OK; o = av_opt_next(object, o)) {
        uint8_t *value = NULL;
        if (o->type == AV_OPT_TYPE_STRING && av_opt_get(object, o->name, AV_OPT_ALLOW_NULL, &value) >= 0 && value)
            status = check_option(s, name, o->name, (const char *)value, reason);
        av_free(value);
    }
    return status;
}

cutroom_status chain_check_filters(const chain_setting *s, const AVFilterGraph *graph, char *reason) {
    cutroom_status status = check_seeds(s, graph, reason);
    for (unsigned i = 0; i < graph->nb_filters && status == CUTROOM_OK; i++) {
        AVFilterContext *filter = graph->filters[i];
        /* `enable` is the context's, the rest the filter's own. */
        status = check_object(s, filter, filter, reason);
        if (status == CUTROOM_OK && filter->filter->priv_class) status = check_object(s, filter, filter->priv, reason);
        uint8_t *expression = NULL;
        const char *instead = "", *why = NULL;
        if (status == CUTROOM_OK && filter->filter->priv_class && av_opt_get(filter->priv, "expr", 0, &expression) >= 0 && expression)
            why = chain_retimes(filter->filter->name, (const char *)expression, &instead);
        if (why)
            status = chain_refuse(s, reason, "has the filter ‘%s’, which %s; an effect gives each %s at its own time%s", filter->filter->name, why,
                                  unit(s), instead);
        av_free(expression);
        int64_t dither = 0;
        if (status == CUTROOM_OK && s->is_pure && strcmp(filter->filter->name, "vignette") == 0
            && av_opt_get_int(filter->priv, "dither", 0, &dither) >= 0 && dither)
            status = chain_refuse(s, reason, "has the filter ‘vignette’ with a dither that goes on from frame to frame; add ‘dither=0’ to it");
    }
    return status;
}
