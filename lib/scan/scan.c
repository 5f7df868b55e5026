/* SPDX-License-Identifier: MIT */
#include "scan/scanner.h"

#include <procmem/scan.h>

void pm_scanner_destroy(struct pm_scanner *scanner)
{
	if (scanner)
		scanner->ops->destroy(scanner);
}
