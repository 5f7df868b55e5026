/* SPDX-License-Identifier: MIT */
#include "view/terminal_keys.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

/**
 * Decodes all keys of some bytes.
 * @param piece   maximum number of bytes that arrive together
 * @param result  receives the keys; at most one for each byte
 * @return        number of keys
 */
static size_t decode(const uint8_t *data, size_t size, size_t piece, uint32_t *result)
{
	struct terminal_keys keys = { 0 };
	size_t count = 0, at = 0;

	while (at < size) {
		size_t room, before;
		char *to = terminal_keys_room(&keys, &room);
		size_t length = size - at < piece ? size - at : piece;

		length = length < room ? length : room;
		fuzz_check(length > 0);
		memcpy(to, data + at, length);
		keys.length += length;
		at += length;

		for (;;) {
			before = keys.length;
			uint32_t key = terminal_keys_next(&keys, false);
			if (key == TERMINAL_NO_KEY)
				break;
			fuzz_check(keys.length < before && key <= TERMINAL_OTHER);
			fuzz_check(keys.mouse.row >= -33 && keys.mouse.column >= -33);
			result[count++] = key;
		}
	}

	return count;
}

/** The keys do not depend on the pieces in which their bytes arrive. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t *whole = calloc(size + 1, sizeof *whole),
		 *pieces = calloc(size + 1, sizeof *pieces);

	fuzz_check(whole && pieces);
	setlocale(LC_CTYPE, "C.UTF-8");
	size_t count = decode(data, size, size, whole);
	fuzz_check(decode(data, size, 1, pieces) == count);
	fuzz_check(memcmp(whole, pieces, count * sizeof *whole) == 0);

	free(whole);
	free(pieces);
	return 0;
}
