/* What does here what a chain cannot do. */
#include "chain.h"
#include <string.h>

const char *chain_instead(const AVFilterGraph *graph) {
    static const char rate[] = "; the draft's ‘fps’ sets the frame rate", speed[] = "; a clip's ‘speed’ does that",
        reverse[] = "; a clip's ‘reverse’ plays it backwards", noise[] = "; org.cutroom.noise_reduction does that in place",
        loudness[] = "; org.cutroom.compressor evens loudness out in place", pitch[] = "; org.cutroom.pitch does that in place";
    static const struct { const char *name, *words; } known[] = {
        {"afftdn", noise}, {"anlmdn", noise}, {"areverse", reverse}, {"asetrate", speed}, {"atempo", speed}, {"dynaudnorm", loudness},
        {"fps", rate}, {"framerate", rate}, {"loudnorm", loudness}, {"minterpolate", rate}, {"reverse", reverse}, {"rubberband", pitch},
        {"setpts", speed}, {"speechnorm", loudness},
    };
    for (unsigned i = 0; graph && i < graph->nb_filters; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(graph->filters[i]->filter->name, known[k].name) == 0) return known[k].words;
    return "";
}
