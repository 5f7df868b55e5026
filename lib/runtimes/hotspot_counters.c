/* SPDX-License-Identifier: MIT */
/*
 * The performance counters that jstat shows. They are in a block of memory (perfMemory.hpp):
 * { u32 magic; u8 byte order, version, minor version, accessible; i32 used; i32 overflow;
 * i64 time; i32 offset of the first entry; i32 number of entries }, then the entries:
 * { i32 length; i32 offset of the name; i32 vector length; u8 type, flags, units, variability;
 * i32 offset of the data }. The format has been the same since JDK 5.
 */
#include "runtimes/hotspot_counters.h"

#include <string.h>

enum {
	HEADER_SIZE = 32,
	ENTRY_SIZE = 20,
	/* JDK 17 has 230 entries. */
	ENTRIES_MAX = 4096,
	ENTRY_MAX = 65536,
	/* -XX:PerfDataMemorySize; 32 KiB by default. */
	BLOCK_MAX = 32 << 20,
	NAME_SIZE = 64,
	LONG = 'J',
	COLLECTORS = 8,
};

/* Always big-endian. */
static const unsigned char magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };

/** Sums of the counters of all collectors. */
struct sums {
	uint64_t collections;
	uint64_t ticks;
	uint64_t frequency; /**< ticks of a second */
	bool found;
};

/** An entry: at an address, with its fixed part. */
struct entry {
	uint64_t address;
	uint32_t length, name, vector, data;
	uint8_t type;
};

static uint32_t number_at(const unsigned char *bytes, size_t offset)
{
	uint32_t number;

	memcpy(&number, bytes + offset, sizeof number);
	return number;
}

static bool read_entry(const struct pm_hotspot *jvm, uint64_t address, uint64_t end,
                       struct entry *entry)
{
	unsigned char bytes[ENTRY_SIZE];

	if (end - address < ENTRY_SIZE ||
	    !pm_runtime_read(jvm->context, address, bytes, sizeof bytes))
		return false;

	*entry = (struct entry){
		.address = address,
		.length = number_at(bytes, 0),
		.name = number_at(bytes, 4),
		.vector = number_at(bytes, 8),
		.type = bytes[12],
		.data = number_at(bytes, 16),
	};
	return entry->length >= ENTRY_SIZE && entry->length <= ENTRY_MAX &&
	       entry->length <= end - address && entry->name >= ENTRY_SIZE &&
	       entry->name < entry->length && entry->data < entry->length;
}

/** Parses "sun.gc.collector.N.REST". Returns REST; NULL if the name is another one. */
static const char *collector_counter(const char *name)
{
	static const char prefix[] = "sun.gc.collector.";
	const char *rest = name + strlen(prefix);

	if (strncmp(name, prefix, strlen(prefix)) != 0 || *rest < '0' ||
	    *rest >= '0' + COLLECTORS || rest[1] != '.')
		return NULL;
	return rest + 2;
}

static void add_entry(const struct pm_hotspot *jvm, const struct entry *entry, struct sums *sums)
{
	char name[NAME_SIZE];
	uint64_t value;

	if (entry->type != LONG || entry->vector != 0 ||
	    entry->data > entry->length - sizeof value ||
	    !pm_runtime_read_text(jvm->context, entry->address + entry->name, name, sizeof name))
		return;

	const char *counter = collector_counter(name);
	bool frequency = strcmp(name, "sun.os.hrt.frequency") == 0;
	if ((!counter && !frequency) ||
	    !pm_runtime_read_word(jvm->context, entry->address + entry->data, &value))
		return;

	if (frequency) {
		sums->frequency = value;
	} else if (strcmp(counter, "invocations") == 0 && value <= INT64_MAX / COLLECTORS) {
		sums->collections += value;
		sums->found = true;
	} else if (strcmp(counter, "time") == 0 && value <= INT64_MAX / COLLECTORS) {
		sums->ticks += value;
	}
}

/** Reads the block. Returns false if it has no counters of collectors. */
static bool read_block(const struct pm_hotspot *jvm, uint64_t start, uint64_t end,
                       struct sums *sums)
{
	unsigned char header[HEADER_SIZE];
	struct entry entry;

	if (!pm_runtime_read(jvm->context, start, header, sizeof header) ||
	    memcmp(header, magic, sizeof magic) != 0 || header[4] != 1 || header[5] != 2)
		return false;

	uint64_t used = number_at(header, 8), first = number_at(header, 24);
	uint32_t count = number_at(header, 28);

	if (used > end - start || first < HEADER_SIZE || first > used || count > ENTRIES_MAX)
		return false;

	end = start + used;
	start += first;
	for (uint32_t i = 0; i < count && start < end; i++) {
		if (!read_entry(jvm, start, end, &entry))
			break;
		add_entry(jvm, &entry, sums);
		start += entry.length;
	}

	return sums->found;
}

void pm_hotspot_read_counters(const struct pm_hotspot *jvm)
{
	struct sums sums = { 0 };
	uint64_t start, end, heap;
	uint32_t collections;

	if (pm_hotspot_word(jvm, 0, "PerfMemory", "_start", &start) &&
	    pm_hotspot_word(jvm, 0, "PerfMemory", "_end", &end) && start != 0 && end > start &&
	    end - start <= BLOCK_MAX && read_block(jvm, start, end, &sums)) {
		pm_runtime_add_counter(jvm->context, (struct pm_runtime_counter){
							     "java", "collections",
							     sums.collections, false, false });
	} else if (pm_hotspot_word(jvm, 0, "Universe", "_collectedHeap", &heap) &&
	           pm_hotspot_u32(jvm, heap, "CollectedHeap", "_total_collections", &collections)) {
		pm_runtime_add_counter(jvm->context,
		                       (struct pm_runtime_counter){ "java", "collections",
		                                                    collections, false, false });
	}

	/* Ticks are nanoseconds on Linux, where the frequency is 10^9. */
	if (sums.found && sums.frequency >= 1000000)
		pm_runtime_add_counter(
			jvm->context,
			(struct pm_runtime_counter){ "java", "collection_time",
		                                     sums.ticks / (sums.frequency / 1000000), true,
		                                     false });
}
