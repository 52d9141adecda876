/*
 * Memory from the C library that always begins as zeros, in every program that this target is
 * linked into.
 *
 * libx264's vector code (macroblock tree, 164.3095 on x86-64) lets memory that it never wrote into
 * the bits of the file, so what malloc returns must not depend on what the process did before.
 * mallopt(3)'s M_PERTURB fills all of it, also what has just come from the kernel as zeros, and so
 * makes the process hold pages that are never written: measured, a sixth of a worker's memory at
 * 1080p. This fills only what was used before.
 *
 * Where MALLOC_PERTURB_ is set, and under sanitizers, which have an allocator of their own, memory
 * is left to them.
 */
#ifndef CUTROOM_FRESH_MEMORY_H
#define CUTROOM_FRESH_MEMORY_H

/* Lets blocks from 1 MiB on always come from the kernel, and go back to it. Call it once, before
 * there are threads. */
void cutroom_fresh_memory_begin(void);

#endif
