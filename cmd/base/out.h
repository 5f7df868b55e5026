/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where a command's result goes: one big buffer before a descriptor, which knows whether a terminal
 * reads it.
 *
 * A failed write is remembered and told once, by out_close(): a full disk is an error, a reader
 * that closed its pipe is none.
 */
#ifndef CMD_BASE_OUT_H
#define CMD_BASE_OUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/** When to colour. */
enum out_colour {
	OUT_COLOUR_AUTO,   /**< on a terminal, unless NO_COLOR is set (https://no-color.org) or TERM
	                      is "dumb" */
	OUT_COLOUR_ALWAYS, /**< always */
	OUT_COLOUR_NEVER,  /**< never */
};

/** What a piece of text means; the colours follow from that. */
enum out_style {
	OUT_PLAIN, /**< nothing special */
	OUT_DIM,   /**< a classification of what stands beside it */
	OUT_GROWN, /**< there is more of it than before */
	OUT_LESS,  /**< there is less of it than before */
	OUT_NEW,   /**< it was not there before */
	OUT_MATCH, /**< what was searched for */
	OUT_STYLE_COUNT,
};

struct results; /* results.h */

/** An output. Initialise with out_init(). */
struct out {
	int fd;        /**< where it goes; stays the caller's */
	int os_errno;  /**< errno of the first failed write, 0 for none; nothing is written after it
	                */
	bool terminal; /**< a terminal reads it */
	bool colour;   /**< styles are shown */
	bool plain;    /**< OUT_COLOUR_AUTO means never */
	size_t width;  /**< columns of the terminal, SIZE_MAX where there is none */
	size_t height; /**< its lines, SIZE_MAX where there is none */
	struct text buffer;                  /**< what is not yet written */
	const volatile sig_atomic_t *cancel; /**< when it becomes non-zero, the rest is dropped
	                                        without a word; NULL for none */
	struct results *results; /**< numbers what is printed, for later commands; NULL outside of a
	                            session */
};

/**
 * Starts an output, with the colours of OUT_COLOUR_AUTO.
 * @param out filled
 * @param fd where it goes
 */
void out_init(struct out *out, int fd);

/**
 * Finds out anew how large its terminal is: it may be another size by now.
 * @param out as made by out_init()
 */
void out_measure(struct out *out);

/**
 * Says when to colour.
 * @param out the output
 * @param when when
 */
void out_set_colour(struct out *out, enum out_colour when);

/**
 * Writes bytes.
 * @param out the output
 * @param bytes what
 * @param length how many
 */
void out_bytes(struct out *out, const char *bytes, size_t length);

/**
 * Writes a string.
 * @param out the output
 * @param string ends in NUL
 */
void out_string(struct out *out, const char *string);

/**
 * Writes a text.
 * @param out the output
 * @param text what
 */
void out_text(struct out *out, const struct text *text);

/**
 * Writes lines of words, broken where the terminal ends.
 *
 * @param out     the output
 * @param lines   escaped text, without styles
 * @param indent  blanks before what goes on with a line
 * @return        how many line ends that are
 */
size_t out_wrapped(struct out *out, const struct text *lines, size_t indent);

/**
 * The same of what printf would print.
 * @param out the output
 * @param indent as out_wrapped() @param format as for printf
 */
void out_wrapped_format(struct out *out, size_t indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Writes blanks.
 * @param out the output
 * @param count how many
 */
void out_blanks(struct out *out, size_t count);

/**
 * Writes what printf would print.
 * @param out the output
 * @param format as for printf
 */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Writes a stranger's text, escaped.
 * @param out the output
 * @param string ends in NUL
 */
void out_escaped(struct out *out, const char *string);

/**
 * Begins a style; out_style(out, OUT_PLAIN) ends it.
 * @param out the output
 * @param style which
 */
void out_style(struct out *out, enum out_style style);

/**
 * What begins a style, for text that is written down before it is output.
 *
 * @param out    the output
 * @param style  which
 * @return       "" without colours
 */
const char *out_style_code(const struct out *out, enum out_style style);

/**
 * Writes what is buffered.
 * @param out the output
 */
void out_flush(struct out *out);

/**
 * Whether more output is pointless: the reader is gone or the disk is full.
 * @param out the output
 * @return true or false
 */
bool out_failed(const struct out *out);

/**
 * Writes the rest, tells a failure on stderr and releases the buffer.
 * @param out the output
 * @return 0, or -1 if output was lost
 */
int out_close(struct out *out);

#endif
