#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/package.sh [FOLDER]
#
# Writes packages to FOLDER (default: build/packages): the Debian packages procmem, libprocmem1 and
# libprocmem-dev, and an archive with the program and all libraries that it needs, down to the loader:
# it runs from any folder of any Linux with this processor. The builds are in FOLDER.build; FOLDER
# holds only packages.
#
# The packages are reproducible: the same commit, built with the same versions of the Debian packages,
# gives the same bytes in any folder at any time. All times in them are SOURCE_DATE_EPOCH, by default
# the time of the commit.
set -eu

usage() {
	echo "usage: ${0##*/} [FOLDER]" >&2
	exit 2
}

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

[ $# -le 1 ] || usage
case ${1:-} in
-*) usage ;;
esac
folder=${1:-$(dirname "$0")/../build/packages}
mkdir -p "$folder" "$folder.build"
folder=$(cd "$folder" && pwd)
work=$folder.build
cd "$(dirname "$0")/.."
sh docs/setup.sh build

debian=$PWD/lib/package/debian
version=$(sed -n 's/^project(procmem VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
package_version=$(dpkg-parsechangelog -l "$debian/changelog" -S Version)
[ "${package_version%-*}" = "$version" ] ||
	fail "$debian/changelog has version $package_version, but CMakeLists.txt has $version"
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	# Sources without a repository have the time of the last entry in the changelog.
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) ||
		SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$debian/changelog" -S Timestamp)
fi
export SOURCE_DATE_EPOCH
LC_ALL=C TZ=UTC
export LC_ALL TZ
umask 022

# The flags of Debian's own packages: hardened.
CFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS)
CFLAGS="$CFLAGS $(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CPPFLAGS)"
LDFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get LDFLAGS)
export LDFLAGS

# logged NAME COMMAND...: runs a command. If it fails, prints its output, and exits.
logged() {
	log=$work/$1.log
	shift
	# Within `||` or `if`, the shell ignores set -e in functions.
	set +e
	(
		set -e
		"$@"
	) >"$log" 2>&1
	status=$?
	set -e
	[ $status = 0 ] || {
		cat "$log" >&2
		exit 1
	}
}

# build PRESET: builds in FOLDER.build/tree. The presets differ only in how they link and install, so
# that all sources are compiled once. The binaries do not contain the names of folders.
# shellcheck disable=SC2089,SC2090 # the shell that ninja starts removes the quotes
build() (
	CFLAGS="$CFLAGS '-ffile-prefix-map=$PWD=.' '-ffile-prefix-map=$work/tree=build'"
	export CFLAGS
	rm -f "$work/tree/CMakeCache.txt"
	# The build ID of the program depends on the path to the library in the build folder: a relative one.
	logged "$1-configure" cmake --preset "$1" -B "$work/tree" -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
	logged "$1-build" cmake --build "$work/tree"
)

# remove_debug_information DIRECTORY: as dh_strip does.
remove_debug_information() {
	find "$1" -type f \( -name procmem -o -name 'libprocmem.so.*' \) -path '*/[bl]i*' \
		-exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +
	find "$1" -type f -name 'libprocmem.a' \
		-exec strip --strip-debug --remove-section=.comment --enable-deterministic-archives {} +
}

# document PACKAGE: its copyright and changelogs; see chapter 12 of the Debian Policy.
document() {
	documents=debian/$1/usr/share/doc/$1
	mkdir -p "$documents"
	cp "$debian/copyright" "$documents"
	gzip -9nc "$debian/changelog" >"$documents/changelog.Debian.gz"
	gzip -9nc "$source/docs/CHANGELOG.md" >"$documents/changelog.gz"
}

# pack_deb PACKAGE: writes the control files, and makes the package.
pack_deb() {
	root=debian/$1
	dpkg-gencontrol -p"$1" -P"$root" -Tdebian/"$1".substvars
	(cd "$root" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
	find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group --threads-max=1 --build "$root" "$folder"
}

# make_debian_packages: installs each component into debian/PACKAGE, where the tools of dpkg expect it.
make_debian_packages() {
	source=$PWD
	rm -rf "$work/packages"
	mkdir -p "$work/packages/debian"
	cd "$work/packages"
	cp "$debian/control" "$debian/changelog" debian

	for pair in program:procmem library:libprocmem1 development:libprocmem-dev; do
		package=${pair#*:}
		mkdir -p "debian/$package/DEBIAN"
		DESTDIR=$PWD/debian/$package cmake --install "$work/tree" --component "${pair%:*}"
		document "$package"
	done
	remove_debug_information debian

	# Before version 1.0 a new version may change the interface: all functions need this version.
	root=debian/libprocmem1
	printf 'libprocmem.so.1 libprocmem1 #MINVER#\n (symver)PROCMEM_1 %s\n' "$version" >debian/symbols
	dpkg-gensymbols -plibprocmem1 -P"$root" -Idebian/symbols -c4
	echo "libprocmem 1 libprocmem1 (>= $version)" >"$root/DEBIAN/shlibs"
	cp "$debian/libprocmem1.triggers" "$root/DEBIAN/triggers"

	# The program needs the library of its own package.
	dpkg-shlibdeps -Tdebian/libprocmem1.substvars "$root"/usr/lib/*/libprocmem.so.*.*.*
	dpkg-shlibdeps -Sdebian/libprocmem1 -Tdebian/procmem.substvars debian/procmem/usr/bin/procmem
	: >debian/libprocmem-dev.substvars

	for package in procmem libprocmem1 libprocmem-dev; do
		pack_deb "$package"
	done
}

# make_archive: installs the program with all its libraries, and packs them in a fixed order.
make_archive() {
	name=procmem-$version-linux-$(uname -m)
	rm -rf "$work/unpacked"
	cmake --install "$work/tree" --component program --prefix "$work/unpacked/$name"
	remove_debug_information "$work/unpacked/$name"
	tar -C "$work/unpacked" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
		--mtime="@$SOURCE_DATE_EPOCH" -cf "$work/$name.tar" "$name"
	gzip -9nc "$work/$name.tar" >"$folder/$name.tar.gz"
	rm "$work/$name.tar"
}

# Other packages in FOLDER, and packages of other versions, stay.
build debian
logged debian make_debian_packages
build archive
logged archive make_archive
ls "$folder"/*.deb "$folder"/*.tar.gz
