/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A self-contained HTML document: it needs no network and no other file. Its policy (CSP) allows
 * only the built-in style and script, by their hashes. All text is escaped here, so that it may
 * have any bytes; only html_document_raw() writes markup.
 */
#ifndef CMD_HTML_DOCUMENT_H
#define CMD_HTML_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/new_file.h"
#include "base/out.h"
#include "base/text.h"

/** A document that is being written. Markup must not have style or event attributes. */
struct html_document {
	struct new_file file; /**< private: the file */
	struct out out;       /**< private: writes to the file */
	bool open;            /**< private: the file is open */
};

/** A column of a table. */
struct html_column {
	const char *name; /**< heading */
	bool number;      /**< aligned to the right */
};

/**
 * Adds untrusted text to markup: utf8_escape(), then `<`, `>`, `&`, `"` and `'` as entities. It is
 * safe in elements and in quoted attributes, also of SVG.
 *
 * @param text    receives the markup
 * @param bytes   any bytes, NULL if there are none
 * @param length  number of bytes
 */
void html_document_escape(struct text *text, const char *bytes, size_t length);

/**
 * Starts a document: the head with the title, the policy and the style, up to the start of <main>.
 *
 * @param document  filled; release it with html_document_keep() or html_document_drop()
 * @param path      the final name. The mode will be 0600, and an existing file is replaced when the
 *                  document is complete. Symbolic links and directories are refused
 * @param title     title of the document, any bytes
 * @param error     PM_ERROR_IO
 * @return          0 or -1
 */
int html_document_open(struct html_document *document, const char *path, const char *title,
                       struct pm_error *error);

/**
 * Writes the end of a document with the script, and renames the file to its final name.
 *
 * @param document  released in any case
 * @param error     PM_ERROR_IO; on failure, no file is left, and an existing file is unchanged
 * @return          0 or -1
 */
int html_document_keep(struct html_document *document, struct pm_error *error);

/**
 * Removes a document that is not complete.
 * @param document  released; has no effect after html_document_keep()
 */
void html_document_drop(struct html_document *document);

/**
 * Writes markup.
 *
 * @param document  the document
 * @param markup    NUL-terminated markup without anything from outside of the program
 */
void html_document_raw(struct html_document *document, const char *markup);

/**
 * Writes markup that was built with text_*() and html_document_escape().
 *
 * @param document  the document
 * @param markup    the markup
 */
void html_document_markup(struct html_document *document, const struct text *markup);

/**
 * Writes escaped text.
 *
 * @param document  the document
 * @param string    any bytes but NUL
 */
void html_document_text(struct html_document *document, const char *string);

/**
 * Writes an element that contains text only.
 *
 * @param document  the document
 * @param name      name of the element, such as "p"
 * @param class     its class; NULL: none
 * @param string    its text; any bytes but NUL
 */
void html_document_element(struct html_document *document, const char *name, const char *class,
                           const char *string);

/**
 * Starts a section with a heading. html_document_end_section() ends it.
 *
 * @param document  the document
 * @param id        identifier of the section in the document, such as "regions"
 * @param heading   its heading
 */
void html_document_section(struct html_document *document, const char *id, const char *heading);

/** Ends a section. */
void html_document_end_section(struct html_document *document);

/**
 * Starts a table, which can be scrolled sideways on narrow screens: its head, and the start of its
 * body. Rows are `<tr>` elements. html_document_end_table() ends it.
 *
 * @param document  the document
 * @param label     name of the table for screen readers
 * @param columns   the columns
 * @param count     number of columns
 */
void html_document_table(struct html_document *document, const char *label,
                         const struct html_column *columns, size_t count);

/** Ends a table. */
void html_document_end_table(struct html_document *document);

#endif
