#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the packages and the archive, and checks that lintian warns of nothing, that no link in the
# installed documents is dead, and that the archive runs from any folder with its own libraries. In a
# clean root, which has only essential packages of Debian and the dependencies of ours, the packages
# can be installed, used (in_root.sh) and removed without leaving files. Run by ctest.
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

lintian --allow-root --fail-on error,warning "$packages"/*.deb || fail 'lintian finds defects'

# Only packages are there: kubectl cp copies the whole folder.
[ "$(find "$packages" -mindepth 1 | wc -l)" = 4 ] || fail "$packages contains more than packages"

# No package runs a script when it is installed or removed; docs/SECURITY.md promises it. No link leads
# nowhere: those of the libraries and of the man pages of functions.
for package in "$packages"/*.deb; do
	found=$(dpkg-deb --ctrl-tarfile "$package" | tar -t | grep -E 'inst$|rm$|config$' || :)
	[ -z "$found" ] || fail "$package has maintainer scripts: $found"
	dpkg-deb -x "$package" "$scratch/all"
done
found=$(find "$scratch/all" -xtype l)
[ -z "$found" ] || fail "links lead nowhere: $found"
[ "$(find "$scratch/all/usr/share/man/man3" -name 'pm_*.3.gz' -type l | wc -l)" -ge 400 ] ||
	fail 'the man pages of the functions are missing'

# The symbols file has each function.
dpkg-deb -I "$packages"/libprocmem1_*.deb symbols >"$scratch/symbols"
sed -n 's/^\t\(pm_[a-z0-9_]*\);$/\1/p' "$PROCMEM_SOURCE/lib/libprocmem.map" >"$scratch/functions"
while read -r name; do
	grep -q "^ $name@PROCMEM_1 " "$scratch/symbols" || fail "the symbols file lacks $name"
done <"$scratch/functions"

mkdir "$scratch/content"
dpkg-deb -x "$packages"/procmem_*.deb "$scratch/content"
cmp "$PROCMEM_SOURCE/docs/CHANGELOG.md" - <<END || fail 'the changelog is not that of the sources'
$(gzip -dc "$scratch/content/usr/share/doc/procmem/changelog.gz")
END
for page in "$scratch"/content/usr/share/doc/procmem/*.md \
	"$scratch"/content/usr/share/doc/procmem/docs/*.md; do
	grep -o ']([^)#: ]*[)#]' "$page" | sed 's/^](//; s/[)#]$//' >"$scratch/links" || continue
	while read -r link; do
		[ -z "$link" ] || [ -f "${page%/*}/$link" ] || fail "${page##*/}: dead link $link"
	done <"$scratch/links"
done

# The archive runs from a folder with an unusual name, and from another folder after a move.
mkdir "$scratch/some where"
tar -xzf "$packages"/procmem-*.tar.gz -C "$scratch/some where"
unpacked=$(echo "$scratch/some where"/*)
"$unpacked/bin/procmem" --version ||
	fail 'the archive does not run from the folder where it was unpacked'
mv "$unpacked" "$scratch/else"
[ "$("$scratch/else/bin/procmem" map -a -o start --csv $$ | grep -c '^[0-9a-f]*$')" -ge 10 ] ||
	fail 'the archive does not run from the folder where it was moved'
"$scratch/else/lib/procmem/ld/procmem" --list "$scratch/else/lib/procmem/bin/procmem" |
	grep '=> /' >"$scratch/libraries"
grep -q libc.so.6 "$scratch/libraries" || fail 'the libraries of the archive are not listed'
! grep -v "=> $scratch/else/" "$scratch/libraries" ||
	fail 'the program in the archive uses libraries of the system'

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
