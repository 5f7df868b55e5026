/* SPDX-License-Identifier: MIT */
#include <procmem/chunk_type.h>

#include <stdlib.h>

#include "base/array.h"

struct pm_chunk_types {
	struct pm_chunk_type_source source;
};

int pm_chunk_types_open(const struct pm_chunk_type_source *source, struct pm_chunk_types **types,
                        struct pm_error *error)
{
	struct pm_chunk_types *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);
	made->source = *source;
	*types = made;
	return 0;
}

void pm_chunk_types_close(struct pm_chunk_types *types)
{
	free(types);
}

int pm_chunk_types_find(struct pm_chunk_types *types, const void *head, size_t size,
                        const struct pm_chunk_type **type, struct pm_error *error)
{
	static const struct pm_chunk_type data = { .content = PM_CONTENT_DATA,
		                                   .name = "",
		                                   .object = "" };
	(void)types, (void)head, (void)size, (void)error;
	*type = &data;
	return 0;
}

const char *pm_chunk_type_label(const struct pm_chunk_type *type)
{
	return type->name[0] ? type->name : pm_content_name((enum pm_content)type->content);
}

const char *pm_content_name(enum pm_content content)
{
	static const char *const names[] = {
		[PM_CONTENT_UNREAD] = "unread",     [PM_CONTENT_ZEROS] = "zeros",
		[PM_CONTENT_OBJECT] = "object",     [PM_CONTENT_STATIC] = "static",
		[PM_CONTENT_FUNCTION] = "function", [PM_CONTENT_TEXT] = "text",
		[PM_CONTENT_POINTERS] = "pointers", [PM_CONTENT_NUMBERS] = "numbers",
		[PM_CONTENT_DATA] = "data",
	};

	return names[content];
}

struct pm_chunk_text pm_chunk_text_find(const void *head, size_t size)
{
	(void)size;
	return (struct pm_chunk_text){ .text = head };
}
