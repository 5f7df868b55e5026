/* SPDX-License-Identifier: MIT */
#include "html/timeline.h"

void html_timeline_put(struct html_document *document, const struct html_report *report)
{
	(void)document;
	(void)report;
}
