/* SPDX-License-Identifier: MIT */
#include "scan/text_lane.h"

#include <string.h>

#include "base/minmax.h"

/**
 * Returns the mask for the 64 bytes that start `by` bytes after the start of block `i`: bit j is
 * the bit of byte j + by. The highest `by` bits are taken from the mask of the next block.
 */
static uint64_t ahead(const uint64_t *masks, size_t i, unsigned by)
{
	if (by == 0)
		return masks[i];
	return masks[i] >> by | masks[i + 1] << (PM_BLOCK - by);
}

/**
 * Returns a mask of the bytes of block `i` that belong to valid UTF-8 characters from U+00A0 on,
 * and updates `spilled`. See the Unicode Standard, table 3-7. C1 controls, U+0080 to U+009F, are
 * excluded by their second byte.
 */
static uint64_t cover_multibyte(struct pm_text_lane *lane, const struct pm_byte_classes *classes,
                                size_t i)
{
	static const struct pm_utf8_classes none = { 0 };
	const struct pm_utf8_classes *block = &classes->utf8[i], *next = &none;
	if (classes->multibyte[i + 1])
		next = block + 1;

	uint64_t follow[2] = { block->follow, next->follow };
	uint64_t follow_8[2] = { block->follow_8, next->follow_8 };
	uint64_t follow_89[2] = { block->follow_89, next->follow_89 };
	uint64_t second = ahead(follow, 0, 1);
	uint64_t third = ahead(follow, 0, 2), fourth = ahead(follow, 0, 3);

	uint64_t second_89 = ahead(follow_89, 0, 1), second_8 = ahead(follow_8, 0, 1);
	uint64_t wrong = (block->lead_c2_e0 & second_89) | (block->lead_ed & ~second_89);
	wrong |= (block->lead_f0 & second_8) | (block->lead_f4 & ~second_8);

	uint64_t four = block->lead_4 & second & third & fourth & ~wrong;
	uint64_t three = (block->lead_3 & second & third & ~wrong) | four;
	uint64_t two = (block->lead_2 & second & ~wrong) | three;
	uint64_t cover = lane->spilled | two | two << 1 | three << 2 | four << 3;

	lane->spilled = two >> 63 | three >> 62 | four >> 61;
	return cover;
}

static void cover_utf8(struct pm_text_lane *lane, const struct pm_byte_classes *classes,
                       size_t blocks, uint64_t *cover)
{
	for (size_t i = 0; i < blocks; i++) {
		cover[i] = classes->printable[i];
		if (classes->multibyte[i])
			cover[i] |= cover_multibyte(lane, classes, i);
		else
			lane->spilled = 0;
	}
}

/**
 * Marks the bytes that belong to characters of `unit` bytes in UTF-16 or UTF-32. In such a
 * character, the byte at offset `place` is printable, and all other bytes are zero.
 */
static inline __attribute__((always_inline)) void cover_wide(struct pm_text_lane *lane,
                                                             const struct pm_byte_classes *classes,
                                                             size_t blocks, uint64_t *cover,
                                                             unsigned unit, unsigned place)
{
	for (size_t i = 0; i < blocks; i++) {
		uint64_t begins = ahead(classes->printable, i, place) & lane->begins;
		for (unsigned j = 0; j < unit; j++) {
			if (j != place)
				begins &= ahead(classes->zero, i, j);
		}
		cover[i] = begins | lane->spilled;
		lane->spilled = 0;
		for (unsigned j = 1; j < unit; j++) {
			cover[i] |= begins << j;
			lane->spilled |= begins >> (PM_BLOCK - j);
		}
	}
}

/**
 * Marks the bytes of a chunk that belong to characters in the encoding of the lane.
 * @param cover  receives one mask for each block
 */
static void make_cover(struct pm_text_lane *lane, const struct pm_byte_classes *classes,
                       size_t blocks, uint64_t *cover)
{
	memcpy(cover, classes->printable, blocks * sizeof *cover);

	switch (lane->encoding) {
	case PM_ENCODING_UTF8:
		cover_utf8(lane, classes, blocks, cover);
		break;
	case PM_ENCODING_8BIT:
		for (size_t i = 0; i < blocks; i++)
			cover[i] |= classes->high[i];
		break;

	case PM_ENCODING_UTF16LE:
		cover_wide(lane, classes, blocks, cover, 2, 0);
		break;
	case PM_ENCODING_UTF16BE:
		cover_wide(lane, classes, blocks, cover, 2, 1);
		break;
	case PM_ENCODING_UTF32LE:
		cover_wide(lane, classes, blocks, cover, 4, 0);
		break;
	case PM_ENCODING_UTF32BE:
		cover_wide(lane, classes, blocks, cover, 4, 3);
		break;
	default:
		break;
	}
}

/** Returns a mask of the bytes at or after `offset` in the block that starts at offset `at`. */
static uint64_t bits_from(size_t offset, size_t at)
{
	if (offset <= at)
		return ~UINT64_C(0);
	if (offset - at >= PM_BLOCK)
		return 0;
	return ~UINT64_C(0) << (offset - at);
}

/**
 * Returns a mask that has bit i set if `mask` has ones in bits i to i + `length` - 1. `length` must
 * be 1 to 63.
 */
static inline uint64_t long_enough(uint64_t mask, size_t length)
{
	size_t done = 1;
	for (; done * 2 <= length; done *= 2)
		mask &= mask >> done;
	return mask & mask >> (length - done);
}

/**
 * Visits the runs of at least `min_length` bytes in a block.
 * @param cover  mask of the bytes that belong to characters, without those of runs that extend into
 *               another block; so bit 63 is 0
 */
static int inner_runs(const struct pm_text_lane *lane, uint64_t cover, size_t at,
                      pm_run_visitor *visit, void *context)
{
	uint64_t begins = long_enough(cover, lane->min_length);
	while (begins) {
		unsigned start = (unsigned)__builtin_ctzll(begins);
		unsigned end = start + (unsigned)__builtin_ctzll(~(cover >> start));
		int result = visit(context, lane, at + start, at + end);
		if (result)
			return result;
		begins &= ~UINT64_C(0) << end;
	}

	return 0;
}

/**
 * Visits the runs that end in a block, and sets `open` if a run reaches the end of the block.
 * @param cover  mask of the bytes that belong to characters; not all ones
 */
static int mixed_block(struct pm_text_lane *lane, uint64_t cover, size_t at, pm_run_visitor *visit,
                       void *context)
{
	int result = 0;
	if (lane->open != PM_NO_RUN) {
		size_t start = lane->open, end = at + (unsigned)__builtin_ctzll(~cover);
		lane->open = PM_NO_RUN;
		/* Remove the consecutive ones from bit 0 on, which belong to the open run. */
		cover &= cover + 1;
		if (end - start >= lane->min_length)
			result = visit(context, lane, start, end);
	}

	if (cover >> 63) {
		size_t top = (size_t)__builtin_clzll(~cover);
		lane->open = at + PM_BLOCK - top;
		cover &= ~UINT64_C(0) >> top;
	}

	if (result == 0 && cover && lane->min_length < PM_BLOCK)
		result = inner_runs(lane, cover, at, visit, context);

	return result;
}

int pm_text_lane_runs(struct pm_text_lane *lane, const struct pm_text_chunk *chunk,
                      pm_run_visitor *visit, void *context)
{
	uint64_t cover[PM_BLOCKS];
	size_t at = chunk->at, end = at + chunk->blocks * PM_BLOCK;

	make_cover(lane, chunk->classes, chunk->blocks, cover);
	for (size_t i = 0; lane->from > at + i * PM_BLOCK && i < chunk->blocks; i++)
		cover[i] &= bits_from(lane->from, at + i * PM_BLOCK);

	for (size_t i = chunk->blocks;
	     end > chunk->decided && i > 0 && at + i * PM_BLOCK > chunk->decided; i--)
		cover[i - 1] |= bits_from(chunk->decided, at + (i - 1) * PM_BLOCK);

	for (size_t i = 0; i < chunk->blocks; i++, at += PM_BLOCK) {
		if (cover[i] == 0 && lane->open == PM_NO_RUN)
			continue;
		if (cover[i] == ~UINT64_C(0)) {
			lane->open = pm_min_size(lane->open, at);
			continue;
		}

		int result = mixed_block(lane, cover[i], at, visit, context);
		if (result)
			return result;
	}

	return 0;
}
