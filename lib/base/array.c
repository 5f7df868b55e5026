/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

enum { FIRST_CAPACITY = 16 };

int pm_error_out_of_memory(struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_RESOURCES, ENOMEM, "out of memory in procmem itself");
}

int pm_error_no_resources(int cause, struct pm_error *error)
{
	if (cause == EMFILE)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "procmem has too many open files: increase 'ulimit -n'");
	if (cause == ENFILE)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "the machine has too many open files (fs.file-max)");
	return pm_error_out_of_memory(error);
}

int pm_array_reserve(void *items, size_t *capacity, size_t count, size_t more, size_t item_size,
                     struct pm_error *error)
{
	size_t wanted, bytes;

	if (__builtin_add_overflow(count, more, &wanted))
		return pm_error_out_of_memory(error);
	if (wanted <= *capacity)
		return 0;

	size_t doubled = pm_max_size(FIRST_CAPACITY, *capacity * 2);
	size_t next = pm_max_size(wanted, doubled);
	if (__builtin_mul_overflow(next, item_size, &bytes))
		return pm_error_out_of_memory(error);

	/* `items` is the address of a pointer of unknown type. It is accessed with memcpy(3),
	 * because access through a `void **` would break the aliasing rules of C. */
	void *old;
	memcpy(&old, items, sizeof old);
	void *grown = realloc(old, bytes);
	if (!grown)
		return pm_error_out_of_memory(error);

	memcpy(items, &grown, sizeof grown);
	*capacity = next;
	/* cppcheck-suppress memleak ; the second memcpy stores the pointer */
	return 0;
}
