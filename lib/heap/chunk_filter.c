/* SPDX-License-Identifier: MIT */
#include <procmem/chunk_filter.h>

int pm_chunk_filter_create(const struct pm_chunk_filter_options *options,
                           struct pm_chunk_filter **filter, struct pm_error *error)
{
	(void)options, (void)error;
	*filter = NULL;
	return 0;
}

void pm_chunk_filter_destroy(struct pm_chunk_filter *filter)
{
	(void)filter;
}

bool pm_chunk_filter_match(struct pm_chunk_filter *filter, const struct pm_chunk_item *item)
{
	(void)filter, (void)item;
	return true;
}

unsigned pm_chunk_filter_states(const struct pm_chunk_filter *filter)
{
	(void)filter;
	return 1U << PM_CHUNK_IN_USE;
}

int pm_chunk_list(struct pm_heap *heap, struct pm_chunk_types *types,
                  struct pm_chunk_filter *filter, pm_chunk_item_visitor *visit, void *context,
                  struct pm_error *error)
{
	(void)heap, (void)types, (void)filter, (void)visit, (void)context, (void)error;
	return 0;
}

int pm_chunk_item_read(struct pm_heap *heap, struct pm_chunk_types *types,
                       const struct pm_chunk *chunk, void *head, struct pm_chunk_item *item,
                       struct pm_error *error)
{
	(void)heap;
	*item = (struct pm_chunk_item){ .chunk = *chunk, .head = head };
	return pm_chunk_types_find(types, head, 0, &item->type, error);
}
