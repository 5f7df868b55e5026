#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the packages and the archive; lintian finds no errors; the archive runs from any folder; in a clean root that has nothing but
# Debian's essential packages and those that ours depend on, they can be installed, used (in_root.sh) and removed without a trace. Run by
# ctest.
set -eu

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "$*" >&2
	exit 1
}

here=$PROCMEM_SOURCE/tests/install
[ "$(sed -n 's/^ID=//p' /etc/os-release)" = debian ] || skip 'this is no Debian'
for tool in dpkg-shlibdeps scdoc file lintian mmdebstrap unshare; do
	command -v "$tool" >/dev/null || fail "$tool is not installed: sh docs/setup.sh test installs it"
done
# shellcheck source=tests/install/root.sh
. "$here/root.sh"
obstacle=$(root_obstacle)
[ -z "$obstacle" ] || skip "$obstacle"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
packages=$PROCMEM_BUILD/packages
rm -f "$packages"/*.deb "$packages"/*.tar.gz
sh "$PROCMEM_SOURCE/docs/package.sh" "$packages"

lintian --allow-root --fail-on error "$packages"/*.deb || fail 'lintian finds errors'

# The archive: from a folder that nobody thought of, and from another one after it was moved.
mkdir "$scratch/some where"
tar -xzf "$packages"/procmem-*.tar.gz -C "$scratch/some where"
unpacked=$(echo "$scratch/some where"/*)
"$unpacked/bin/procmem" --version || fail 'the archive does not run where it is unpacked'
mv "$unpacked" "$scratch/else"
[ "$("$scratch/else/bin/procmem" map -a -o start --csv $$ | grep -c '^[0-9a-f]*$')" -ge 10 ] ||
	fail 'the archive does not run where it is moved to'
ldd "$scratch/else/bin/procmem" | grep -q "libprocmem.so.* => $scratch/else/" ||
	fail 'the program in the archive takes a library from elsewhere'

# The root: what our packages depend on, without ourselves. If Debian does not know one of these, that is our error.
depends=$(for package in "$packages"/*.deb; do
	dpkg-deb --field "$package" Depends
done | tr ',' '\n' | sed 's/(.*//; s/ //g; /procmem/d' | sort -u)
# shellcheck disable=SC2086 # a list of names
apt-cache show $depends >/dev/null 2>"$scratch/log" || fail "unknown dependencies: $(cat "$scratch/log")"
root=$scratch/root
root_make "$root" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" --variant=essential \
	--include="$(echo "$depends" | tr '\n' ,)" >"$scratch/log" 2>&1 || skip "a clean root could not be made: $(tail -n 1 "$scratch/log")"

# All files but those in which dpkg and ldconfig keep their own state.
files() {
	(cd "$root" && find . -xdev \( -path ./tmp -o -path ./proc -o -path ./var/lib/dpkg -o -path ./var/cache/ldconfig \
		-o -path ./var/log \) -prune \
		-o -print | sort)
}

in_root() {
	root_run "$root" env LC_ALL=C "$@"
}

cp "$packages"/*.deb "$here/in_root.sh" "$root/tmp"
files >"$scratch/before"
in_root sh -c 'dpkg --install /tmp/*.deb' >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail 'the packages cannot be installed'; }
files >"$scratch/installed"
! cmp -s "$scratch/before" "$scratch/installed" || fail 'the packages hold no files'
in_root sh /tmp/in_root.sh || fail 'an installed command does not work'
in_root dpkg --purge procmem libprocmem-dev libprocmem0 >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log" && fail 'the packages cannot be removed'; }
files >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail 'the packages left something behind'
