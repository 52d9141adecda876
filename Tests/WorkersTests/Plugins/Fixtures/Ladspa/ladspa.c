/*
 * A LADSPA library as somebody else would write it; -DDEFECT=… chooses what it does wrong as a
 * whole. Every instance checks that its host keeps to the order of the interface, and ends the
 * process where it does not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT = 1, OUTPUT = 2, CONTROL = 4, AUDIO = 8 };
enum { BELOW = 1, ABOVE = 2, TOGGLED = 4, RATE = 8, LOGARITHMIC = 16, INTEGER = 32 };
enum { MINIMUM = 0x40, LOW = 0x80, MIDDLE = 0xc0, HIGH = 0x100, MAXIMUM = 0x140, ONE = 0x240, HUNDRED = 0x280, A440 = 0x2c0 };
#define IN (AUDIO | INPUT)
#define OUT (AUDIO | OUTPUT)
#define KNOB (CONTROL | INPUT)
#define METER (CONTROL | OUTPUT)
#define MOST 16

typedef struct hint {
    int hints;
    float lower, upper;
} hint;

typedef struct plugin {
    unsigned long id;
    const char *label;
    int properties;
    const char *name, *maker, *copyright;
    unsigned long port_count;
    const int *ports;
    const char *const *names;
    const hint *hints;
    void *data;
    void *(*instantiate)(const struct plugin *, unsigned long rate);
    void (*connect)(void *, unsigned long, float *);
    void (*activate)(void *);
    void (*run)(void *, unsigned long);
    void (*run_adding)(void *, unsigned long);
    void (*set_gain)(void *, float);
    void (*deactivate)(void *);
    void (*cleanup)(void *);
} plugin;

typedef struct instance {
    const plugin *type;
    float *port[MOST];
    unsigned long rate;
    int is_active;
    unsigned long count;
    double sum;
    float line[4096];
} instance;

static void require(int condition) {
    if (!condition) abort();
}

static void *instantiate(const plugin *type, unsigned long rate) {
    instance *it = calloc(1, sizeof *it);
    it->type = type;
    it->rate = rate;
    return it;
}
static void *refuse(const plugin *type, unsigned long rate) {
    (void)type, (void)rate;
    return NULL;
}
static void connect(void *handle, unsigned long port, float *data) {
    instance *it = handle;
    require(port < it->type->port_count && data != NULL);
    it->port[port] = data;
}
static void activate(void *handle) {
    instance *it = handle;
    require(!it->is_active);
    it->is_active = 1;
    it->count = 0;
}
static void deactivate(void *handle) {
    instance *it = handle;
    require(it->is_active);
    it->is_active = 0;
}
static void cleanup(void *handle) {
    instance *it = handle;
    require(!it->is_active);
    free(it);
}
static instance *running(void *handle) {
    instance *it = handle;
    require(it->is_active);
    for (unsigned long port = 0; port < it->type->port_count; port++) require(it->port[port] != NULL);
    return it;
}

/* out = in · gain. Where that can be seen, they are not the same memory. */
static void run_gain(void *handle, unsigned long count) {
    instance *it = running(handle);
    require(it->port[1] != it->port[2]);
    for (unsigned long i = 0; i < count; i++) it->port[2][i] = it->port[1][i] * *it->port[0];
    *it->port[3] = 12345;
}

/* Channel by channel the values of its knobs, and the rate. */
static void run_odd(void *handle, unsigned long count) {
    instance *it = running(handle);
    const unsigned long in = it->type->port_count - 2, out = in + 1;
    for (unsigned long i = 0; i < count; i++) it->port[out][i] = i < in ? *it->port[i] : it->port[in][i];
}

static void run_late(void *handle, unsigned long count) {
    instance *it = running(handle);
    const unsigned long late = (unsigned long)*it->port[0];
    for (unsigned long i = 0; i < count; i++) {
        it->line[it->count % 4096] = it->port[1][i];
        it->port[2][i] = it->count >= late ? it->line[(it->count - late) % 4096] : 0;
        it->count++;
    }
    *it->port[3] = (float)late;
}

static void run_sum(void *handle, unsigned long count) {
    instance *it = running(handle);
    for (unsigned long i = 0; i < count; i++) it->port[1][i] = (float)(it->sum += it->port[0][i]);
}

static void run_swap(void *handle, unsigned long count) {
    instance *it = running(handle);
    for (unsigned long i = 0; i < count; i++) {
        it->port[2][i] = 2 * it->port[1][i];
        it->port[3][i] = it->port[0][i];
    }
}

static void run_spread(void *handle, unsigned long count) {
    instance *it = running(handle);
    for (unsigned long i = 0; i < count; i++) {
        it->port[1][i] = it->port[0][i];
        it->port[2][i] = 3 * it->port[0][i];
    }
}

static void run_random(void *handle, unsigned long count) {
    instance *it = running(handle);
    for (unsigned long i = 0; i < count; i++) it->port[1][i] = (float)rand() / (float)RAND_MAX;
}

static void run_crash(void *handle, unsigned long count) {
    (void)running(handle), (void)count;
    *(volatile int *)8 = 1;
}

static void run_nothing(void *handle, unsigned long count) { (void)handle, (void)count; }

#define PORTS(name, ...) static const int name##_ports[] = {__VA_ARGS__}
#define NAMES(name, ...) static const char *const name##_names[] = {__VA_ARGS__}
#define HINTS(name, ...) static const hint name##_hints[] = {__VA_ARGS__}

PORTS(gain, KNOB, IN, OUT, METER);
NAMES(gain, "Gain", "Input", "Output", "Level");
HINTS(gain, {BELOW | ABOVE | ONE, 0, 4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});

PORTS(late, KNOB, IN, OUT, METER);
NAMES(late, "Delay (samples)", "Input", "Output", "latency");
HINTS(late, {BELOW | ABOVE | INTEGER | HUNDRED, -0.1f, 1000.1f}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});

PORTS(odd, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, KNOB, IN, OUT);
NAMES(odd, "Cutoff [Hz]", "Stages", "On?", "Max. delay (s)", "Ratio", "Any", "", "any", "Turned", "Grösse (dB)", "Frequency", "In", "Out");
HINTS(odd, {BELOW | ABOVE | RATE | LOGARITHMIC | LOW, 0.0001f, 0.5f}, {BELOW | ABOVE | INTEGER | MIDDLE, -0.1f, 3.1f}, {TOGGLED | ONE, 0, 0},
      {BELOW | HIGH, 0.01f, 0}, {ABOVE | MIDDLE, 0, 1}, {MAXIMUM, 1, 2}, {BELOW | ABOVE | HUNDRED, 0, 10},
      {BELOW | ABOVE, NAN, INFINITY}, {BELOW | ABOVE | MINIMUM, 5, -5}, {BELOW | ABOVE | LOW, -70, 10.1f}, {BELOW | ABOVE | LOGARITHMIC | MIDDLE, 1, 100}, {0, 0, 0}, {0, 0, 0});

PORTS(same, KNOB, KNOB, KNOB, IN, OUT);
NAMES(same, "a 3", "a", "a", "In", "Out");
HINTS(same, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});

PORTS(pair, IN, IN, OUT, OUT);
PORTS(spread, IN, OUT, OUT);
PORTS(mono, IN, OUT);
PORTS(ring, IN, IN, OUT);
PORTS(generator, OUT);
PORTS(meter, IN, METER);
PORTS(many, IN, IN, IN, OUT);
PORTS(silent, KNOB);
PORTS(wrong, INPUT, IN, OUT);
NAMES(plain, "a", "b", "c", "d");
HINTS(plain, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});

#define LIFE(the_instantiate, the_run) \
    .instantiate = the_instantiate, .connect = connect, .activate = activate, .run = the_run, .deactivate = deactivate, .cleanup = cleanup
#define PLUGIN(the_id, the_label, p, n, the_run)                                                                              \
    {.id = the_id, .label = the_label, .name = "The " the_label, .maker = "Somebody", .copyright = "None",                    \
     .port_count = sizeof p##_ports / sizeof *p##_ports, .ports = p##_ports, .names = n##_names, .hints = n##_hints,         \
     LIFE(instantiate, the_run)}

static const plugin plugins[] = {
    PLUGIN(1, "fx_gain", gain, gain, run_gain),
    PLUGIN(2, "fx_late", late, late, run_late),
    PLUGIN(3, "fx_odd", odd, odd, run_odd),
    PLUGIN(4, "fx_swap", pair, plain, run_swap),
    PLUGIN(5, "fx_spread", spread, plain, run_spread),
    PLUGIN(6, "fx_sum", mono, plain, run_sum),
    PLUGIN(7, "fx_random", mono, plain, run_random),
    PLUGIN(8, "fx_ring", ring, plain, run_nothing),
    PLUGIN(9, "fx_generator", generator, plain, run_nothing),
    PLUGIN(10, "fx_meter", meter, plain, run_nothing),
    PLUGIN(11, "fx_many", many, plain, run_nothing),
    PLUGIN(12, "fx_silent", silent, plain, run_nothing),
    PLUGIN(13, "fx_wrong", wrong, plain, run_nothing),
    PLUGIN(14, "fx_gain", mono, plain, run_sum),
    PLUGIN(15, "fx_crash", mono, plain, run_crash),
    {.id = 16, .label = "fx_real_time", .properties = 1, .name = "", .maker = NULL, .port_count = 2, .ports = mono_ports,
     .names = plain_names, .hints = plain_hints, LIFE(instantiate, run_nothing)},
    {.id = 17, .label = "fx_refuses", .name = "R", .maker = "", .port_count = 2, .ports = mono_ports, .names = plain_names,
     .hints = plain_hints, LIFE(refuse, run_nothing)},
    {.id = 18, .label = "fx_half", .name = "H", .maker = "", .port_count = 2, .ports = mono_ports, .names = plain_names,
     .hints = plain_hints, .instantiate = instantiate},
    {.id = 19, .label = "fx_bare", .name = "B", .maker = "", .port_count = 2, .ports = mono_ports, .names = plain_names,
     .hints = plain_hints, .instantiate = instantiate, .connect = connect, .run = run_nothing, .cleanup = cleanup},
    {.id = 20, .label = "not an id", .name = "N", .maker = "", .port_count = 2, .ports = mono_ports, .names = plain_names,
     .hints = plain_hints, LIFE(instantiate, run_nothing)},
    PLUGIN(14, "fx_gain", mono, plain, run_sum),
    PLUGIN(21, "fx_names", same, same, run_nothing),
};

#ifndef FIRST
#define FIRST 0
#endif
#ifndef LAST
#define LAST (sizeof plugins / sizeof *plugins)
#endif

__attribute__((visibility("default"))) const plugin *ladspa_descriptor(unsigned long index);
const plugin *ladspa_descriptor(unsigned long index) {
#if defined ENDLESS
    return &plugins[index % 2];
#elif defined EMPTY
    return (void)plugins, (void)index, NULL;
#endif
    return index < LAST - FIRST ? &plugins[FIRST + index] : NULL;
}
