/*
 * The layout of version 1.0, held for ever: a field that moves or changes its size does not
 * compile. New fields go at the end of a structure and get lines of their own here; no line is ever
 * changed.
 */
#include <assert.h>
#include <cutroom/plugin.h>

#define SIZE_AT_LEAST(type, size) static_assert(sizeof(type) >= (size), #type " became shorter")
#define FROZEN(type, size) static_assert(sizeof(type) == (size), #type " is frozen")
#define OFFSET(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field " moved")

static_assert(sizeof(void *) == 8 && sizeof(ptrdiff_t) == 8 && sizeof(size_t) == 8, "the interface is defined for LP64");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the interface is defined for little-endian machines");

FROZEN(cutroom_rational, 16);
OFFSET(cutroom_rational, num, 0);
OFFSET(cutroom_rational, den, 8);

SIZE_AT_LEAST(cutroom_frame, 192);
OFFSET(cutroom_frame, struct_size, 0);
OFFSET(cutroom_frame, format, 4);
OFFSET(cutroom_frame, width, 8);
OFFSET(cutroom_frame, height, 12);
OFFSET(cutroom_frame, plane_count, 16);
OFFSET(cutroom_frame, plane_align, 20);
OFFSET(cutroom_frame, plane, 24);
OFFSET(cutroom_frame, stride, 56);
OFFSET(cutroom_frame, primaries, 88);
OFFSET(cutroom_frame, transfer, 92);
OFFSET(cutroom_frame, matrix, 96);
OFFSET(cutroom_frame, full_range, 100);
OFFSET(cutroom_frame, alpha, 104);
OFFSET(cutroom_frame, chroma_loc, 108);
OFFSET(cutroom_frame, pixel_aspect, 112);
OFFSET(cutroom_frame, pts, 128);
OFFSET(cutroom_frame, duration, 144);
OFFSET(cutroom_frame, index, 160);
OFFSET(cutroom_frame, sample_rate, 168);
OFFSET(cutroom_frame, sample_count, 172);
OFFSET(cutroom_frame, channel_count, 176);
OFFSET(cutroom_frame, reserved, 180);
OFFSET(cutroom_frame, channel_mask, 184);

SIZE_AT_LEAST(cutroom_param, 112);
OFFSET(cutroom_param, type, 0);
OFFSET(cutroom_param, flags, 4);
OFFSET(cutroom_param, id, 8);
OFFSET(cutroom_param, label, 16);
OFFSET(cutroom_param, unit, 24);
OFFSET(cutroom_param, help, 32);
OFFSET(cutroom_param, minimum, 40);
OFFSET(cutroom_param, maximum, 48);
OFFSET(cutroom_param, initial, 56);
OFFSET(cutroom_param, initial_text, 88);
OFFSET(cutroom_param, choice_ids, 96);
OFFSET(cutroom_param, choice_count, 104);
OFFSET(cutroom_param, reserved, 108);

FROZEN(cutroom_value, 40);
OFFSET(cutroom_value, n, 0);
OFFSET(cutroom_value, text, 32);

SIZE_AT_LEAST(cutroom_setup, 112);
OFFSET(cutroom_setup, struct_size, 0);
OFFSET(cutroom_setup, format, 4);
OFFSET(cutroom_setup, width, 8);
OFFSET(cutroom_setup, height, 12);
OFFSET(cutroom_setup, pixel_aspect, 16);
OFFSET(cutroom_setup, frame_rate, 32);
OFFSET(cutroom_setup, primaries, 48);
OFFSET(cutroom_setup, transfer, 52);
OFFSET(cutroom_setup, matrix, 56);
OFFSET(cutroom_setup, full_range, 60);
OFFSET(cutroom_setup, sample_rate, 64);
OFFSET(cutroom_setup, max_samples, 68);
OFFSET(cutroom_setup, channel_count, 72);
OFFSET(cutroom_setup, max_threads, 76);
OFFSET(cutroom_setup, channel_mask, 80);
OFFSET(cutroom_setup, quality, 88);
OFFSET(cutroom_setup, value_count, 92);
OFFSET(cutroom_setup, values, 96);
OFFSET(cutroom_setup, handle, 104);

SIZE_AT_LEAST(cutroom_input, 24);
OFFSET(cutroom_input, struct_size, 0);
OFFSET(cutroom_input, before, 4);
OFFSET(cutroom_input, after, 8);
OFFSET(cutroom_input, reserved, 12);
OFFSET(cutroom_input, frames, 16);

SIZE_AT_LEAST(cutroom_call, 128);
OFFSET(cutroom_call, struct_size, 0);
OFFSET(cutroom_call, flags, 4);
OFFSET(cutroom_call, input_count, 8);
OFFSET(cutroom_call, value_count, 12);
OFFSET(cutroom_call, inputs, 16);
OFFSET(cutroom_call, output, 24);
OFFSET(cutroom_call, values, 32);
OFFSET(cutroom_call, row_begin, 40);
OFFSET(cutroom_call, row_end, 44);
OFFSET(cutroom_call, time, 48);
OFFSET(cutroom_call, timeline_time, 64);
OFFSET(cutroom_call, duration, 80);
OFFSET(cutroom_call, progress, 96);
OFFSET(cutroom_call, index, 104);
OFFSET(cutroom_call, seed, 112);
OFFSET(cutroom_call, handle, 120);

SIZE_AT_LEAST(cutroom_host, 104);
OFFSET(cutroom_host, struct_size, 0);
OFFSET(cutroom_host, abi_major, 4);
OFFSET(cutroom_host, abi_minor, 8);
OFFSET(cutroom_host, reserved, 12);
OFFSET(cutroom_host, context, 16);
OFFSET(cutroom_host, name, 24);
OFFSET(cutroom_host, version, 32);
OFFSET(cutroom_host, log, 40);
OFFSET(cutroom_host, error, 48);
OFFSET(cutroom_host, cancelled, 56);
OFFSET(cutroom_host, emit, 64);
OFFSET(cutroom_host, alloc, 72);
OFFSET(cutroom_host, release, 80);
OFFSET(cutroom_host, parallel, 88);
OFFSET(cutroom_host, extension, 96);

SIZE_AT_LEAST(cutroom_effect, 152);
OFFSET(cutroom_effect, struct_size, 0);
OFFSET(cutroom_effect, kind, 4);
OFFSET(cutroom_effect, capabilities, 8);
OFFSET(cutroom_effect, concurrency, 12);
OFFSET(cutroom_effect, state, 16);
OFFSET(cutroom_effect, warm_up, 20);
OFFSET(cutroom_effect, determinism, 24);
OFFSET(cutroom_effect, reach_before, 28);
OFFSET(cutroom_effect, reach_after, 32);
OFFSET(cutroom_effect, format_count, 36);
OFFSET(cutroom_effect, formats, 40);
OFFSET(cutroom_effect, id, 48);
OFFSET(cutroom_effect, version, 56);
OFFSET(cutroom_effect, name, 64);
OFFSET(cutroom_effect, vendor, 72);
OFFSET(cutroom_effect, license, 80);
OFFSET(cutroom_effect, help, 88);
OFFSET(cutroom_effect, params, 96);
OFFSET(cutroom_effect, param_count, 104);
OFFSET(cutroom_effect, param_stride, 108);
OFFSET(cutroom_effect, create, 112);
OFFSET(cutroom_effect, destroy, 120);
OFFSET(cutroom_effect, process, 128);
OFFSET(cutroom_effect, reset, 136);
OFFSET(cutroom_effect, extension, 144);

SIZE_AT_LEAST(cutroom_plugin, 80);
OFFSET(cutroom_plugin, magic, 0);
OFFSET(cutroom_plugin, struct_size, 4);
OFFSET(cutroom_plugin, abi_major, 8);
OFFSET(cutroom_plugin, abi_minor, 12);
OFFSET(cutroom_plugin, abi_minor_needed, 16);
OFFSET(cutroom_plugin, reserved, 20);
OFFSET(cutroom_plugin, name, 24);
OFFSET(cutroom_plugin, version, 32);
OFFSET(cutroom_plugin, init, 40);
OFFSET(cutroom_plugin, effect_count, 48);
OFFSET(cutroom_plugin, effect, 56);
OFFSET(cutroom_plugin, deinit, 64);
OFFSET(cutroom_plugin, files, 72);
