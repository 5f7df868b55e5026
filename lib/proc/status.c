/* SPDX-License-Identifier: MIT */
#include "proc/status.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char blanks[] = " \t";

const char *pm_status_find(const char *status, const char *key)
{
	char pattern[32];
	snprintf(pattern, sizeof pattern, "\n%s:", key);

	const char *at = strstr(status, pattern);
	if (!at)
		return NULL;

	at += strlen(pattern);
	return at + strspn(at, blanks);
}

uint64_t pm_status_number(const char *status, const char *key, unsigned column)
{
	const char *at = pm_status_find(status, key);
	uint64_t value = 0;
	for (unsigned i = 0; at && i <= column; i++) {
		at += strspn(at, blanks);
		if (!pm_scan_decimal(&at, &value))
			return 0;
	}
	return value;
}

uint64_t pm_status_mask(const char *status, const char *key)
{
	const char *at = pm_status_find(status, key);
	uint64_t value = 0;
	if (!at || !pm_scan_hex(&at, &value))
		return 0;
	return value;
}
