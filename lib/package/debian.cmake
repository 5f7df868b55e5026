# SPDX-License-Identifier: MIT
# The Debian packages procmem, libprocmem1 and libprocmem-dev, made by `cpack -G DEB` (docs/package.sh). Their contents are the components
# of CMakeLists.txt beside this file; Debian adds a copyright and a changelog to each.

get_target_property(procmem_abi procmem_library SOVERSION)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
# What the linker says, with the versions of the symbols that are used; and its own library by component.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_PROGRAM_DEPENDS library)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)

# The first line is the summary; CPack would put that of the whole project before it.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME procmem)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "look inside a running process's memory
Lists the regions of a process's address space with what each is for, tells
which of them grow and when a limit is reached, and shows what is in them. The process
needs no preparation, is not stopped unless asked for, and not changed.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS gdb)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libprocmem${procmem_abi})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# Programs that are built against the library depend on this version: before 1.0 the next one may be another interface.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "library to look inside a running process's memory
Lists the regions of a process, tells what each is for, reads its memory
without stopping it, searches and copies it.
.
This package holds the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libprocmem-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "library to look inside a running process's memory (development files)
Lists the regions of a process, tells what each is for, reads its memory
without stopping it, searches and copies it.
.
This package holds the headers, and files for pkg-config and CMake.")

# Debian's policy, chapter 12: a copyright and a compressed changelog for each package.
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz)
add_custom_command(OUTPUT ${changelog} COMMAND sh -c "gzip -9nc '${CMAKE_CURRENT_SOURCE_DIR}/changelog' >'${changelog}'"
                   DEPENDS changelog VERBATIM)
add_custom_target(debian_changelog ALL DEPENDS ${changelog})
foreach(component IN ITEMS PROGRAM LIBRARY DEVELOPMENT)
  string(TOLOWER ${component} name)
  install(FILES copyright ${changelog} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME} COMPONENT ${name})
endforeach()
