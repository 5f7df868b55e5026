/* SPDX-License-Identifier: MIT */
/*
 * Colours are attributes and not styles, so that the picture is complete if a policy of the browser
 * forbids styles and scripts. Names are untrusted: put_escaped() writes them as XML text.
 */
#include "trace/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "html/document.h"
#include "html/icicle.h"
#include "trace/svg_script.h"
#include "trace/tree.h"

/* The layout, in pixels. */
enum { WIDTH = 1180, LEFT = 10, TOP = 66, ROW = 18, BAR = 17, BOTTOM = 34 };

/* Width of a letter of the font, in tenths of a pixel, and the room beside a label. */
enum { LETTER_TENTHS = 66, LABEL_ROOM = 6, LABEL_MIN = 3 };

/* Functions with less than the whole memory divided by this number are left out. */
enum { PARTS_MAX = 20000 };

static const char *const colours[][HTML_ICICLE_SHADES] = {
	[FRAME_PROGRAM] = { "#f08a4b", "#f29d5e", "#ee7f52", "#f4ad6c" },
	[FRAME_SYSTEM] = { "#9db8d9", "#a9c2df", "#93b0d3", "#b3cae4" },
	[FRAME_GENERATED] = { "#8cc98a", "#9ad197", "#7fc07f", "#a6d8a2" },
	[FRAME_MARKER] = { "#c9c9c9", "#c9c9c9", "#c9c9c9", "#c9c9c9" },
};

_Static_assert((int)FRAME_SYSTEM == (int)HTML_CODE_SYSTEM &&
                       (int)FRAME_MARKER == (int)HTML_CODE_NONE,
               "kinds of code have the same numbers");

/** What is being drawn. */
struct drawing {
	const struct trace_report *report;
	struct trace_tree tree;
	struct text *text;
	uint64_t total;  /* bytes of the root */
	size_t left_out; /* number of functions that are too small */
	int height;      /* of the whole picture */
};

/**
 * Adds an untrusted name as XML text.
 *
 * @param text     receives the text
 * @param name     the name
 * @param columns  maximum number of letters; a longer name is cut
 */
static void put_escaped(struct text *text, const struct text *name, size_t columns)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, name->bytes, name->length);
	if (utf8_columns(escaped.bytes, escaped.length) > columns) {
		escaped.length = utf8_fit(escaped.bytes, escaped.length, columns - 1);
		text_string(&escaped, "\xe2\x80\xa6");
	}
	html_document_escape(text, escaped.bytes, escaped.length);
	text_deinit(&escaped);
}

/** Returns a position or a width in pixels. */
static double pixels(const struct drawing *drawing, uint64_t bytes)
{
	return (double)bytes / (double)drawing->total * WIDTH;
}

/** Adds the text that a browser shows beside the mouse. */
static void put_title(const struct drawing *drawing, const struct trace_node *node)
{
	struct text *text = drawing->text;

	text_string(text, "<title>");
	put_escaped(text, &node->name, SIZE_MAX);
	text_char(text, '\n');
	text_size(text, node->bytes);
	text_format(text, " %s (%.2f%%)\n", trace_report_what(drawing->report),
	            100 * (double)node->bytes / (double)drawing->total);
	text_grouped(text, node->calls);
	text_format(text, " call%s, ", text_plural(node->calls));
	text_grouped(text, node->regions);
	text_format(text, " region%s", text_plural(node->regions));
	if (node->length > 0) {
		text_string(text, ", the largest ");
		text_size(text, node->length);
	}
	text_string(text, "</title>");
}

static void put_node(const struct drawing *drawing, const struct trace_node *node)
{
	struct text *text = drawing->text;
	double x = LEFT + pixels(drawing, node->start), width = pixels(drawing, node->bytes);
	int y = TOP + (int)(drawing->tree.depth - node->depth) * ROW;
	double room = (width - LABEL_ROOM) * 10 / LETTER_TENTHS;

	text_string(text, "<g class=\"f\">");
	put_title(drawing, node);
	text_format(text,
	            "<rect x=\"%.4f\" y=\"%d\" width=\"%.4f\" height=\"%d\" rx=\"1\" "
	            "fill=\"%s\"/><text x=\"%.4f\" y=\"%d\">",
	            x, y, width, BAR,
	            colours[node->kind][html_icicle_shade(node->name.bytes, node->name.length)],
	            x + 3, y + 13);
	if (room >= LABEL_MIN)
		put_escaped(text, &node->name, (size_t)room);
	text_string(text, "</text></g>\n");
}

/** Adds the functions, callers first. */
static void put_nodes(struct drawing *drawing)
{
	text_string(drawing->text, "<g id=\"frames\">\n");
	for (size_t i = 0; drawing->total > 0 && i < drawing->tree.count; i++) {
		const struct trace_node *node = &drawing->tree.nodes[i];

		if (node->bytes >= drawing->total / PARTS_MAX)
			put_node(drawing, node);
		else
			drawing->left_out++;
	}
	text_string(drawing->text, "</g>\n");
}

static void put_heading(const struct drawing *drawing)
{
	const struct trace_report *report = drawing->report;
	struct text *text = drawing->text;
	struct text name = { 0 };

	text_string(&name, report->name[0] ? report->name : "process");
	text_format(text, "<text x=\"%d\" y=\"24\" font-size=\"16\">", LEFT);
	put_escaped(text, &name, SIZE_MAX);
	if (report->pid > 0)
		text_format(text, " (%d)", (int)report->pid);
	text_string(text, ": ");
	text_size(text, drawing->total);
	text_format(text, " %s, by the code that mapped or touched it in %.1f s</text>\n",
	            trace_report_what(report), report->result->seconds);

	text_format(text,
	            "<text id=\"info\" x=\"%d\" y=\"48\">Click or Enter: zoom. Esc: all. "
	            "/: search. n, N: next, previous match. Arrow keys: move.</text>\n"
	            "<text id=\"hits\" x=\"%d\" y=\"24\" text-anchor=\"end\">Search</text>\n",
	            LEFT, LEFT + WIDTH);
	text_deinit(&name);
}

/** Adds the meaning of the colours, and what is left out. */
static void put_legend(const struct drawing *drawing)
{
	struct text *text = drawing->text;
	int x = LEFT, y = drawing->height - BOTTOM + 14;
	uint64_t untouched = trace_report_untouched(drawing->report);

	for (size_t i = 0; i < HTML_CODE_COUNT; i++) {
		const char *name = html_icicle_code((enum html_code)i);

		text_format(text,
		            "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>"
		            "<text x=\"%d\" y=\"%d\">%s</text>\n",
		            x, y, colours[i][0], x + 15, y + 9, name);
		x += 30 + (int)strlen(name) * LETTER_TENTHS / 10;
	}

	text_format(text, "<text x=\"%d\" y=\"%d\">", x + 10, y + 9);
	if (drawing->left_out > 0)
		text_format(text, "%zu small functions are not shown. ", drawing->left_out);
	if (untouched > 0) {
		text_size(text, untouched);
		text_string(text, " mapped before the trace and not touched are not shown.");
	}
	text_string(text, "</text>\n");
}

static void put_script(struct text *text)
{
	text_string(text, "<script><![CDATA[\n");
	for (const char *const *line = trace_svg_script; *line; line++) {
		text_string(text, *line);
		text_char(text, '\n');
	}
	text_string(text, "]]></script>\n");
}

int trace_svg_make(const struct trace_report *report, struct text *text, struct pm_error *error)
{
	struct drawing drawing = { .report = report, .text = text };

	(void)error;
	trace_tree_init(&drawing.tree, report);
	drawing.total = drawing.tree.nodes[0].bytes;
	drawing.height = TOP + (int)(drawing.tree.depth + 1) * ROW + BOTTOM;

	text_format(text,
	            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 %d\" "
	            "width=\"1200\" height=\"%d\" font-family=\"monospace\" font-size=\"11\">\n"
	            "<style>g.f,#hits{cursor:pointer}g.f text{pointer-events:none}"
	            "g.f:hover rect{stroke:#000}</style>\n"
	            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	            drawing.height, drawing.height);
	put_heading(&drawing);
	put_nodes(&drawing);
	put_legend(&drawing);
	if (drawing.total > 0)
		put_script(text);
	text_string(text, "</svg>\n");

	trace_tree_deinit(&drawing.tree);
	return 0;
}
