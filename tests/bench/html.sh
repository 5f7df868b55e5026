# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $html_sample and $scratch
# The cost of an HTML report of 10,000 samples and 300 regions, with invented figures: to write it,
# to load its script in Chromium, and to redraw its timeline. There is no peer: the bounds are 3 s,
# 1 MB, 100 ms and 10 ms. Without Chromium, only writing is measured.

chapter 'html: a report of 10,000 samples and 300 regions'
page=$scratch/report.html
for _ in 1 2 3 4 5; do
	"$html_sample" 10000 5 300 "$page"
done >"$scratch/seconds"
ms=$(median <"$scratch/seconds" | awk '{ printf "%d", $1 * 1000 }')
row 'time to write it' - '3000 ms' 'html_sample' "$ms ms" "$(ratio "$ms" 3000)" 1
kilobytes=$(($(wc -c <"$page") / 1000))
row 'size' - '1000 kB' 'html_sample' "$kilobytes kB" "$(ratio "$kilobytes" 1000)" 1

if /usr/bin/python3 tests/cli/support/browser_check.py "$page" times >"$scratch/times" 2>&1; then
	script=$(jq .script_ms "$scratch/times")
	redraw=$(jq .redraw_ms "$scratch/times")
	row 'script until it has loaded' - '100 ms' 'report.js' "$script ms" "$(ratio "$script" 100)" 1
	row 'redraw of the timeline' - '10 ms' 'report.js' "$redraw ms" "$(ratio "$redraw" 10)" 1
fi
