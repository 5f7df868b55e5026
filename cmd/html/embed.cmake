# SPDX-License-Identifier: MIT
# cmake -DSTYLE=FILE -DSCRIPT=FILE -DOUTPUT=FILE -P embed.cmake: writes a C source with the contents
# of both files (assets.h), and their hashes as a Content-Security-Policy has them: SHA-256 in
# base64. No program is compiled for it, so that it also works when building for another machine.

# Converts 64 hexadecimal digits to base64: 3 bytes, which are 6 digits, are 4 characters. 32 bytes
# are 10 such groups and 2 bytes, after which the last character is a filler.
function(base64_of_sha256 hex result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}00" ${at} 6 digits)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${digits} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 character)
      string(APPEND text ${character})
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

# Adds the definitions of a file to `source`.
function(embed file name)
  file(READ "${file}" hex HEX)
  string(REPEAT "." 32 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(SHA256 "${file}" hash)
  base64_of_sha256(${hash} hash)
  string(APPEND source "\nconst char html_assets_${name}[] = {\n${bytes}0\n};\n"
                       "const char html_assets_${name}_hash[] = \"sha256-${hash}\";\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

set(source "/* Made by embed.cmake. */\n#include \"html/assets.h\"\n")
embed("${STYLE}" style)
embed("${SCRIPT}" script)
file(WRITE "${OUTPUT}" "${source}")
