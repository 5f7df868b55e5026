/* SPDX-License-Identifier: MIT */
/** @file The cells of the tables of a report. */
#ifndef CMD_HTML_CELLS_H
#define CMD_HTML_CELLS_H

#include "html/document.h"
#include "html/model.h"

/** Starts a row whose heading is a text. */
void html_cells_start(struct html_document *document, const char *heading);

/** Starts a row whose heading is an address. */
void html_cells_start_address(struct html_document *document, uint64_t address);

/** Ends a row. */
void html_cells_end(struct html_document *document);

/** Writes a cell with text. */
void html_cells_text(struct html_document *document, const char *string);

/** Writes a cell with text of the target: names of files, contents of memory. */
void html_cells_code(struct html_document *document, const char *string);

/** Writes a cell with a number; with a thin line if `known` is false. */
void html_cells_number(struct html_document *document, bool known, uint64_t number);

/** Writes a cell with a PID, which has no separators; with a thin line if it is 0. */
void html_cells_pid(struct html_document *document, pid_t pid);

/** Writes a cell with a size. */
void html_cells_size(struct html_document *document, uint64_t bytes);

/** Writes a cell with a change in bytes and its sign; with a thin line if `known` is false. */
void html_cells_change(struct html_document *document, bool known, int64_t bytes);

/** Writes a cell with the change of a number per second; a thin line if `known` is false. */
void html_cells_rate(struct html_document *document, bool known, double rate);

/** Writes a cell with a verdict. */
void html_cells_verdict(struct html_document *document, const char *verdict, enum html_tone tone);

/** Adds a change in bytes with its sign: "+1.5M", "-3.0K" or "0". */
void html_cells_put_change(struct text *text, int64_t bytes);

/** Returns the class of a change: "up", "dn" or "". */
const char *html_cells_class(int64_t change);

#endif
