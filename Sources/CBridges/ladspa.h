/*
 * The LADSPA interface, version 1.1, as far as it is called here, and what the bridge keeps of a
 * library. Declared anew from the interface's published description (https://www.ladspa.org), whose
 * own header is under another license.
 */
#ifndef CBRIDGES_LADSPA_H
#define CBRIDGES_LADSPA_H

#include "cbridges.h"

enum { LADSPA_REAL_TIME = 1 }; /* of properties; what may not work in place does not matter, as nothing does */
enum { LADSPA_INPUT = 1, LADSPA_OUTPUT = 2, LADSPA_CONTROL = 4, LADSPA_AUDIO = 8 }; /* of a port */
enum { LADSPA_BELOW = 1, LADSPA_ABOVE = 2, LADSPA_TOGGLED = 4, LADSPA_SAMPLE_RATE = 8, LADSPA_LOGARITHMIC = 16,
       LADSPA_INTEGER = 32, LADSPA_DEFAULT = 0x3c0 }; /* of a hint */
enum { LADSPA_MINIMUM = 0x40, LADSPA_LOW = 0x80, LADSPA_MIDDLE = 0xc0, LADSPA_HIGH = 0x100, LADSPA_MAXIMUM = 0x140,
       LADSPA_0 = 0x200, LADSPA_1 = 0x240, LADSPA_100 = 0x280, LADSPA_440 = 0x2c0 }; /* of a hint's default */

typedef struct ladspa_hint {
    int hints;
    float lower, upper;
} ladspa_hint;

typedef struct ladspa_plugin {
    unsigned long unique_id;
    const char *label;
    int properties;
    const char *name, *maker, *copyright;
    unsigned long port_count;
    const int *ports;
    const char *const *port_names;
    const ladspa_hint *port_hints;
    void *data;
    void *(*instantiate)(const struct ladspa_plugin *, unsigned long sample_rate);
    void (*connect_port)(void *, unsigned long port, float *);
    void (*activate)(void *);
    void (*run)(void *, unsigned long samples);
    void (*run_adding)(void *, unsigned long samples);
    void (*set_run_adding_gain)(void *, float);
    void (*deactivate)(void *);
    void (*cleanup)(void *);
} ladspa_plugin;

/* What the check has found out about a plugin: a row of ladspa_table.inc. */
typedef struct ladspa_facts {
    const char *label;
    unsigned long unique_id, port_count; /* what is another plugin has another id; another build may have other ports */
    cutroom_determinism determinism;
    const char *refusal; /* null where it passes */
} ladspa_facts;

/* What is known of a plugin; null where that is nothing. */
const ladspa_facts *ladspa_find_facts(const ladspa_plugin *plugin);

#define LADSPA_MOST_PORTS 1024
/* Sound goes in by one or two ports and comes out by one or two. */
#define LADSPA_MOST_AUDIO 2
/* Samples per second for which ranges and latency are described. */
#define LADSPA_RATE 48000

/* An effect and the plugin behind it. The table comes first: its address is the effect's. */
typedef struct ladspa_effect {
    cutroom_effect table;
    const ladspa_plugin *plugin;
    unsigned long *controls; /* of each of table.params, the port */
    unsigned long inputs[LADSPA_MOST_AUDIO], outputs[LADSPA_MOST_AUDIO]; /* ports of sound */
    uint32_t input_count, output_count;
    long latency; /* the port that tells how many samples the output is late; −1: there is none */
} ladspa_effect;

/* Finds the ports and describes the control inputs. - Returns: why that cannot be done; null where
 * it was. */
const char *ladspa_describe_ports(ladspa_effect *effect, const char **refusal);
/* `value` as the plugin gets it at a sample rate. */
float ladspa_control(const ladspa_effect *effect, uint32_t param, double value, uint32_t rate);

/* An instance of the plugin. */
typedef struct ladspa_voice {
    void *handle;
    float *controls; /* by port; each control port is connected to its own */
    int is_active;
} ladspa_voice;

/* - Returns: whether there is an instance. */
int ladspa_begin(const ladspa_effect *effect, ladspa_voice *voice, uint32_t rate);
void ladspa_end(const ladspa_effect *effect, ladspa_voice *voice);
/* Sets the control inputs; null: to their defaults. */
void ladspa_set(const ladspa_effect *effect, ladspa_voice *voice, const cutroom_value *values, uint32_t rate);
/* Makes `count` samples from `inputs` in `outputs`; begins to be active where it is not. */
void ladspa_run(const ladspa_effect *effect, ladspa_voice *voice, float *const *inputs, float *const *outputs, uint32_t count);
/* How many samples the output is late with these values; 0 where the plugin does not say. Runs an
 * instance of its own. */
uint32_t ladspa_latency(const ladspa_effect *effect, uint32_t rate, const cutroom_value *values);

cutroom_status ladspa_create(const cutroom_effect *, const cutroom_host *, const cutroom_setup *, void **instance);
void ladspa_destroy(void *instance);
cutroom_status ladspa_process(void *instance, const cutroom_call *);
cutroom_status ladspa_reset(void *instance);

#endif
