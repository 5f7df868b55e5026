/* SPDX-License-Identifier: MIT */
/** @file What is special about an interpreter of CPython. Private. */
#ifndef PM_RUNTIMES_PYTHON_H
#define PM_RUNTIMES_PYTHON_H

#include "runtimes/python_module.h"

/**
 * Describes an interpreter.
 *
 * @param module   the interpreter
 * @param variant  receives pm_runtime_info.variant; PM_RUNTIME_TEXT_SIZE bytes
 * @param missing  receives pm_runtime_info.missing; PM_RUNTIME_TEXT_SIZE bytes
 */
void pm_python_describe(const struct pm_python_module *module, char *variant, char *missing);

#endif
