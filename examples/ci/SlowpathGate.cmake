# SPDX-License-Identifier: Apache-2.0
# slowpath_add_gate(NAME SUITE folder): a test of CTest that replays a committed suite against its baseline. A gate that cannot
# tell (exit code 5) fails as well: that is never green.
find_program(SLOWPATH_PROGRAM slowpath)
function(slowpath_add_gate name)
  cmake_parse_arguments(GATE "" "SUITE;TOLERANCE" "" ${ARGN})
  if(NOT GATE_SUITE)
    message(FATAL_ERROR "slowpath_add_gate(${name}): which SUITE?")
  endif()
  if(NOT GATE_TOLERANCE)
    set(GATE_TOLERANCE 1)
  endif()
  add_test(NAME ${name}
    COMMAND ${SLOWPATH_PROGRAM} replay ${GATE_SUITE} --gate --tolerance ${GATE_TOLERANCE}
            --report-to ${CMAKE_CURRENT_BINARY_DIR}/reports/${name}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
