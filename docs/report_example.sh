#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/report_example.sh
#
# Writes docs/report.html, and docs/report-light.png and docs/report-dark.png, which show its first
# part: the report about a JVM that leaks direct buffers, recorded for ten minutes. The JVM is
# docs/examples/Uploads.java. Needs root, for a host name of its own and for the trace, and the
# packages of `docs/setup.sh full`. Takes 11 minutes.
set -eu

cd "$(dirname "$0")/.."
if [ "${1:-}" != inside ]; then
	sh docs/setup.sh full
	cmake --preset release >/dev/null
	cmake --build --preset release -- --quiet
	# The report has the name of the host.
	exec unshare --uts sh "docs/${0##*/}" inside
fi
echo shop-1 >/proc/sys/kernel/hostname

docs=$PWD/docs
scratch=$(mktemp -d)
service=
finish() {
	[ -z "$service" ] || kill "$service" 2>/dev/null || true
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
PATH=$PWD/build/release/cmd:$PATH
export LC_ALL=C.UTF-8

javac -d "$scratch" docs/examples/Uploads.java
cp tests/cli/support/webdriver.py "$scratch"
cd "$scratch"

# Compiled code, as after hours of service; frame pointers for the trace.
java -XX:+PreserveFramePointer -Xcomp -XX:TieredStopAtLevel=1 -Xmx64m -XX:MaxDirectMemorySize=2g \
	Uploads 1500000 >log 2>&1 &
service=$!
until grep -q '^ready' log; do
	kill -0 "$service"
	sleep 0.2
done

procmem watch -q --for 10m --heap --record java.pmrec "$service" >watched &
watch=$!
# In the last minutes, the call stacks of what is mapped.
sleep 420
jcmd "$service" Compiler.perfmap >/dev/null
procmem trace -q --faults --for 120s --record java.pmrec "$service" >traced
wait "$watch"

procmem why --html report.html java.pmrec >found || [ $? -eq 1 ]
cat found
cp report.html "$docs/report.html"

# Pictures of the first part of the page.
for theme in light dark; do
	python3 - "$theme" <<-'END'
		import sys
		from webdriver import Browser

		with Browser(1180, 900) as browser:
		    browser.resize(1180, 900)
		    browser.scheme(sys.argv[1])
		    browser.load("report.html")
		    browser.picture(f"report-{sys.argv[1]}.png", 1180, 1420)
	END
	cp "report-$theme.png" "$docs"
done
