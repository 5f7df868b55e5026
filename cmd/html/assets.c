/* SPDX-License-Identifier: MIT */
#include "html/assets.h"

const char html_assets_style[] = "";
const char html_assets_style_hash[] = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
const char html_assets_script[] = "";
const char html_assets_script_hash[] = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
