/* SPDX-License-Identifier: MIT */
/**
 * @file The search for text with a chosen level of vector instructions, for tests. Private; the
 * public part is <procmem/strings_scan.h>.
 */
#ifndef PM_SCAN_STRINGS_SCANNER_H
#define PM_SCAN_STRINGS_SCANNER_H

#include <procmem/strings_scan.h>

#include "scan/simd.h"

#endif
