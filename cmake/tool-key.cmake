# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C file with the hash of FILES (the sources of what makes variants) and of VERSIONS. Run with cmake -P.
set(all "${VERSIONS}")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND all " ${hash}")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "/* Made by cmake/tool-key.cmake. */
#include \"cc/link.h\"
const char cc_tool_sources[] = \"${hash}\";
")
