/* SPDX-License-Identifier: MIT */
#include "html/data.h"

void html_data_put(struct html_document *document, const struct html_report *report)
{
	(void)report;
	html_document_raw(document, "<script type=\"application/json\" id=\"data\">{}</script>\n");
}
