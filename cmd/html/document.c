/* SPDX-License-Identifier: MIT */
/*
 * The markup goes through a buffer to a file without a name (new_file.h). The policy names the
 * hashes of the built-in style and script; a block of JSON is not run, and needs none.
 */
#include "html/document.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "html/assets.h"

void html_document_escape(struct text *text, const char *bytes, size_t length)
{
	static const char special[] = "<>&\"'";
	static const char *const entities[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;" };
	/* XML cannot contain U+FFFE and U+FFFF. */
	static const char not_xml[] = "\xef\xbf";
	struct text escaped = { 0 };

	utf8_escape(&escaped, bytes, length);
	for (size_t i = 0; i + 2 < escaped.length; i++) {
		if (memcmp(escaped.bytes + i, not_xml, 2) == 0 &&
		    (unsigned char)escaped.bytes[i + 2] >= 0xbe)
			memcpy(escaped.bytes + i, "???", 3);
	}
	for (size_t i = 0; i < escaped.length; i++) {
		const char *found = memchr(special, escaped.bytes[i], sizeof special - 1);

		if (found)
			text_string(text, entities[found - special]);
		else
			text_char(text, escaped.bytes[i]);
	}
	text_deinit(&escaped);
}

/** Writes everything before the contents. */
static void put_head(struct html_document *document, const char *title)
{
	html_document_raw(document,
	                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	                  "'none'; style-src '");
	html_document_raw(document, html_assets_style_hash);
	html_document_raw(document, "'; script-src '");
	html_document_raw(document, html_assets_script_hash);
	html_document_raw(document,
	                  "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	                  "<meta name=\"viewport\" content=\"width=device-width, "
	                  "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
	                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
	                  "<meta name=\"generator\" content=\"procmem " PROCMEM_VERSION "\">\n");

	html_document_element(document, "title", NULL, title);
	html_document_raw(document, "<style>");
	html_document_raw(document, html_assets_style);
	html_document_raw(document, "</style>\n</head>\n<body>\n<main>\n");
}

int html_document_open(struct html_document *document, const char *path, const char *title,
                       struct pm_error *error)
{
	*document = (struct html_document){ 0 };
	if (new_file_open(&document->file, path, error) < 0)
		return -1;

	document->open = true;
	out_init(&document->out, document->file.fd);
	put_head(document, title);
	return 0;
}

/** Writes the rest to the disk. Returns 0, or -1 with errno set. */
static int flush(struct html_document *document)
{
	out_flush(&document->out);
	errno = document->out.os_errno;
	if (errno != 0)
		return -1;

	/* A pipe or a device has no contents on a disk. */
	if (fsync(document->file.fd) < 0 && errno != EINVAL && errno != EROFS)
		return -1;
	return 0;
}

int html_document_keep(struct html_document *document, struct pm_error *error)
{
	html_document_raw(document, "</main>\n<script>");
	html_document_raw(document, html_assets_script);
	html_document_raw(document, "</script>\n</body>\n</html>\n");

	if (flush(document) < 0) {
		pm_error_set(error, PM_ERROR_IO, errno, "cannot write %.256s: %s",
		             document->file.path, strerror(errno));
		html_document_drop(document);
		return -1;
	}

	text_deinit(&document->out.buffer);
	document->open = false;
	return new_file_keep(&document->file, error);
}

void html_document_drop(struct html_document *document)
{
	if (!document->open)
		return;
	text_deinit(&document->out.buffer);
	new_file_drop(&document->file);
	document->open = false;
}

void html_document_raw(struct html_document *document, const char *markup)
{
	out_string(&document->out, markup);
}

void html_document_markup(struct html_document *document, const struct text *markup)
{
	out_text(&document->out, markup);
}

void html_document_text(struct html_document *document, const char *string)
{
	struct text markup = { 0 };

	html_document_escape(&markup, string, strlen(string));
	html_document_markup(document, &markup);
	text_deinit(&markup);
}

void html_document_element(struct html_document *document, const char *name, const char *class,
                           const char *string)
{
	if (class)
		out_format(&document->out, "<%s class=\"%s\">", name, class);
	else
		out_format(&document->out, "<%s>", name);
	html_document_text(document, string);
	out_format(&document->out, "</%s>\n", name);
}

void html_document_section(struct html_document *document, const char *id, const char *heading)
{
	out_format(&document->out, "<section id=\"%s\">\n<h2>", id);
	html_document_text(document, heading);
	html_document_raw(document, "</h2>\n");
}

void html_document_end_section(struct html_document *document)
{
	html_document_raw(document, "</section>\n");
}

void html_document_table(struct html_document *document, const char *label,
                         const struct html_column *columns, size_t count)
{
	html_document_raw(document,
	                  "<div class=\"w\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html_document_text(document, label);
	/* Not the name of the section, which is a landmark, too. */
	html_document_raw(document, ", table\">\n<table>\n<thead><tr>");
	for (size_t i = 0; i < count; i++) {
		html_document_raw(document, columns[i].number ? "<th scope=\"col\" class=\"n\">"
		                                              : "<th scope=\"col\">");
		html_document_text(document, columns[i].name);
		html_document_raw(document, "</th>");
	}
	html_document_raw(document, "</tr></thead>\n<tbody>\n");
}

void html_document_end_table(struct html_document *document)
{
	html_document_raw(document, "</tbody>\n</table>\n</div>\n");
}
