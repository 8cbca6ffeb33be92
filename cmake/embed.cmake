# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C header with the bytes of each of FILES as NAME_EXT[] and its SHA-256 as NAME_EXT_HASH. Run with cmake -P.
set(text "/* Made by cmake/embed.cmake. */\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  string(TOUPPER ${name} upper)
  file(READ ${file} bytes HEX)
  file(SHA256 ${file} hash)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "#define ${upper}_HASH \"${hash}\"\nstatic const unsigned char ${name}[] = {${bytes}};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
