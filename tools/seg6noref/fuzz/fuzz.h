/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the fuzz targets share
 */
#ifndef SEG6NOREF_FUZZ_H
#define SEG6NOREF_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_SLOT	9

/* json.c: one value, and nothing behind it but blanks. */
bool json_valid(const char *text);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* SEG6NOREF_FUZZ_H */
