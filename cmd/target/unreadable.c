/* SPDX-License-Identifier: MIT */
#include "target/unreadable.h"

#include "base/alloc.h"
#include "base/report.h"

void unreadable_add(struct pm_unreadable_list *list, const struct pm_unreadable *range)
{
	if (pm_unreadable_list_add(list, range, NULL) < 0)
		alloc_failed();
}

void unreadable_report(const struct pm_unreadable_list *list, size_t max)
{
	for (size_t i = 0; i < list->count && i < max; i++) {
		const struct pm_unreadable *range = &list->items[i];
		report_note("unreadable: %012llx-%012llx %s", (unsigned long long)range->start,
		            (unsigned long long)range->end, range->why);
	}
}
