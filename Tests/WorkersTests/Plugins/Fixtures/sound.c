/*
 * Audio filters whose output tells what they were given.
 *
 * report: channel 0 has the call's index, channel 1 what `field` names. average: 100 · in[n − 3] +
 * in[n + 5] of a window of 3 and
 * 5. gain: in place. pass: returns CUTROOM_PASS. sum: the running sum of its instance. check: a
 * gain that fails where its calls do not follow each other. fault: does what `fault` names at the
 * timeline's time `at`. key: its second input, of a window of 3 and 5: in the left channel the
 * sample that is due, in the right one that which is 5 later. Built for it (-DMORE) there are two
 * more. layout: fails where blocks are not what its instance was made for; channel c is a tenth for
 * each channel and c hundredths. reaching: its input, later by 3 samples; fails where the output
 * lies in that, which it would allow. recent: its input and half of what it had 100 samples before,
 * which it keeps.
 */
#define FIXTURE_KIND CUTROOM_KIND_AUDIO_FILTER
#define FIXTURE_FORMATS CUTROOM_FORMAT_PCMF32_PLANAR
#include "fixture.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct state {
    double sum[8];
    int64_t next, calls;
    float recent[8][100];
} state;

static float *channel(const cutroom_frame *frame, uint32_t index) {
    return (float *)(void *)(frame->plane[0] + index * frame->stride[0]);
}

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect;
    fixture_host = host;
    if (setup->sample_rate == 0 || setup->channel_count == 0 || setup->max_samples == 0 || setup->width != 0)
        return CUTROOM_ERROR_FORMAT;
    *instance = calloc(1, sizeof(state));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}
static cutroom_status reset(void *instance) { return memset(instance, 0, sizeof(state)), CUTROOM_OK; }

static double seconds(cutroom_rational time) { return (double)time.num / (double)time.den; }

static cutroom_status report(void *instance, const cutroom_call *call) {
    state *one = instance;
    const double fields[] = {seconds(call->time), call->progress, call->flags, seconds(call->duration), (double)(call->seed >> 48),
                             (double)call->output->index, call->values[1].n[0], (double)one->calls++, seconds(call->timeline_time)};
    for (uint32_t i = 0; i < call->output->sample_count; i++) {
        channel(call->output, 0)[i] = (float)call->index;
        channel(call->output, 1)[i] = (float)fields[(int)call->values[0].n[0]];
    }
    return CUTROOM_OK;
}

static cutroom_status average(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    if (in->sample_count != out->sample_count + 8 || in->index != out->index - 3) return CUTROOM_ERROR_FORMAT;
    for (uint32_t c = 0; c < out->channel_count; c++)
        for (uint32_t i = 0; i < out->sample_count; i++) channel(out, c)[i] = 100 * channel(in, c)[i] + channel(in, c)[i + 8];
    return CUTROOM_OK;
}

static cutroom_status gain(void *instance, const cutroom_call *call) {
    (void)instance;
    if (cutroom_current(call, 0)->plane[0] != call->output->plane[0]) return CUTROOM_ERROR_UNSUPPORTED;
    for (uint32_t c = 0; c < call->output->channel_count; c++)
        for (uint32_t i = 0; i < call->output->sample_count; i++) channel(call->output, c)[i] *= (float)call->values[0].n[0];
    return CUTROOM_OK;
}

static cutroom_status pass(void *instance, const cutroom_call *call) {
    (void)instance, (void)call;
    return CUTROOM_PASS;
}

static cutroom_status sum(void *instance, const cutroom_call *call) {
    state *one = instance;
    for (uint32_t c = 0; c < call->output->channel_count; c++)
        for (uint32_t i = 0; i < call->output->sample_count; i++)
            channel(call->output, c)[i] = (float)(one->sum[c] += channel(cutroom_current(call, 0), c)[i]);
    return CUTROOM_OK;
}

static cutroom_status check(void *instance, const cutroom_call *call) {
    state *one = instance;
    const int64_t index = call->output->index;
    const int starts = one->calls++ == 0;
    if (starts != (call->flags == CUTROOM_CALL_DISCONTINUITY) || (!starts && index != one->next)) {
        fixture_host->error(fixture_host->context, call->handle, "its calls do not follow each other");
        return CUTROOM_ERROR_FATAL;
    }
    one->next = index + call->output->sample_count;
    for (uint32_t c = 0; c < call->output->channel_count; c++)
        for (uint32_t i = 0; i < call->output->sample_count; i++)
            channel(call->output, c)[i] = channel(cutroom_current(call, 0), c)[i] * (float)call->values[0].n[0];
    return CUTROOM_OK;
}

static cutroom_status fault(void *instance, const cutroom_call *call) {
    (void)instance;
    const double at = call->values[1].n[0], now = seconds(call->timeline_time);
    if (now > at + 0.01 || now + 0.005 < at) return CUTROOM_PASS;
    const cutroom_frame *in = cutroom_current(call, 0);
    memcpy(channel(call->output, 0), channel(in, 0), 4 * in->sample_count);
    switch ((int)call->values[0].n[0]) {
    case 0: signal(SIGSEGV, SIG_DFL), raise(SIGSEGV); break;
    case 1: fixture_host->error(fixture_host->context, call->handle, "the tape is torn"); return CUTROOM_ERROR_FATAL;
    case 2: channel(call->output, 0)[0] = NAN; return CUTROOM_OK;
    case 3: channel(call->output, call->output->channel_count - 1)[call->output->sample_count - 1] = -INFINITY; return CUTROOM_OK;
    case 4: for (;;) pause();
    case 5: channel(call->output, call->output->channel_count - 1)[call->output->sample_count] = 0; return CUTROOM_OK;
    case 6: channel(call->output, 0)[call->output->sample_count + 1] = 0; return CUTROOM_OK;
    case 7: channel(call->output, 0)[-2] = 0; return CUTROOM_OK;
    case 8: channel(in, 0)[7] = 0; return CUTROOM_OK;
    }
    return CUTROOM_PASS;
}

static cutroom_status key(void *instance, const cutroom_call *call) {
    (void)instance;
    if (call->input_count != 2) return CUTROOM_ERROR_UNSUPPORTED;
    const cutroom_frame *in = cutroom_current(call, 1), *out = call->output;
    if (in->sample_count != out->sample_count + 8 || in->index != out->index - 3) return CUTROOM_ERROR_FORMAT;
    for (uint32_t c = 0; c < out->channel_count; c++)
        for (uint32_t i = 0; i < out->sample_count; i++) channel(out, c)[i] = channel(in, c)[i + (c == 0 ? 3 : 8)];
    return CUTROOM_OK;
}

#ifdef MORE
static cutroom_status create_layout(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    const cutroom_status status = create(effect, host, setup, instance);
    if (status != CUTROOM_OK) return status;
    state *one = *instance;
    one->calls = setup->max_samples;
    one->next = setup->channel_count;
    return CUTROOM_OK;
}

static cutroom_status layout(void *instance, const cutroom_call *call) {
    const state *one = instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    if (out->sample_count < 1 || out->sample_count > one->calls || in->sample_count != out->sample_count) return CUTROOM_ERROR_FATAL;
    if (out->channel_count != one->next || in->channel_count != one->next) return CUTROOM_ERROR_FATAL;
    for (uint32_t c = 0; c < out->channel_count; c++)
        for (uint32_t i = 0; i < out->sample_count; i++) channel(out, c)[i] = (float)out->channel_count / 10 + (float)c / 100;
    return CUTROOM_OK;
}

static cutroom_status reaching(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    for (uint32_t c = 0; c < out->channel_count; c++) {
        if (channel(out, c) < channel(in, c) + in->sample_count && channel(in, c) < channel(out, c) + out->sample_count)
            return CUTROOM_ERROR_FATAL;
        for (uint32_t i = 0; i < out->sample_count; i++) channel(out, c)[i] = channel(in, c)[i];
    }
    return CUTROOM_OK;
}

static cutroom_status recent(void *instance, const cutroom_call *call) {
    state *one = instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    for (uint32_t i = 0; i < out->sample_count; i++, one->next++)
        for (uint32_t c = 0; c < out->channel_count; c++) {
            float *past = &one->recent[c][one->next % 100];
            const float now = channel(in, c)[i];
            channel(out, c)[i] = now + 0.5f * *past;
            *past = now;
        }
    return CUTROOM_OK;
}
#endif

static const cutroom_param report_params[] = {
    {.type = CUTROOM_PARAM_INT, .id = "field", .label = "Field", .unit = "", .help = "Which.", .minimum = 0, .maximum = 8},
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "value", .label = "V", .unit = "", .help = "v"},
};
static const cutroom_param gain_params[] = {{.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "gain",
                                             .label = "Gain", .unit = "", .help = "A factor.", .minimum = 0, .maximum = 100, .initial = {1}}};
static const char *const faults[] = {"crash", "error", "nan", "infinity", "hang", "beyond", "beside", "before", "input"};
static const cutroom_param fault_params[] = {
    {.type = CUTROOM_PARAM_ENUM, .id = "fault", .label = "Fault", .unit = "", .help = "What it does.", .choice_ids = faults, .choice_count = 9},
    {.type = CUTROOM_PARAM_DOUBLE, .id = "at", .label = "At", .unit = "s", .help = "When.", .minimum = 0, .maximum = 1000},
};

/* The fixture's own life is for effects without state. */
#define SOUND(the_id, the_process) FIXTURE_EFFECT(the_id, the_process), .reset = reset
#pragma GCC diagnostic ignored "-Woverride-init"
static const cutroom_effect effects[] = {
    {SOUND("test.report", report), FIXTURE_PARAMS(report_params), .create = create, .destroy = free},
    {SOUND("test.average", average), .reach_before = 3, .reach_after = 5, .create = create, .destroy = free},
    {SOUND("test.gain", gain), FIXTURE_PARAMS(gain_params), .capabilities = CUTROOM_CAN_IN_PLACE, .create = create, .destroy = free},
    {SOUND("test.pass", pass), .create = create, .destroy = free},
    {SOUND("test.sum", sum), .state = CUTROOM_STATE_SEQUENTIAL, .create = create, .destroy = free},
    {SOUND("test.check", check), FIXTURE_PARAMS(gain_params), .state = CUTROOM_STATE_SEQUENTIAL, .create = create, .destroy = free},
    {SOUND("test.key", key), .capabilities = CUTROOM_WANTS_KEY, .reach_before = 3, .reach_after = 5, .create = create, .destroy = free},
    {SOUND("test.fault", fault), FIXTURE_PARAMS(fault_params), .create = create, .destroy = free},
#ifdef MORE
    {SOUND("test.layout", layout), .create = create_layout, .destroy = free},
    {SOUND("test.reaching", reaching), .capabilities = CUTROOM_CAN_IN_PLACE, .reach_before = 3, .create = create, .destroy = free},
    {SOUND("test.recent", recent), .state = CUTROOM_STATE_WARM_UP, .warm_up = 100, .create = create, .destroy = free},
#endif
};

static uint32_t fixture_effect_count(void) { return sizeof effects / sizeof *effects; }
static const cutroom_effect *fixture_effect(uint32_t index) { return index < fixture_effect_count() ? &effects[index] : NULL; }
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
