/* SPDX-License-Identifier: MIT */
#include "html/share.h"

void html_share_put(struct html_document *document, const struct html_report *report)
{
	(void)document;
	(void)report;
}
