/* Filters that do not give one frame for each, and what does here what a chain cannot do. */
#include "chain.h"
#include <string.h>

static const char rate[] = "; the draft's ‘fps’ sets the frame rate", speed[] = "; a clip's ‘speed’ does that",
    reverse[] = "; a clip's ‘reverse’ plays it backwards", noise[] = "; org.cutroom.noise_reduction does that in place",
    loudness[] = "; org.cutroom.compressor evens loudness out in place",
    whole[] = "; the draft's ‘loudness’ makes the whole output so loud", pitch[] = "; org.cutroom.pitch does that in place",
    range[] = "; a clip's ‘range’ chooses what is played", repeat[] = "; the effect ‘repeat’ plays a range again",
    clips[] = "; clips follow one another in the draft", still[] = "; an image or a source after the clip does that",
    silence[] = "; a shorter sound is followed by silence by itself", once[] = "; ‘d=1’ makes one of each";

static const char drops[] = "leaves frames out", adds[] = "adds frames", late[] = "waits for the last frame",
                  other[] = "changes how many frames there are", joins[] = "plays one input after another",
                  times[] = "changes when frames are shown", parts[] = "leaves sound out", longer[] = "adds sound",
                  waits[] = "waits for the sound's end", length[] = "changes how long sound lasts";

/* Where `why` is null it shows in the first frames whether the filter can be used. */
static const struct { const char *name, *why, *instead; } known[] = {
    {"afftdn", NULL, noise}, {"aloop", longer, repeat}, {"anlmdn", NULL, noise}, {"apad", longer, silence}, {"areverse", waits, reverse},
    {"aselect", parts, range}, {"asegment", parts, range}, {"asetrate", length, speed}, {"atempo", length, speed}, {"atrim", parts, range},
    {"concat", joins, clips}, {"decimate", drops, rate}, {"detelecine", drops, rate}, {"dynaudnorm", NULL, loudness}, {"fps", other, rate},
    {"framerate", other, rate}, {"framestep", drops, rate}, {"interleave", joins, clips}, {"ainterleave", joins, clips},
    {"loop", adds, repeat}, {"loudnorm", NULL, whole}, {"minterpolate", other, rate}, {"mpdecimate", drops, rate}, {"pullup", drops, rate},
    {"repeatfields", adds, rate}, {"reverse", late, reverse}, {"rubberband", NULL, pitch}, {"segment", drops, range}, {"select", drops, range},
    {"silenceremove", parts, range}, {"speechnorm", NULL, loudness}, {"telecine", adds, rate}, {"thumbnail", drops, range},
    {"tpad", adds, still}, {"trim", drops, range}, {"setpts", NULL, speed}, {"asetpts", NULL, speed}, {"zoompan", NULL, once},
};

const char *chain_breaks(const char *filter, const char **instead) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(filter, known[k].name) == 0) return *instead = known[k].instead, known[k].why;
    return NULL;
}

/* Filters that set frames' times often do so only to begin at nought, as the effect's frames do. */
const char *chain_retimes(const char *filter, const char *expression, const char **instead) {
    static const char *const same[] = {"PTS", "PTS-STARTPTS", "N", "N/FRAME_RATE/TB", "N/FR/TB", "N/(FRAME_RATE*TB)", "N/(FR*TB)", "N/SR/TB",
                                       "N/SAMPLE_RATE/TB"};
    if (strcmp(filter, "setpts") != 0 && strcmp(filter, "asetpts") != 0) return NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *a = expression, *b = same[i];
        while (*b && (*a == ' ' || *a == *b)) b += *a++ != ' ';
        if (!*b && !a[strspn(a, " ")]) return NULL;
    }
    return *instead = speed, times;
}

const char *chain_instead(const AVFilterGraph *graph) {
    for (unsigned i = 0; graph && i < graph->nb_filters; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(graph->filters[i]->filter->name, known[k].name) == 0) return known[k].instead;
    return "";
}
