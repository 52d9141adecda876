/*
 * The frei0r interface, version 1.2, as far as it is called here, and what the bridge keeps of a
 * library. Declared anew from the interface's published description (https://frei0r.dyne.org),
 * whose own header is under another license.
 */
#ifndef CBRIDGES_FREI0R_H
#define CBRIDGES_FREI0R_H

#include "cbridges.h"

enum { FREI0R_FILTER, FREI0R_SOURCE, FREI0R_MIXER2, FREI0R_MIXER3 };
enum { FREI0R_BGRA, FREI0R_RGBA, FREI0R_PACKED }; /* the bytes of a pixel; packed: the order does not matter */
enum { FREI0R_BOOL, FREI0R_DOUBLE, FREI0R_COLOR, FREI0R_POSITION, FREI0R_STRING };

typedef struct frei0r_info {
    const char *name, *author;
    int type, color_model, interface_version, major, minor, param_count;
    const char *explanation;
} frei0r_info;

typedef struct frei0r_param_info {
    const char *name;
    int type;
    const char *explanation;
} frei0r_param_info;

/* A parameter's value as it crosses: what the pointer points to, by type. */
typedef union frei0r_value {
    double number; /* double; bool: at least 0.5 is true */
    float color[3];
    double position[2];
    char *text;
} frei0r_value;

typedef struct frei0r_calls {
    int (*init)(void);
    void (*get_info)(frei0r_info *);
    void (*get_param_info)(frei0r_param_info *, int index);
    void *(*construct)(unsigned width, unsigned height);
    void (*destruct)(void *);
    void (*set_param)(void *, void *value, int index);
    void (*get_param)(void *, void *value, int index);
    void (*update)(void *, double seconds, const uint32_t *in, uint32_t *out);
    void (*update2)(void *, double seconds, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out);
} frei0r_calls;

/* What the check has found out about a version of a plugin: a row of frei0r_table.inc. */
typedef struct frei0r_facts {
    const char *name; /* of the file, without .so */
    int major, minor;
    cutroom_state state;
    cutroom_determinism determinism;
    const char *refusal; /* null where it passes */
} frei0r_facts;

/* What is known of a plugin; null where that is nothing. */
const frei0r_facts *frei0r_find_facts(const char *name, int major, int minor);

/* An effect and the library behind it. The table comes first: its address is the effect's. */
typedef struct frei0r_effect {
    cutroom_effect table;
    frei0r_calls calls;
    frei0r_info info;
    /* For each of table.params the plugin's own number and type. */
    int *numbers, *types;
    /* Mixers: the plugin's number of the parameter that carries one picture into the other; −1:
     * there is none. */
    int progress;
} frei0r_effect;

cutroom_status frei0r_create(const cutroom_effect *, const cutroom_host *, const cutroom_setup *, void **instance);
void frei0r_destroy(void *instance);
cutroom_status frei0r_process(void *instance, const cutroom_call *);
cutroom_status frei0r_reset(void *instance);

/* Copies a frame into `to`, `width` × `height` tight pixels, with the last column and row repeated
 * beyond it. */
void frei0r_read(uint32_t *to, int width, int height, const cutroom_frame *from, int swaps);
/* Copies the part of `from`, rows of `width` pixels, that the frame shows. */
void frei0r_write(const cutroom_frame *to, const uint32_t *from, int width, int swaps);
/* Mixes `other` into the frame: `weight` 0 … 256 of 256 is the frame's own. */
void frei0r_mix(const cutroom_frame *frame, const cutroom_frame *other, int weight);

#endif
