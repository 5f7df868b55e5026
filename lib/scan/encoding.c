/* SPDX-License-Identifier: MIT */
#include <procmem/strings_scan.h>

#include <string.h>

const char *pm_encoding_name(enum pm_encoding encoding)
{
	static const char *const names[PM_ENCODING_COUNT] = {
		[PM_ENCODING_ASCII] = "ascii",      [PM_ENCODING_UTF8] = "utf-8",
		[PM_ENCODING_8BIT] = "8-bit",       [PM_ENCODING_UTF16LE] = "utf-16le",
		[PM_ENCODING_UTF16BE] = "utf-16be", [PM_ENCODING_UTF32LE] = "utf-32le",
		[PM_ENCODING_UTF32BE] = "utf-32be",
	};

	return names[encoding];
}

size_t pm_encoding_unit(enum pm_encoding encoding)
{
	switch (encoding) {
	case PM_ENCODING_UTF16LE:
	case PM_ENCODING_UTF16BE:
		return 2;
	case PM_ENCODING_UTF32LE:
	case PM_ENCODING_UTF32BE:
		return 4;
	default:
		return 1;
	}
}

size_t pm_string_text(enum pm_encoding encoding, const uint8_t *bytes, size_t size, char *text)
{
	size_t unit = pm_encoding_unit(encoding), count = size / unit;
	size_t place = encoding == PM_ENCODING_UTF16BE || encoding == PM_ENCODING_UTF32BE ? unit - 1
	                                                                                  : 0;

	if (unit == 1) {
		memcpy(text, bytes, size);
		return size;
	}

	for (size_t i = 0; i < count; i++)
		text[i] = (char)bytes[i * unit + place];

	return count;
}
