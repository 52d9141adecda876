/* The life of one instance of a plugin. */
#include "ladspa.h"

#include <math.h>
#include <stdlib.h>

int ladspa_begin(const ladspa_effect *effect, ladspa_voice *voice, uint32_t rate) {
    const ladspa_plugin *plugin = effect->plugin;
    *voice = (ladspa_voice){.controls = calloc(plugin->port_count + 1, sizeof *voice->controls)};
    /* What a plugin draws from the C library when it is made is the same in each. */
    srand(1);
    if (voice->controls) voice->handle = plugin->instantiate(plugin, rate);
    for (unsigned long port = 0; voice->handle && port < plugin->port_count; port++)
        if (plugin->ports[port] & LADSPA_CONTROL) plugin->connect_port(voice->handle, port, &voice->controls[port]);
    return voice->handle != NULL;
}

void ladspa_end(const ladspa_effect *effect, ladspa_voice *voice) {
    const ladspa_plugin *plugin = effect->plugin;
    if (voice->is_active && plugin->deactivate) plugin->deactivate(voice->handle);
    if (voice->handle) plugin->cleanup(voice->handle);
    free(voice->controls);
    *voice = (ladspa_voice){0};
}

void ladspa_set(const ladspa_effect *effect, ladspa_voice *voice, const cutroom_value *values, uint32_t rate) {
    for (uint32_t i = 0; i < effect->table.param_count; i++) {
        const double value = values ? values[i].n[0] : effect->table.params[i].initial[0];
        voice->controls[effect->controls[i]] = ladspa_control(effect, i, value, rate);
    }
}

void ladspa_run(const ladspa_effect *effect, ladspa_voice *voice, float *const *inputs, float *const *outputs, uint32_t count) {
    const ladspa_plugin *plugin = effect->plugin;
    for (uint32_t i = 0; i < effect->input_count; i++) plugin->connect_port(voice->handle, effect->inputs[i], inputs[i]);
    for (uint32_t i = 0; i < effect->output_count; i++) plugin->connect_port(voice->handle, effect->outputs[i], outputs[i]);
    if (!voice->is_active && plugin->activate) plugin->activate(voice->handle);
    voice->is_active = 1;
    plugin->run(voice->handle, count);
}

uint32_t ladspa_latency(const ladspa_effect *effect, uint32_t rate, const cutroom_value *values) {
    float silence[LADSPA_MOST_AUDIO][64] = {0}, made[LADSPA_MOST_AUDIO][64];
    float *inputs[] = {silence[0], silence[1]}, *outputs[] = {made[0], made[1]};
    ladspa_voice voice;
    if (effect->latency < 0) return 0;
    if (!ladspa_begin(effect, &voice, rate)) return ladspa_end(effect, &voice), 0;
    ladspa_set(effect, &voice, values, rate);
    ladspa_run(effect, &voice, inputs, outputs, 64);
    const float latency = voice.controls[effect->latency];
    ladspa_end(effect, &voice);
    /* Beyond what any host would wait for, it is not one. */
    return latency > 0 && latency < 1 << 24 ? (uint32_t)lroundf(latency) : 0;
}
