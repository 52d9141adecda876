/* Plugins of one or two channels at work on sound of any number. */
#include "ladspa.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_CHANNELS 8
#define MOST_SAMPLES 4096
/* The bridge's own memory: what goes in, and what comes out by either port. */
enum { MIX, LEFT, RIGHT, SCRATCHES };

/* Channels that one instance works on. */
typedef struct group {
    uint32_t first, count; /* 1 or 2 */
    ladspa_voice voice;
} group;

typedef struct instance {
    const ladspa_effect *effect;
    const cutroom_host *host;
    uint32_t rate, most; /* samples in a run */
    uint32_t latency; /* of this run of sound; at most the effect's reach_after */
    int is_running;
    uint32_t group_count;
    group groups[MOST_CHANNELS];
    float *scratch[SCRATCHES];
} instance;

/*
 * A plugin of one input and one output gets each channel alone. Others get left and right together,
 * and what has no partner alone: of 5.1 that is the centre and the low frequencies.
 */
static void make_groups(instance *it, uint32_t channels, uint64_t mask) {
    const int is_mono = it->effect->input_count == 1 && it->effect->output_count == 1;
    for (uint32_t channel = 0; channel < channels;) {
        const int is_alone = is_mono || channel + 1 == channels || (mask == 0x3f && (channel == 2 || channel == 3));
        const uint32_t count = is_alone ? 1 : 2;
        it->groups[it->group_count++] = (group){.first = channel, .count = count};
        channel += count;
    }
}

static void end(instance *it) {
    for (uint32_t i = 0; i < it->group_count; i++) ladspa_end(it->effect, &it->groups[i].voice);
    it->is_running = 0;
}

void ladspa_destroy(void *handle) {
    instance *it = handle;
    end(it);
    for (int i = 0; i < SCRATCHES; i++) it->host->release(it->host->context, it->scratch[i]);
    free(it);
}

cutroom_status ladspa_create(
    const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    const ladspa_effect *own = (const ladspa_effect *)effect;
    if (setup->format != CUTROOM_FORMAT_PCMF32_PLANAR || setup->channel_count < 1 || setup->channel_count > MOST_CHANNELS)
        return CUTROOM_ERROR_FORMAT;
    if (own->input_count < 1 || own->output_count < own->input_count || own->output_count > LADSPA_MOST_AUDIO)
        return CUTROOM_ERROR_UNSUPPORTED;
    instance *it = calloc(1, sizeof *it);
    if (!it) return CUTROOM_ERROR_MEMORY;
    it->effect = own;
    it->host = host;
    it->rate = setup->sample_rate;
    it->most = setup->max_samples - 1 < MOST_SAMPLES ? setup->max_samples : MOST_SAMPLES; /* 0 is no number of samples */
    make_groups(it, setup->channel_count, setup->channel_mask);
    cutroom_status status = CUTROOM_OK;
    for (int i = 0; i < SCRATCHES; i++) {
        it->scratch[i] = host->alloc(host->context, it->most * sizeof(float), 64);
        if (!it->scratch[i]) status = CUTROOM_ERROR_MEMORY;
    }
    if (status == CUTROOM_OK)
        *result = it;
    else
        ladspa_destroy(it);
    return status;
}

/*
 * The plugin's own instances are made when there is something to hear: many plugins do not forget
 * everything when they are activated again, and some cannot be cleaned up that never were active.
 */
cutroom_status ladspa_reset(void *handle) {
    end(handle);
    return CUTROOM_OK;
}

/* ---- Sound ------------------------------------------------------------------------------------------------------------- */

static float *samples(const cutroom_frame *frame, uint32_t channel, uint32_t offset) {
    return (float *)(void *)(frame->plane[0] + channel * frame->stride[0]) + offset;
}

static void mean(float *to, const float *a, const float *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) to[i] = 0.5f * (a[i] + b[i]);
}

/*
 * One group's next `count` samples, at most it->most. What has one channel where the plugin has two
 * goes into both, and is the mean of what comes out; two channels where the plugin takes one go in
 * as their mean.
 * - Parameter to: of the output; −1: what is made is dropped.
 */
static void run(instance *it, group *one, const cutroom_call *call, uint32_t from, int64_t to, uint32_t count) {
    const ladspa_effect *effect = it->effect;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    float *inputs[2], *outputs[2] = {it->scratch[LEFT], it->scratch[RIGHT]};
    for (uint32_t i = 0; i < 2; i++) inputs[i] = samples(in, one->first + (i < one->count ? i : 0), from);
    if (one->count > effect->input_count) {
        mean(it->scratch[MIX], inputs[0], inputs[1], count);
        inputs[0] = it->scratch[MIX];
    }
    const int is_mixed = to >= 0 && one->count < effect->output_count;
    for (uint32_t i = 0; i < one->count && to >= 0 && !is_mixed; i++) outputs[i] = samples(out, one->first + i, (uint32_t)to);
    ladspa_run(effect, &one->voice, inputs, outputs, count);
    if (is_mixed) mean(samples(out, one->first, (uint32_t)to), outputs[0], outputs[1], count);
}

static void set(instance *it, const cutroom_call *call) {
    for (uint32_t i = 0; i < it->group_count; i++) ladspa_set(it->effect, &it->groups[i].voice, call->values, it->rate);
}

static cutroom_status begin(instance *it, const cutroom_call *call) {
    int is_complete = 1;
    for (uint32_t i = 0; i < it->group_count && is_complete; i++)
        is_complete = ladspa_begin(it->effect, &it->groups[i].voice, it->rate);
    if (is_complete) return CUTROOM_OK;
    char text[80];
    snprintf(text, sizeof text, "it makes no instance for %u samples per second", it->rate);
    it->host->error(it->host->context, call->handle, text);
    end(it);
    return CUTROOM_ERROR_MEMORY;
}

/* The plugin runs ahead of the output by as much as it is late. */
static void run_ahead(instance *it, const cutroom_call *call) {
    const uint32_t reach = it->effect->table.reach_after, latency = ladspa_latency(it->effect, it->rate, call->values);
    it->latency = latency < reach ? latency : reach;
    if (latency > reach) {
        char text[160];
        snprintf(text, sizeof text, "%s is %u samples late with these values, of which %u are taken back",
                 it->effect->table.id, latency, reach);
        it->host->log(it->host->context, CUTROOM_LOG_WARNING, text);
    }
    for (uint32_t i = 0; i < it->group_count; i++)
        for (uint32_t done = 0; done < it->latency; done += it->most)
            run(it, &it->groups[i], call, done, -1, it->latency - done < it->most ? it->latency - done : it->most);
}

cutroom_status ladspa_process(void *handle, const cutroom_call *call) {
    instance *it = handle;
    if (call->flags & CUTROOM_CALL_DISCONTINUITY) end(it);
    const cutroom_status status = it->is_running ? CUTROOM_OK : begin(it, call);
    if (status != CUTROOM_OK) return status;
    set(it, call);
    /* The only legal randomness, for plugins that ask the C library for theirs. */
    srand((unsigned)call->seed);
    if (!it->is_running) run_ahead(it, call);
    it->is_running = 1;
    const uint32_t count = call->output->sample_count;
    for (uint32_t i = 0; i < it->group_count; i++)
        for (uint32_t done = 0; done < count; done += it->most)
            run(it, &it->groups[i], call, it->latency + done, done, count - done < it->most ? count - done : it->most);
    return CUTROOM_OK;
}
