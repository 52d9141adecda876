/* A filter that copies frames and does one thing wrong, the one that -D names. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(ASSERTS_FINITE) || defined(ASSERTS_SOME)
#define FIXTURE_FORMATS CUTROOM_FORMAT_RGBAF32
#endif
#include "../fixture.h"
#include "harms.h"

#ifndef STATE
#define STATE CUTROOM_STATE_PURE
#endif
#ifndef CONCURRENCY
#define CONCURRENCY CUTROOM_CONCURRENCY_REENTRANT
#endif
#ifndef CAPABILITIES
#define CAPABILITIES 0
#endif
#ifndef PARAM_FLAGS
#define PARAM_FLAGS CUTROOM_PARAM_ANIMATABLE
#endif

typedef struct { int frames, threads; int64_t index; double last; cutroom_format format; pthread_t thread; uint8_t *lent; } state;

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .flags = PARAM_FLAGS, .id = "amount", .label = "Amount", .unit = "", .help = "Added.",
     .minimum = 0, .maximum = 100, .initial = {3}},
#ifdef HAS_PATH
    {.type = CUTROOM_PARAM_PATH, .id = "model", .label = "Model", .unit = "", .help = "A file."},
#endif
#ifdef FAILS_ALONE
    {.type = CUTROOM_PARAM_DOUBLE, .id = "other", .label = "Other", .unit = "", .help = "Another.", .maximum = 1, .initial = {0.5}},
#endif
};

#ifdef EXTRA_SYMBOL
/* What it returns may differ from library to library. */
CUTROOM_EXPORT int helper(void);
__attribute__((noinline)) int helper(void) { return EXTRA_SYMBOL; }
#endif

#ifdef THREAD_BOUND
/* Set in init, for its own thread. */
static _Thread_local int bound;
#endif

#ifdef LOSES_SUMS
typedef struct { volatile int sum; pthread_barrier_t *all; } sums;
/* Adds up without a lock: with several threads all read before one writes. */
static void add_up(void *data, uint32_t index) {
    sums *of = data;
    const int sum = of->sum;
    if (of->all) pthread_barrier_wait(of->all);
    of->sum = sum + (int)index;
}
#endif

static void harm_in_task(void *data, uint32_t index) {
    (void)data;
    /* Not in the caller's own thread, where there are several. */
    if (index == 3) harm_at(TASK);
}

static cutroom_status refuse(const cutroom_host *host, void *handle, cutroom_status status) {
#ifndef SAYS_NOTHING
    host->error(host->context, handle, "not this one");
#else
    (void)host, (void)handle;
#endif
    return status;
}

#ifdef SLOW_LOAD
__attribute__((constructor)) static void slow(void) { for (volatile unsigned i = 0; i < 500000000u; i++) {} }
#endif

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect;
    fixture_host = host;
#ifndef ANY_FORMAT
    if (setup->format != fixture_formats[0]) return CUTROOM_ERROR_FORMAT;
#endif
#ifdef CREATE_ODD
    if (setup->width % 2) return CREATE_ODD;
#endif
#ifdef CREATE_REFUSES
    if (setup->values[0].n[0] == CREATE_REFUSES) return refuse(host, setup->handle, CUTROOM_ERROR_PARAM);
#endif
#ifdef NEEDS_EXTENSION
    /* Without asking whether the host's table is that long. */
    (void)host->extension(host->context, "org.example.none", 1);
#endif
    state *s = calloc(1, sizeof *s);
    s->format = setup->format;
    s->threads = (int)setup->max_threads;
    *instance = s;
    harm_at(CREATE);
    return CUTROOM_OK;
}

#if defined(STRAY_THREAD)
static void *spin(void *argument) {
    (void)argument;
    for (;;) pause();
    return NULL;
}
#elif defined(TOUCHES_LATER)
static void *touch(void *argument) {
    state *s = argument;
    usleep(20000);
    *(volatile uint8_t *)s->lent = 1;
    return NULL;
}
#endif

static void destroy(void *instance) {
#ifdef TOUCHES_LATER
    state *s = instance;
    if (s->lent) pthread_join(s->thread, NULL);
#endif
#ifndef LEAKS_INSTANCE
    free(instance);
#else
    (void)instance;
#endif
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    state *s = instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int width = out->width, height = out->height;
    int add = (int)call->values[0].n[0];
    const int is_default = add == 3, is_most = add == 100, is_least = call->values[0].n[0] == 0;
    (void)s, (void)height, (void)is_default, (void)is_most, (void)is_least, (void)refuse;
#ifdef FAILS_WHERE
    if (FAILS_WHERE) return CUTROOM_ERROR_MEMORY;
#endif
#ifdef FAILS_ALONE
    if (is_most && call->values[1].n[0] == 0.5) return CUTROOM_ERROR_MEMORY;
#endif
#ifdef REFUSES_WHERE
    if (REFUSES_WHERE) return refuse(fixture_host, call->handle, CUTROOM_ERROR_PARAM);
#endif
#ifdef SHORT_STATUS
    if (!CUTROOM_HAS(in, channel_mask)) return SHORT_STATUS;
#endif
#ifdef PROCESS_ODD
    if (width % 2) return PROCESS_ODD;
#endif
#ifdef EXTRA_SYMBOL
    add += helper();
#endif
#ifdef REMEMBERS_WHERE
    if (REMEMBERS_WHERE) add += s->frames++;
#endif
#ifdef THREAD_BOUND
    add += bound;
#endif
#ifdef LOSES_SUMS
    pthread_barrier_t all;
    sums of = {0, s->threads > 1 ? &all : NULL};
    pthread_barrier_init(&all, NULL, 4);
    fixture_host->parallel(fixture_host->context, add_up, &of, 4);
    pthread_barrier_destroy(&all);
    add += of.sum;
#endif
#ifdef HISTORY
    /* Smooths the value over time. */
    s->last = s->frames++ ? (s->last + call->values[0].n[0]) / 2 : call->values[0].n[0];
    add = (int)s->last;
#endif
#ifdef NOT_PURE
    add += s->frames++;
#endif
#ifdef STATIC_STATE
    static int calls;
    add += __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
#endif
#ifdef STATIC_VALUE
    /* Remembers the value of the first frame, for all instances. */
    static int first;
    if (call->index == 0) first = add;
    add = first;
#endif
#ifdef RACE
    static int shared;
    for (volatile int i = 0; i < 1000; i++) {}
    shared = call->index == 0 ? 50 : (int)call->index;
    usleep(1000);
    add += shared;
#endif
#ifdef RACES_IN_TABLE
    /* Computed anew where the value is another one than before: with one value in all threads
     * nothing shows. */
    static int table_value = -1;
    static uint8_t table[256];
    if (table_value != add) {
        for (int i = 0; i < 256; i++) table[i] = (uint8_t)(i + add);
        table_value = add;
    }
#endif
#ifdef RACES_SHORTLY
    static volatile int shared_add;
    shared_add = add;
#endif
#ifdef KEEPS_CALL
    static const cutroom_call *kept;
    if (kept) add += (int)((const volatile cutroom_call *)kept)->index & 0;
    kept = call;
#endif
#ifdef WRITES_ODD_INPUT
    if (height % 2 && width % 2 == 0) in->plane[0][0] ^= 1;
#endif
#ifdef WRITES_AND_PASSES
    if (is_default) {
        memset(out->plane[0], 7, 4);
        return CUTROOM_PASS;
    }
#endif
#ifdef ASSERTS_SOME
    int finite = 0;
    for (int x = 0; x < 4 * width * height; x++)
        finite += x % 4 < 3 && !isnan(((const float *)(const void *)(in->plane[0] + x / (4 * width) * in->stride[0]))[x % (4 * width)]);
    if (!finite) abort();
#endif
#ifdef LOGS_LATIN
    fixture_host->log(fixture_host->context, CUTROOM_LOG_INFO, "gr\xfc\xdf dich");
#endif
#ifdef COMPLAINS
    if (call->index == 1) fprintf(stderr, "the lamp is dim\n");
#endif
#ifdef UNINITIALIZED
    uint8_t *fresh = malloc(4096);
    add += ((volatile uint8_t *)fresh)[2000];
    free(fresh);
#endif
#ifdef INSISTS_ON_SIZE
    /* Instead of what it needs of the structure. */
    if (in->struct_size != sizeof *in) add++;
#endif
#ifdef DEPENDS_ON_THREADS
    add += s->threads;
#endif
#ifdef USES_TIMELINE_TIME
    add += (int)(call->timeline_time.num * 30 / call->timeline_time.den);
#endif
#ifdef USES_INDEX
    add += (int)in->index;
#endif
#ifdef USES_PTS
    add += (int)(out->pts.num * 30 / out->pts.den);
#endif
#ifdef KNOWS_FRAMES_BY_INDEX
    /* Keeps what it found out about a frame. */
    if (s->frames++ == 0 || s->index != in->index) s->index = in->index, s->last = in->plane[0][0];
    add += (int)s->last;
#endif
#ifdef KEEPS_DURATION
    /* Of the first range that it is used for. */
    if (s->frames++ == 0) s->last = (double)call->duration.num / (double)call->duration.den;
    add += (int)s->last;
#endif
#ifdef ASSERTS_FINITE
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 4 * width; x++)
            if (!isfinite(((const float *)(const void *)(in->plane[0] + y * in->stride[0]))[x])) abort();
#endif
#ifdef FORGETS_ALPHA
    if (in->alpha == FORGETS_ALPHA) __builtin_trap();
#endif
#ifdef FORGETS_OPAQUE
    if (in->alpha == CUTROOM_ALPHA_NONE) in->plane[0][0] ^= 1;
#endif
#ifdef HANGS_LATER
    while (call->values[0].n[0] == 100) usleep(1000);
#endif
#ifdef EXITS_LATER
    if (call->values[0].n[0] == 100) exit(3);
#endif
    for (int y = call->row_begin; y < call->row_end; y++) {
        const uint8_t *from = in->plane[0] + y * in->stride[0];
        uint8_t *to = out->plane[0] + y * out->stride[0];
#ifdef MIRRORS
        for (int x = 0; x < width; x++) memcpy(to + 4 * x, from + 4 * (width - 1 - x), 4);
#else
#ifdef RACES_IN_TABLE
        for (int x = 0; x < 4 * width; x++) to[x] = x % 4 == 3 ? from[x] : table[from[x]];
#elif defined(RACES_SHORTLY)
        for (int x = 0; x < 4 * width; x++) to[x] = x % 4 == 3 ? from[x] : (uint8_t)(from[x] + shared_add);
#else
        for (int x = 0; x < 4 * width; x++) to[x] = x % 4 == 3 ? from[x] : (uint8_t)(from[x] + add);
#endif
#endif
#ifdef JOINS_BADLY
        /* As if there were nothing above. */
        if (y == call->row_begin) to[0]++;
#endif
    }
#ifdef REMEMBERS_IN_ALPHA
    out->plane[0][3] = (uint8_t)s->frames++;
#endif
#ifdef READS_BEYOND
    /* Rows in fours, rounded up. */
    for (int x = 4 * width; x < (width + 3) / 4 * 16; x++) (void)((const volatile uint8_t *)in->plane[0])[(height - 1) * in->stride[0] + x];
#endif
#ifdef WRITES_BEFORE
    if (width % 4) out->plane[0][-1] = 1;
#endif
#ifdef WRITES_BEYOND
    /* Rows in fours, rounded up. */
    for (int y = 0; y < height; y++) memset(out->plane[0] + y * out->stride[0], 1, (size_t)(width + 3) / 4 * 16);
#endif
#ifdef WRITES_PADDING
    if (out->stride[0] > 4 * width) out->plane[0][4 * width] = 7;
#endif
#ifdef ODD_CRASHES
    if (width % 2 && width > 1) __builtin_trap();
#endif
#ifdef WRITES_INPUT
    in->plane[0][0] ^= 1;
#endif
#ifdef READS_PADDING
    if (in->stride[0] > 4 * width) out->plane[0][0] = in->plane[0][4 * width];
#endif
#ifdef LEAKS_FRAME
    static void *volatile leak;
    leak = malloc(24);
#endif
#ifdef LEAKS_FILE
    (void)!dup(2);
#endif
#ifdef LEAKS_MAPPING
    (void)!mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
#ifdef LEAKS_BLOCK
    (void)!fixture_host->alloc(fixture_host->context, 24, 16);
#endif
#ifdef RELEASES_TWICE
    void *block = fixture_host->alloc(fixture_host->context, 24, 16);
    fixture_host->release(fixture_host->context, block);
    fixture_host->release(fixture_host->context, block);
#endif
#ifdef RELEASES_OTHERS
    fixture_host->release(fixture_host->context, s);
#endif
#ifdef PRINTS
    printf("frame %d\n", (int)call->index);
#endif
    harm_at(PROCESS);
    if (HARM_AT == TASK) fixture_host->parallel(fixture_host->context, harm_in_task, NULL, 4);
#ifdef WRONG_SLICES
    if (call->row_begin > 0) memset(out->plane[0], 9, 4);
#endif
#ifdef STRAY_THREAD
    if (s->frames++ == 0) pthread_create(&s->thread, NULL, spin, s);
#endif
#ifdef TOUCHES_LATER
    if (!s->lent) {
        s->lent = out->plane[0];
        pthread_create(&s->thread, NULL, touch, s);
    }
#endif
    return CUTROOM_OK;
}

#if defined(WARM_UP)
/* Remembers three frames, and says that it is two. */
static cutroom_status process_warm(void *instance, const cutroom_call *call) {
    state *s = instance;
    s->frames = (call->flags & CUTROOM_CALL_DISCONTINUITY) ? 0 : s->frames < 3 ? s->frames + 1 : 3;
    cutroom_status status = process(instance, call);
    call->output->plane[0][0] = (uint8_t)s->frames;
    return status;
}
#define PROCESS process_warm
#else
#define PROCESS process
#endif

#ifdef RESET_FORGETS_NOTHING
static cutroom_status reset(void *instance) { return (void)instance, CUTROOM_OK; }
#define RESET .reset = reset,
#elif defined(RESETS)
static cutroom_status reset(void *instance) {
    ((state *)instance)->frames = 0;
    return CUTROOM_OK;
}
#define RESET .reset = reset,
#else
#define RESET
#endif

#ifdef ANSWERS_ANYTHING
static const void *extension(const cutroom_effect *effect, const char *id, uint32_t revision) { return (void)id, (void)revision, effect; }
#define EXTENSION .extension = extension,
#else
#define EXTENSION
#endif

static const cutroom_effect effect = {
    .struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_FILTER, .capabilities = CAPABILITIES, .concurrency = CONCURRENCY,
    .state = STATE, .determinism = CUTROOM_DETERMINISM_EXACT, .warm_up = 2, .format_count = sizeof fixture_formats / sizeof *fixture_formats, .formats = fixture_formats,
    .id = "test.bad", .version = "1.0.0", .name = "Bad", .vendor = "Tests", .license = "MIT", .help = "Does one thing wrong.",
    FIXTURE_PARAMS(params), .create = create, .destroy = destroy, RESET EXTENSION .process = PROCESS};

static uint32_t count(void) { return 1; }
#ifdef WRONG_INDEX
static const cutroom_effect *at(uint32_t index) { return (void)index, &effect; }
#else
static const cutroom_effect *at(uint32_t index) { return index == 0 ? &effect : NULL; }
#endif

static cutroom_status init(const cutroom_host *host, const char *path) {
    (void)host, (void)path;
#ifdef THREAD_BOUND
    bound = 1;
#endif
#ifdef INIT_ONCE
    static int calls;
    if (calls++) return CUTROOM_ERROR_UNSUPPORTED;
#endif
    return CUTROOM_OK;
}

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = 1, .name = "Bad", .version = "1.0.0", .init = init,
    .effect_count = count, .effect = at};
