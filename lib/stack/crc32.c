/* SPDX-License-Identifier: MIT */
#include "stack/crc32.h"

#include <stddef.h>

#include "base/io.h"

/* The polynomial of CRC-32 (IEEE 802.3), with the bits reversed. */
static const uint32_t polynomial = 0xedb88320;

/** Fills the table of the checksums of single bytes. */
static void fill_table(uint32_t table[256])
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t value = byte;

		for (int bit = 0; bit < 8; bit++)
			value = (value >> 1) ^ ((value & 1) * polynomial);
		table[byte] = value;
	}
}

bool pm_crc32_fits(int fd, uint32_t checksum)
{
	uint32_t table[256];
	unsigned char buffer[16 << 10];
	uint32_t value = ~(uint32_t)0;
	uint64_t offset = 0;
	ssize_t length;

	fill_table(table);
	while ((length = pm_pread(fd, buffer, sizeof buffer, offset)) > 0) {
		for (ssize_t i = 0; i < length; i++)
			value = table[(value ^ buffer[i]) & 0xff] ^ (value >> 8);
		offset += (uint64_t)length;
	}

	return length == 0 && ~value == checksum;
}
