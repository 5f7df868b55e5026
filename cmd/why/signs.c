/* SPDX-License-Identifier: MIT */
#include "why/signs.h"

void why_signs_begin(struct why_signs *signs, struct pm_process *process)
{
	struct pm_error error;

	if (pm_pressure_open(process, NULL, NULL, &signs->source, &error) < 0) {
		signs->source = NULL;
		return;
	}
	if (pm_pressure_read(signs->source, &signs->first, &error) < 0) {
		pm_pressure_close(signs->source);
		signs->source = NULL;
	}
}

void why_signs_end(struct why_signs *signs)
{
	struct pm_pressure_change change = { 0 };
	struct pm_error error;

	if (!signs->source || pm_pressure_read(signs->source, &signs->last, &error) < 0)
		return;

	/* Kills in the log of the kernel can be older than the observation, so it is not read. */
	if (pm_pressure_compare(&signs->first, &signs->last, &change, &error) == 0 &&
	    pm_signs_find(&signs->last, &change, NULL, false, &signs->signs, &error) < 0)
		signs->signs = (struct pm_signs){ 0 };
	pm_pressure_change_deinit(&change);
}

void why_signs_deinit(struct why_signs *signs)
{
	pm_signs_deinit(&signs->signs);
	pm_pressure_deinit(&signs->first);
	pm_pressure_deinit(&signs->last);
	pm_pressure_close(signs->source);
	*signs = (struct why_signs){ 0 };
}
