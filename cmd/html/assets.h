/* SPDX-License-Identifier: MIT */
/** @file The built-in style and script of a report, and their hashes for the policy (CSP). */
#ifndef CMD_HTML_ASSETS_H
#define CMD_HTML_ASSETS_H

/** The style sheet: the contents of <style>. */
extern const char html_assets_style[];

/** Its hash: "sha256-", then 44 characters of base64. */
extern const char html_assets_style_hash[];

/** The script: the contents of <script>. */
extern const char html_assets_script[];

/** Its hash: "sha256-", then 44 characters of base64. */
extern const char html_assets_script_hash[];

#endif
