/* SPDX-License-Identifier: MIT */
/*
 * Each function is an <svg> with a position and a width in percent, which cuts its words at its
 * end. So the words keep their size on narrow screens, and the script zooms by two attributes. The
 * functions follow each other in the order of a walk through the tree.
 */
#include "html/icicle.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"

/* Height of a row, and of a function in it, in pixels. */
enum { ROW = 19, HIGH = 18 };

/* Functions below this row, or narrower than the root divided by this number, are not drawn. */
enum { ROWS_MAX = 100, PARTS_MAX = 1000 };

/* Number of letters for which there is room in the root on a usual screen, and the least number
 * that is worth drawing. */
enum { LETTERS = 170, LETTERS_MIN = 3 };

/** Index of no function. */
#define NONE SIZE_MAX

/** A function that is to be drawn. */
struct box {
	size_t child, last, sibling; /* indexes, or NONE */
	uint64_t bytes;              /* not more than the caller has left */
	uint64_t start;              /* bytes of what is on its left */
	uint64_t used;               /* bytes of the functions it calls, up to now */
	size_t row;
};

/** What is being drawn. */
struct drawing {
	const struct html_stacks *stacks;
	struct box *boxes;
	size_t rows;                 /* number of rows */
	size_t left_out;             /* number of functions that are not drawn */
	bool codes[HTML_CODE_COUNT]; /* kinds of code that are drawn */
	struct text *text;
};

/** Places a function below its caller. A sum that does not fit the caller is cut. */
static void place(struct drawing *drawing, size_t index)
{
	const struct html_frame *frame = &drawing->stacks->frames[index];
	struct box *box = &drawing->boxes[index];
	struct box *caller = &drawing->boxes[frame->parent];

	box->bytes = pm_min(frame->bytes, caller->bytes - caller->used);
	box->start = caller->start + caller->used;
	box->row = caller->row + 1;
	caller->used += box->bytes;

	if (caller->child == NONE)
		caller->child = index;
	else
		drawing->boxes[caller->last].sibling = index;
	caller->last = index;
}

static void place_all(struct drawing *drawing)
{
	const struct html_stacks *stacks = drawing->stacks;

	drawing->boxes = alloc_array(NULL, stacks->count, sizeof *drawing->boxes);
	for (size_t i = 0; i < stacks->count; i++) {
		drawing->boxes[i] = (struct box){ .child = NONE, .last = NONE, .sibling = NONE };
		if (i == 0)
			drawing->boxes[0].bytes = stacks->frames[0].bytes;
		else if (stacks->frames[i].parent < i)
			place(drawing, i);
	}
}

static double percent_of(const struct drawing *drawing, uint64_t bytes)
{
	return (double)bytes / (double)drawing->boxes[0].bytes * 100;
}

unsigned html_icicle_shade(const char *name, size_t length)
{
	unsigned hash = 5381;

	for (size_t i = 0; i < length; i++)
		hash = hash * 33 + (unsigned char)name[i];
	return hash % HTML_ICICLE_SHADES;
}

const char *html_icicle_code(enum html_code code)
{
	static const char *const names[] = {
		[HTML_CODE_PROGRAM] = "program and its libraries",
		[HTML_CODE_SYSTEM] = "system libraries",
		[HTML_CODE_GENERATED] = "generated code",
		[HTML_CODE_NONE] = "no code",
	};

	return names[code];
}

/** Returns the number of the class of a function in the style sheet. */
static unsigned class_of(const struct html_frame *frame)
{
	return (unsigned)frame->code * HTML_ICICLE_SHADES +
	       html_icicle_shade(frame->name, strlen(frame->name));
}

/** Adds a name, cut to the letters for which there is room. */
static void put_words(const char *name, size_t room, struct text *text)
{
	struct text words = { 0 };

	if (room < LETTERS_MIN)
		return;

	utf8_escape(&words, name, strlen(name));
	if (utf8_columns(words.bytes, words.length) > room) {
		words.length = utf8_fit(words.bytes, words.length, room - 1);
		text_string(&words, "\xe2\x80\xa6");
	}
	text_string(text, "<text x=\"4\" y=\"13\">");
	html_document_escape(text, words.bytes, words.length);
	text_string(text, "</text>");
	text_deinit(&words);
}

static void put_box(struct drawing *drawing, size_t index)
{
	const struct html_frame *frame = &drawing->stacks->frames[index];
	const struct box *box = &drawing->boxes[index];
	struct text *text = drawing->text;
	double width = percent_of(drawing, box->bytes);

	text_format(text,
	            "<svg class=\"f\" role=\"treeitem\" aria-level=\"%zu\" tabindex=\"%d\" "
	            "x=\"%.3f%%\" y=\"%zu\" width=\"%.3f%%\" height=\"%d\"><title>",
	            box->row + 1, index == 0 ? 0 : -1, percent_of(drawing, box->start),
	            box->row * ROW, width, HIGH);
	html_document_escape(text, frame->name, strlen(frame->name));
	text_string(text, ": ");
	text_size(text, frame->bytes);
	text_format(text, ", %.*f %%</title><rect class=\"h%u\" width=\"100%%\" height=\"%d\"/>",
	            width < 10, width, class_of(frame), HIGH);
	put_words(frame->name, (size_t)(width / 100 * LETTERS), text);
	text_string(text, "</svg>\n");
	drawing->rows = pm_max_size(drawing->rows, box->row + 1);
	drawing->codes[frame->code] = true;
}

/** Returns the function after this one and all that it calls; NONE at the end. */
static size_t skip(const struct drawing *drawing, size_t index)
{
	while (index > 0 && drawing->boxes[index].sibling == NONE)
		index = drawing->stacks->frames[index].parent;
	return index > 0 ? drawing->boxes[index].sibling : NONE;
}

/** Adds the functions, each one before those that it calls. */
static void put_boxes(struct drawing *drawing)
{
	size_t drawn = 0, index = 0;

	while (index != NONE) {
		const struct box *box = &drawing->boxes[index];

		if (box->row >= ROWS_MAX || box->bytes < drawing->boxes[0].bytes / PARTS_MAX ||
		    box->bytes == 0) {
			index = skip(drawing, index);
			continue;
		}
		put_box(drawing, index);
		drawn++;
		index = box->child != NONE ? box->child : skip(drawing, index);
	}
	drawing->left_out = drawing->stacks->count - drawn;
}

/** Adds the meaning of the colours. */
static void put_legend(const struct drawing *drawing, struct text *text)
{
	text_string(text, "<ul class=\"codes\">");
	for (size_t code = 0; code < HTML_CODE_COUNT; code++) {
		if (drawing->codes[code])
			text_format(text, "<li><span class=\"swatch h%zu\"></span>%s</li>",
			            code * HTML_ICICLE_SHADES,
			            html_icicle_code((enum html_code)code));
	}
	text_string(text, "</ul>\n");
}

void html_icicle_put(struct html_document *document, const struct html_stacks *stacks)
{
	struct text boxes = { 0 }, text = { 0 };
	struct drawing drawing = { .stacks = stacks, .text = &boxes };

	if (stacks->count == 0 || stacks->frames[0].bytes == 0)
		return;
	place_all(&drawing);
	put_boxes(&drawing);

	text_format(&text,
	            "<svg id=\"icicle\" class=\"icicle\" role=\"tree\" height=\"%zu\" "
	            "aria-label=\"Stacks by bytes ",
	            drawing.rows * ROW);
	html_document_escape(&text, stacks->what, strlen(stacks->what));
	text_string(&text, "\">\n");
	text_bytes(&text, boxes.bytes, boxes.length);
	text_string(&text, "</svg>\n");
	put_legend(&drawing, &text);
	text_string(&text,
	            "<p class=\"hint\">Callers are above the functions they call; the width is "
	            "the bytes ");
	html_document_escape(&text, stacks->what, strlen(stacks->what));
	text_char(&text, '.');
	if (drawing.left_out > 0)
		text_format(&text, " %zu small function%s not shown.", drawing.left_out,
		            drawing.left_out == 1 ? " is" : "s are");
	text_string(&text, "<span class=\"keys\" hidden> Click or Enter zooms, Esc shows all, the "
	                   "arrow keys move.</span></p>\n");

	html_document_markup(document, &text);
	free(drawing.boxes);
	text_deinit(&boxes);
	text_deinit(&text);
}
