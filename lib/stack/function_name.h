/* SPDX-License-Identifier: MIT */
/** @file Short names of functions. Private. */
#ifndef PM_STACK_FUNCTION_NAME_H
#define PM_STACK_FUNCTION_NAME_H

#include <stddef.h>

/**
 * Demangles the name of a function, and removes its arguments and return type: "_ZN4shop5OrderC1Ei"
 * becomes "shop::Order::Order".
 * @param name    NUL-terminated name, which may contain any bytes
 * @param buffer  receives the NUL-terminated name
 * @param size    size of the buffer in bytes, at least 16
 */
void pm_function_name(const char *name, char *buffer, size_t size);

#endif
