#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the packages and the archive, and checks that lintian finds no errors, and that the archive
# runs from any folder. In a clean root, which has only essential packages of Debian and the
# dependencies of ours, the packages can be installed, used (in_root.sh) and removed without leaving
# files. Run by ctest.
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
[ "$(sed -n 's/^ID=//p' /etc/os-release)" = debian ] || skip 'not a Debian system'
for tool in dpkg-shlibdeps scdoc file lintian mmdebstrap unshare; do
	command -v "$tool" >/dev/null ||
		fail "$tool is not installed: sh docs/setup.sh test installs it"
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

# The archive runs from a folder with an unusual name, and from another folder after a move.
mkdir "$scratch/some where"
tar -xzf "$packages"/procmem-*.tar.gz -C "$scratch/some where"
unpacked=$(echo "$scratch/some where"/*)
"$unpacked/bin/procmem" --version ||
	fail 'the archive does not run from the folder where it was unpacked'
mv "$unpacked" "$scratch/else"
[ "$("$scratch/else/bin/procmem" map -a -o start --csv $$ | grep -c '^[0-9a-f]*$')" -ge 10 ] ||
	fail 'the archive does not run from the folder where it was moved'
ldd "$scratch/else/bin/procmem" | grep -q "libprocmem.so.* => $scratch/else/" ||
	fail 'the program in the archive uses another library'

# The root: the dependencies of our packages, without our packages. A dependency that Debian does
# not know is an error in our packages.
depends=$(for package in "$packages"/*.deb; do
	dpkg-deb --field "$package" Depends
done | tr ',' '\n' | sed 's/(.*//; s/ //g; /procmem/d' | sort -u)
# shellcheck disable=SC2086 # a list of names
apt-cache show $depends >/dev/null 2>"$scratch/log" ||
	fail "unknown dependencies: $(cat "$scratch/log")"
root=$scratch/root
root_make "$root" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" --variant=essential \
	--include="$(echo "$depends" | tr '\n' ,)" >"$scratch/log" 2>&1 ||
	skip "a clean root could not be created: $(tail -n 1 "$scratch/log")"

# Lists all files except those in which dpkg and ldconfig keep their state.
files() {
	(cd "$root" && find . -xdev \( -path ./tmp -o -path ./proc -o -path ./var/lib/dpkg \
		-o -path ./var/cache/ldconfig -o -path ./var/log \) -prune -o -print | sort)
}

in_root() {
	root_run "$root" env LC_ALL=C "$@"
}

cp "$packages"/*.deb "$here/in_root.sh" "$root/tmp"
files >"$scratch/before"
in_root sh -c 'dpkg --install /tmp/*.deb' >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log" && fail 'the packages cannot be installed'; }
files >"$scratch/installed"
! cmp -s "$scratch/before" "$scratch/installed" || fail 'the packages contain no files'
in_root sh /tmp/in_root.sh || fail 'an installed command does not work'
in_root dpkg --purge procmem libprocmem-dev libprocmem1 >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log" && fail 'the packages cannot be removed'; }
files >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail 'removing the packages left files'
