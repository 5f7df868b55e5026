/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The output of a command: a descriptor with a large buffer. Whether the descriptor is a terminal
 * is determined once, at the start.
 *
 * The first failed write is remembered, and out_close() reports it. A full disk is an error. A pipe
 * that the reader has closed is not an error.
 */
#ifndef CMD_BASE_OUT_H
#define CMD_BASE_OUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/** When to print colours. */
enum out_colour {
	OUT_COLOUR_AUTO,   /**< on a terminal, unless NO_COLOR is set (https://no-color.org) or TERM
	                      is "dumb" */
	OUT_COLOUR_ALWAYS, /**< always */
	OUT_COLOUR_NEVER,  /**< never */
};

/** The meaning of a text, which decides its colour. */
enum out_style {
	OUT_PLAIN, /**< no meaning; ends the previous style */
	OUT_DIM,   /**< a word that classifies the text beside it */
	OUT_GROWN, /**< a size or count that has grown */
	OUT_LESS,  /**< a size or count that has shrunk */
	OUT_NEW,   /**< an item that did not exist before */
	OUT_MATCH, /**< a match of a search */
	OUT_STYLE_COUNT,
};

/** The colour of a style, as a number of the palette of the terminal. */
struct out_colour_number {
	short of_256;  /**< on a terminal with 256 colours; 0 if the style has no colour */
	short of_8;    /**< on other terminals */
	bool brighter; /**< on other terminals, the text is also bold, which makes dark blue bright
	                */
};

/**
 * The colours of the styles. Each colour of the 256 has a contrast of about 4:1 or more with black
 * and with white, so that it can be read on both. This is impossible with the eight basic colours,
 * whose shades each terminal chooses.
 */
extern const struct out_colour_number out_colour_numbers[OUT_STYLE_COUNT];

struct results; /* results.h */

/** An output. Initialise it with out_init(). */
struct out {
	int fd;        /**< the descriptor; owned by the caller */
	int os_errno;  /**< errno of the first failed write, after which nothing more is written; 0
	                  if no write has failed */
	bool terminal; /**< the descriptor is a terminal */
	bool colour;   /**< styles are printed */
	bool of_256;   /**< the styles have colours of a palette of 256 */
	bool plain;    /**< print no colours with OUT_COLOUR_AUTO */
	size_t width;  /**< columns of the terminal, SIZE_MAX without a terminal */
	size_t height; /**< lines of the terminal, SIZE_MAX without a terminal */
	struct text buffer; /**< output that is not yet written */
	/**
	 * Once this flag is non-zero, the rest of the output is dropped without an error. NULL if
	 * the output cannot be cancelled.
	 */
	const volatile sig_atomic_t *cancel;
	struct results *results; /**< collection that numbers the printed items, so that later
	                            commands can refer to them; NULL outside of a session */
};

/**
 * Initializes an output, with colours as for OUT_COLOUR_AUTO.
 *
 * @param out  filled; release it with out_close()
 * @param fd   the descriptor; owned by the caller
 */
void out_init(struct out *out, int fd);

/**
 * Reads the size of the terminal again.
 * @param out  the output
 */
void out_measure(struct out *out);

/**
 * Sets when to print colours.
 *
 * @param out   the output
 * @param when  when to print colours
 */
void out_set_colour(struct out *out, enum out_colour when);

/**
 * Writes bytes.
 *
 * @param out     the output
 * @param bytes   the bytes
 * @param length  number of bytes
 */
void out_bytes(struct out *out, const char *bytes, size_t length);

/**
 * Writes a string.
 *
 * @param out     the output
 * @param string  NUL-terminated string
 */
void out_string(struct out *out, const char *string);

/**
 * Writes a text.
 *
 * @param out   the output
 * @param text  the text
 */
void out_text(struct out *out, const struct text *text);

/**
 * Writes prose, broken between words at the width of the terminal.
 *
 * @param out     the output
 * @param text    escaped text of one or more lines, without styles
 * @param indent  number of spaces at the start of a continuation line
 * @return        number of newlines written
 */
size_t out_wrapped(struct out *out, const struct text *text, size_t indent);

/**
 * Writes formatted prose, broken between words at the width of the terminal.
 *
 * @param out     the output
 * @param indent  number of spaces at the start of a continuation line
 * @param format  format of printf(3)
 */
void out_wrapped_format(struct out *out, size_t indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Writes spaces.
 *
 * @param out    the output
 * @param count  number of spaces
 */
void out_blanks(struct out *out, size_t count);

/**
 * Writes formatted text.
 *
 * @param out     the output
 * @param format  format of printf(3)
 */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Writes untrusted text, escaped as by utf8_escape().
 *
 * @param out     the output
 * @param string  NUL-terminated string
 */
void out_escaped(struct out *out, const char *string);

/**
 * Starts a style. out_style(out, OUT_PLAIN) ends it.
 *
 * @param out    the output
 * @param style  the style
 */
void out_style(struct out *out, enum out_style style);

/**
 * Returns the escape sequence that starts a style, for text that is built before it is written.
 *
 * @param out    the output
 * @param style  the style
 * @return       the sequence, "" if the output has no colours
 */
const char *out_style_code(const struct out *out, enum out_style style);

/**
 * Writes the buffer to the descriptor.
 * @param out  the output
 */
void out_flush(struct out *out);

/**
 * Checks whether further output is pointless, because the reader is gone or the disk is full.
 *
 * @param out  the output
 * @return     true if a write has failed
 */
bool out_failed(const struct out *out);

/**
 * Writes the rest of the buffer, reports a failed write on stderr, and releases the buffer.
 *
 * @param out  the output
 * @return     0, also if the reader has closed the pipe; -1 if output was lost because of another
 *             error
 */
int out_close(struct out *out);

#endif
