#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public function, parameter, field and constant has its words: doxygen finds none missing. Run by ctest.
set -eu
command -v doxygen >/dev/null || { echo 'doxygen is not installed' && exit 77; }
cd "$PROCMEM_SOURCE"
PROCMEM_REFERENCE=$PROCMEM_BUILD/docs/reference
mkdir -p "$PROCMEM_REFERENCE"
export PROCMEM_REFERENCE
doxygen docs/Doxyfile
