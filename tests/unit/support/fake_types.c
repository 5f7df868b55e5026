/* SPDX-License-Identifier: MIT */
#include "support/fake_types.h"

#include "support/target.h"

void fake_types_open(struct fake_types *fake)
{
	struct pm_error error;

	*fake = (struct fake_types){ 0 };
	pm_regions_init(&fake->regions);
	fake->reader = pm_fake_reader(&fake->target);
	fake->source = (struct pm_heap_source){
		.regions = &fake->regions,
		.reader = &fake->reader,
	};

	const struct pm_chunk_type_source source = { .memory = &fake->source };
	must(pm_chunk_types_open(&source, &fake->types, &error), &error);
}

void fake_types_close(struct fake_types *fake)
{
	pm_chunk_types_close(fake->types);
	pm_reader_close(&fake->reader);
	pm_regions_deinit(&fake->regions);
}
