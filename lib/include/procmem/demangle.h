/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Demangling: the names of C++ and Rust symbols as they are written in the source code.
 *
 * Names come from files and memory of the target, so they are untrusted: a short mangled name can
 * expand to terabytes. Time and memory are bounded, and a result is cut at the size of the buffer.
 *
 * Several threads may call these functions at the same time.
 */
#ifndef PROCMEM_DEMANGLE_H
#define PROCMEM_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size in bytes of a buffer for a demangled name, including the NUL. Longer names are cut. */
#define PM_DEMANGLED_SIZE 1024

/**
 * Demangles the name of a symbol of C++ (Itanium ABI) or Rust. A name that is not mangled is
 * copied.
 *
 * @param name    NUL-terminated name, which may contain any bytes
 * @param buffer  receives the NUL-terminated name. If the name was cut, it ends with "..."
 * @param size    size of the buffer in bytes, at least 16
 * @return        whether the name was demangled; if not, the buffer contains `name`
 */
PM_PUBLIC bool pm_demangle(const char *name, char *buffer, size_t size);

/**
 * Demangles the name of a C++ type, as `std::type_info::name()` returns it: "N4shop5OrderE" is
 * "shop::Order", and "i" is "int".
 *
 * @param name    NUL-terminated name, which may contain any bytes
 * @param buffer  as for pm_demangle()
 * @param size    as for pm_demangle()
 * @return        as for pm_demangle()
 */
PM_PUBLIC bool pm_demangle_type(const char *name, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
