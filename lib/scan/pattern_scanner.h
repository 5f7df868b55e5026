/* SPDX-License-Identifier: MIT */
/**
 * @file The search for patterns with a chosen level of vector instructions, for tests. Private; the
 * public part is <procmem/pattern_scan.h>.
 */
#ifndef PM_SCAN_PATTERN_SCANNER_H
#define PM_SCAN_PATTERN_SCANNER_H

#include <procmem/pattern_scan.h>

#include "scan/simd.h"

#endif
