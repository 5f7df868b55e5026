/* SPDX-License-Identifier: MIT */
#include "html/icicle.h"

void html_icicle_put(struct html_document *document, const struct html_stacks *stacks)
{
	(void)document;
	(void)stacks;
}
