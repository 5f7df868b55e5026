/* SPDX-License-Identifier: MIT */
/*
 * Demangles names with libiberty, which passes the result in pieces to a callback. The callback
 * cannot end the demangling, and a hostile name of 200 bytes can have a result of terabytes. So the
 * callback leaves libiberty with longjmp() when the buffer is full. libiberty has no global state.
 * For C++ it allocates nothing. For Rust it allocates a buffer for an identifier that is not ASCII,
 * passes it to the callback and releases it; the callback does not leave at such an identifier. All
 * other pieces of a Rust name are ASCII.
 */
#include <procmem/demangle.h>

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/minmax.h"

/* Length in bytes of the longest name that is demangled. libiberty uses up to some hundred bytes of
 * stack for each byte of a name. Its own limit for C++ is the same. */
enum { MANGLED_MAX = 1024 };

/** A result that is being written. */
struct output {
	char *buffer;
	size_t size;
	size_t length; /* without the NUL */
	bool full;     /* the rest does not fit */
	bool is_rust;  /* a piece that is not ASCII is in memory that libiberty releases */
	jmp_buf leave;
};

static bool is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/** Receives a piece of the result; a demangle_callbackref. */
static void append(const char *text, size_t length, void *context)
{
	struct output *output = context;
	size_t room = output->size - 1 - output->length;
	size_t fits = (size_t)pm_min(room, length);

	/* An empty piece can be a null pointer. */
	if (length == 0)
		return;

	memcpy(output->buffer + output->length, text, fits);
	output->length += fits;
	output->full = output->full || fits < length;

	if (output->full && (!output->is_rust || is_ascii(text, length)))
		longjmp(output->leave, 1);
}

/** Ends a result that was cut with "...". Does not cut within a UTF-8 character. */
static void mark_cut(struct output *output)
{
	static const char dots[] = "...";

	output->length = pm_min(output->length, output->size - sizeof dots);
	while (output->length > 0 && ((unsigned char)output->buffer[output->length] & 0xc0) == 0x80)
		output->length--;
	memcpy(output->buffer + output->length, dots, sizeof dots);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
                      void *context);

/**
 * Demangles a name with one of the functions of libiberty.
 * @return false if it is not a name of that language
 */
static bool run(demangler *demangle, const char *name, int options, struct output *output)
{
	output->length = 0;
	output->full = false;
	output->is_rust = demangle == rust_demangle_callback;

	if (setjmp(output->leave) == 0 && !demangle(name, options, append, output))
		return false;

	/* A result that contains only the name of a type can be empty. */
	if (output->length == 0)
		return false;

	output->buffer[output->length] = '\0';
	if (output->full)
		mark_cut(output);
	return true;
}

/** Copies a name that is not mangled. */
static void copy(const char *name, size_t length, struct output *output)
{
	output->full = length > output->size - 1;
	output->length = (size_t)pm_min(length, output->size - 1);
	memcpy(output->buffer, name, output->length);
	output->buffer[output->length] = '\0';
	if (output->full)
		mark_cut(output);
}

bool pm_demangle(const char *name, char *buffer, size_t size)
{
	struct output output = { .buffer = buffer, .size = size };
	size_t length = strlen(name);

	if (length <= MANGLED_MAX && name[0] == '_') {
		/* Old names of Rust are also valid names of C++, so Rust is tried first. */
		if (run(rust_demangle_callback, name, DMGL_PARAMS, &output) ||
		    run(cplus_demangle_v3_callback, name, DMGL_PARAMS | DMGL_ANSI, &output))
			return true;
	}

	copy(name, length, &output);
	return false;
}

bool pm_demangle_type(const char *name, char *buffer, size_t size)
{
	struct output output = { .buffer = buffer, .size = size };
	size_t length = strlen(name);

	if (length <= MANGLED_MAX && length > 0 &&
	    run(cplus_demangle_v3_callback, name, DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES, &output))
		return true;

	copy(name, length, &output);
	return false;
}
