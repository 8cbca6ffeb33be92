# SPDX-License-Identifier: Apache-2.0
# add_room(NAME USES room... EXTERNAL target...) makes the static library of one room from all
# the C files in its folder. USES is the room table of ARCHITECTURE.md; a test checks the includes
# against it.
set(SLOWPATH_HOT_ROOMS base expr solver) # compiling them better takes less time than it saves
# Rooms of which another build has the library are not made again, where they need no sanitizer: those without threads.
foreach(room ${SLOWPATH_READY_ROOMS})
  if(NOT EXISTS ${SLOWPATH_READY_FROM}/lib${room}.a)
    list(REMOVE_ITEM SLOWPATH_READY_ROOMS ${room})
  endif()
endforeach()
function(add_room name)
  cmake_parse_arguments(ROOM "" "" "USES;EXTERNAL" ${ARGN})
  if(name IN_LIST SLOWPATH_READY_ROOMS) # built elsewhere, from the same sources
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${SLOWPATH_READY_FROM}/lib${name}.a ${ROOM_USES} ${ROOM_EXTERNAL})
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE
    SLOWPATH_VERSION="${PROJECT_VERSION}" SLOWPATH_LLVM_BINDIR="${LLVM_BINDIR}")
  if(SLOWPATH_SANITIZE)
    if(name IN_LIST SLOWPATH_HOT_ROOMS)
      target_compile_options(${name} PRIVATE -O1)
    endif()
    if(NOT CMAKE_C_COMPILER_LAUNCHER) # a third of the time is headers; the ordinary build shows which are missing
      target_precompile_headers(${name} PRIVATE <errno.h> <fcntl.h> <math.h> <pthread.h> <stdatomic.h> <stdio.h> <stdlib.h>
        <string.h> <sys/stat.h> <unistd.h> ${CMAKE_CURRENT_SOURCE_DIR}/base/base.h)
    endif()
    target_compile_options(${name} PUBLIC -fsanitize=${SLOWPATH_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(${name} PUBLIC -fsanitize=${SLOWPATH_SANITIZE})
  endif()
  foreach(used ${ROOM_USES})
    target_link_libraries(${name} PUBLIC ${used})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ROOM_EXTERNAL})
endfunction()

# embed_files(ROOM NAME file...) makes the header ROOM/NAME.h with their bytes.
function(embed_files room name)
  if(room IN_LIST SLOWPATH_READY_ROOMS)
    return()
  endif()
  set(header ${CMAKE_BINARY_DIR}/generated/${room}/${name}.h)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUTPUT=${header} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(${room} PRIVATE ${header})
  target_include_directories(${room} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
