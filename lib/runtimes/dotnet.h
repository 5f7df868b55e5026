/* SPDX-License-Identifier: MIT */
/** @file The heap of .NET, by its address range. Private. */
#ifndef PM_RUNTIMES_DOTNET_H
#define PM_RUNTIMES_DOTNET_H

#include "runtimes/context.h"

/**
 * Adds the memory that is probably the managed heap, without proof.
 * @return false if no range stands out
 */
bool pm_runtime_dotnet_guess(struct pm_runtimes_context *context);

#endif
