/* SPDX-License-Identifier: MIT */
#include "heap/window.h"

int pm_heap_window_open(const struct pm_heap_source *source, struct pm_heap_window **window,
                        struct pm_error *error)
{
	(void)source, (void)error;
	*window = NULL;
	return 0;
}

void pm_heap_window_close(struct pm_heap_window *window)
{
	(void)window;
}

int pm_heap_window_at(struct pm_heap_window *window, uint64_t address, size_t size, uint64_t end,
                      const void **bytes, struct pm_error *error)
{
	(void)window, (void)address, (void)size, (void)end, (void)bytes, (void)error;
	return 0;
}

void pm_heap_window_forget(struct pm_heap_window *window)
{
	(void)window;
}

int pm_heap_window_peek(struct pm_heap_window *window, uint64_t address, void *buffer, size_t size,
                        struct pm_error *error)
{
	(void)window, (void)address, (void)buffer, (void)size, (void)error;
	return 0;
}

int pm_heap_window_word(struct pm_heap_window *window, uint64_t address, uint64_t *word,
                        struct pm_error *error)
{
	return pm_heap_window_peek(window, address, word, sizeof *word, error);
}
