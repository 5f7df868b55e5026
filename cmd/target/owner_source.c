/* SPDX-License-Identifier: MIT */
#include "target/owner_source.h"

void owner_source_open(struct owner_source *source, const struct loaded *loaded,
                       const volatile sig_atomic_t *cancel)
{
	struct pm_process *process = loaded->target->process;

	*source = (struct owner_source){
		.division = { .runtimes = loaded->runtimes, .cancel = cancel },
	};
	if (loaded->recorded.owners_known)
		source->recorded = &loaded->recorded.owners;

	if (loaded->core) {
		source->pages = pm_core_source(loaded->core);
		source->division.pages = &source->pages;
	} else if (process &&
	           pm_pagemap_open(process, PM_PAGEMAP_BEST, &source->pagemap, NULL) == 0) {
		source->pages = pm_pagemap_source(source->pagemap);
		source->division.pages = &source->pages;
	}
}

void owner_source_close(struct owner_source *source)
{
	pm_pagemap_close(source->pagemap);
	*source = (struct owner_source){ 0 };
}
