/* SPDX-License-Identifier: MIT */
#include <procmem/survivors.h>

#include <stdlib.h>

#include "base/array.h"

struct pm_survivors {
	struct pm_chunk_types *types;
	struct pm_chunk_filter *filter;
};

int pm_survivors_open(struct pm_chunk_types *types, struct pm_chunk_filter *filter,
                      struct pm_survivors **survivors, struct pm_error *error)
{
	struct pm_survivors *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);
	*made = (struct pm_survivors){ .types = types, .filter = filter };
	*survivors = made;
	return 0;
}

void pm_survivors_close(struct pm_survivors *survivors)
{
	free(survivors);
}

int pm_survivors_walk(struct pm_survivors *survivors, struct pm_heap *heap, struct pm_error *error)
{
	(void)survivors, (void)heap, (void)error;
	return 0;
}

size_t pm_survivors_count(const struct pm_survivors *survivors)
{
	(void)survivors;
	return 0;
}

void pm_survivors_get(const struct pm_survivors *survivors, size_t index,
                      struct pm_survivor_class *result)
{
	(void)survivors, (void)index;
	*result = (struct pm_survivor_class){ 0 };
}

double pm_survivors_seconds(const struct pm_survivors *survivors)
{
	(void)survivors;
	return 0;
}

struct pm_census_total pm_survivors_total(const struct pm_survivors *survivors, unsigned walk)
{
	(void)survivors, (void)walk;
	return (struct pm_census_total){ 0 };
}
