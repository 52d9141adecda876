/* A plugin's ports and what their hints say. */
#include "common.h"
#include "ladspa.h"

#include <math.h>
#include <portable_math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Units that stand in brackets after a name, "Delay (s)" or "Frequency [Hz]", and where a range
 * ends that a plugin leaves open. */
static const struct { const char *name; double far; } units[] = {
    {"dB", 120}, {"Hz", LADSPA_RATE / 2}, {"kHz", LADSPA_RATE / 2e3}, {"s", 60}, {"ms", 60e3}, {"%", 1000}, {"semitones", 120},
    {"bpm", 1000}, {"", 1000},
};
enum { UNITS = sizeof units / sizeof *units };

/* - Returns: a number in `units`. */
static int unit(const char *name, int hints) {
    const char *open = strrchr(name, '(') ? strrchr(name, '(') : strrchr(name, '[');
    for (int i = 0; open && i < UNITS - 1; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(open + 1, units[i].name, length) == 0 && (open[1 + length] == ')' || open[1 + length] == ']')) return i;
    }
    return hints & LADSPA_SAMPLE_RATE ? 1 : UNITS - 1;
}

/* The decimal number of the fewest digits that is this float: 0.1 and not 0.10000000149. */
static double plain(float number) {
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number) break;
    }
    return strtod(text, NULL);
}

typedef struct range {
    int has_lower, has_upper; /* by the plugin's own word */
    double lower, upper;
} range;

/* The range at `rate`; lower is not below upper where there is none, or none that makes sense. */
static range bounds(const ladspa_hint *hint, double rate, double far) {
    const double factor = hint->hints & LADSPA_SAMPLE_RATE ? rate : 1;
    range it = {.has_lower = (hint->hints & LADSPA_BELOW) && isfinite(hint->lower),
                .has_upper = (hint->hints & LADSPA_ABOVE) && isfinite(hint->upper)};
    if (!it.has_lower && !it.has_upper) return it;
    it.lower = it.has_lower ? plain(hint->lower) * factor : fmin(-far, plain(hint->upper) * factor - far);
    it.upper = it.has_upper ? plain(hint->upper) * factor : fmax(far, it.lower + far);
    if (hint->hints & LADSPA_INTEGER) { /* given a little wider than they are */
        it.lower = ceil(it.lower) + 0.0; /* −0 becomes 0 */
        it.upper = floor(it.upper) + 0.0;
    }
    return it;
}

/* What lies at `share` of the range; where the plugin names no such range, the end that it does
 * name. */
static double at(const ladspa_hint *hint, range it, double share) {
    if (share == 0 && it.has_lower) return it.lower;
    if (share == 1 && it.has_upper) return it.upper;
    if (!it.has_lower || !it.has_upper) return it.has_lower ? it.lower : it.upper;
    /* By the interface's own formula, which gives 0 where the range begins there. */
    if ((hint->hints & LADSPA_LOGARITHMIC) && it.lower >= 0)
        return pm_exp(pm_log(it.lower) * (1 - share) + pm_log(it.upper) * share);
    return it.lower * (1 - share) + it.upper * share;
}

static double initial(const ladspa_hint *hint, range it) {
    double value = 0;
    switch (hint->hints & LADSPA_DEFAULT) {
    case LADSPA_MINIMUM: value = at(hint, it, 0); break;
    case LADSPA_LOW: value = at(hint, it, 0.25); break;
    case LADSPA_MIDDLE: value = at(hint, it, 0.5); break;
    case LADSPA_HIGH: value = at(hint, it, 0.75); break;
    case LADSPA_MAXIMUM: value = at(hint, it, 1); break;
    case LADSPA_1: value = 1; break;
    case LADSPA_100: value = 100; break;
    case LADSPA_440: value = 440; break;
    }
    value = hint->hints & LADSPA_INTEGER ? round(value) : plain((float)value);
    return it.lower < it.upper ? fmin(fmax(value, it.lower), it.upper) : value;
}

static const char *describe_control(ladspa_effect *effect, unsigned long port, cutroom_param *params) {
    const ladspa_hint *hint = &effect->plugin->port_hints[port];
    const char *name = effect->plugin->port_names[port] ? effect->plugin->port_names[port] : "";
    const uint32_t count = effect->table.param_count;
    cutroom_param *param = &params[count];
    const int number = unit(name, hint->hints);
    const range range = bounds(hint, LADSPA_RATE, units[number].far);
    param->flags = CUTROOM_PARAM_ANIMATABLE;
    if (hint->hints & LADSPA_TOGGLED) {
        param->type = CUTROOM_PARAM_BOOL;
        param->maximum = 1;
        param->initial[0] = (hint->hints & LADSPA_DEFAULT) == LADSPA_1;
    } else {
        param->type = hint->hints & LADSPA_INTEGER ? CUTROOM_PARAM_INT : CUTROOM_PARAM_DOUBLE;
        param->initial[0] = initial(hint, range);
        if (range.lower < range.upper) {
            param->minimum = range.lower;
            param->maximum = range.upper;
        }
    }
    param->id = bridge_make_id(name, (int)port, params, count);
    param->label = bridge_kept(name);
    param->unit = units[number].name;
    param->help = hint->hints & LADSPA_LOGARITHMIC ? "Best thought of as a logarithm." : "";
    effect->controls[count] = port;
    effect->table.param_count++;
    return param->id && param->label ? NULL : BRIDGE_NO_MEMORY;
}

static int is_latency(const char *name) { return name && (strcasecmp(name, "latency") == 0 || strcasecmp(name, "_latency") == 0); }

static const char *wrong_shape(uint32_t inputs, uint32_t outputs) {
    if (inputs == 0 && outputs == 0) return "it has no audio ports";
    if (outputs == 0) return "it has no audio output";
    if (inputs == 0) return "it has no audio input";
    if (inputs > LADSPA_MOST_AUDIO || outputs > LADSPA_MOST_AUDIO) return "it has more than two audio inputs or outputs";
    if (outputs < inputs) return "it has two audio inputs that are not left and right, but one output";
    return NULL;
}

const char *ladspa_describe_ports(ladspa_effect *effect, const char **refusal) {
    const ladspa_plugin *plugin = effect->plugin;
    if (plugin->port_count > LADSPA_MOST_PORTS) return "it claims an impossible number of ports";
    if (!plugin->ports || !plugin->port_names || !plugin->port_hints) return "it does not describe its ports";
    cutroom_param *params = calloc(plugin->port_count + 1, sizeof *params);
    effect->controls = calloc(plugin->port_count + 1, sizeof *effect->controls);
    effect->table.params = params;
    effect->table.param_stride = sizeof *params;
    effect->latency = -1;
    if (!params || !effect->controls) return BRIDGE_NO_MEMORY;
    uint32_t inputs = 0, outputs = 0;
    for (unsigned long port = 0; port < plugin->port_count; port++) {
        const char *failure = NULL;
        switch (plugin->ports[port]) {
        case LADSPA_CONTROL | LADSPA_INPUT: failure = describe_control(effect, port, params); break;
        case LADSPA_CONTROL | LADSPA_OUTPUT:
            if (effect->latency < 0 && is_latency(plugin->port_names[port])) effect->latency = (long)port;
            break;
        case LADSPA_AUDIO | LADSPA_INPUT:
            if (inputs++ < LADSPA_MOST_AUDIO) effect->inputs[inputs - 1] = port;
            break;
        case LADSPA_AUDIO | LADSPA_OUTPUT:
            if (outputs++ < LADSPA_MOST_AUDIO) effect->outputs[outputs - 1] = port;
            break;
        default: failure = "it has a port that is not one of input and output, or not one of sound and control";
        }
        if (failure) return failure;
    }
    effect->input_count = inputs;
    effect->output_count = outputs;
    const char *reason = wrong_shape(inputs, outputs);
    if (reason) *refusal = reason;
    return NULL;
}

float ladspa_control(const ladspa_effect *effect, uint32_t param, double value, uint32_t rate) {
    const ladspa_hint *hint = &effect->plugin->port_hints[effect->controls[param]];
    const range range = bounds(hint, rate, LADSPA_RATE);
    /* The range is described for one rate; at a lower one its end lies beyond what the plugin
     * knows. */
    if ((hint->hints & LADSPA_SAMPLE_RATE) && range.lower < range.upper) value = fmin(fmax(value, range.lower), range.upper);
    return (float)value;
}
