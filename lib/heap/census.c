/* SPDX-License-Identifier: MIT */
#include <procmem/census.h>

#include <stdlib.h>

#include "base/array.h"

struct pm_census {
	struct pm_census_options options;
};

int pm_census_create(const struct pm_census_options *options, struct pm_census **census,
                     struct pm_error *error)
{
	struct pm_census *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);
	made->options = *options;
	*census = made;
	return 0;
}

void pm_census_destroy(struct pm_census *census)
{
	free(census);
}

int pm_census_add(struct pm_census *census, const struct pm_chunk *chunk, const void *head,
                  size_t size, struct pm_error *error)
{
	(void)census, (void)chunk, (void)head, (void)size, (void)error;
	return 0;
}

int pm_census_add_heap(struct pm_census *census, struct pm_heap *heap, struct pm_error *error)
{
	(void)census, (void)heap, (void)error;
	return 0;
}

void pm_census_sort(struct pm_census *census, enum pm_census_order order)
{
	(void)census, (void)order;
}

size_t pm_census_count(const struct pm_census *census)
{
	(void)census;
	return 0;
}

const struct pm_census_class *pm_census_get(const struct pm_census *census, size_t index)
{
	(void)census, (void)index;
	return NULL;
}

uint64_t pm_census_bound(const struct pm_census *census)
{
	(void)census;
	return 0;
}

struct pm_census_total pm_census_total(const struct pm_census *census)
{
	(void)census;
	return (struct pm_census_total){ 0 };
}
