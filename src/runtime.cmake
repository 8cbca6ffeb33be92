# SPDX-License-Identifier: Apache-2.0
# The runtime goes into targets, not into the programs: an archive, and the inline part as bitcode.
if(SLOWPATH_RUNTIME_FROM AND EXISTS ${SLOWPATH_RUNTIME_FROM}/lib/slowpath/libruntime.a)
  if(NOT IS_SYMLINK ${CMAKE_BINARY_DIR}/lib)
    file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/lib) # of an earlier build of its own
  endif()
  file(CREATE_LINK ${SLOWPATH_RUNTIME_FROM}/lib ${CMAKE_BINARY_DIR}/lib SYMBOLIC)
  add_custom_target(runtime)
  add_custom_target(runtime-bitcode)
  return()
endif()
file(GLOB runtime_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/runtime/*.c)
list(FILTER runtime_sources EXCLUDE REGEX "/(hooks|sym_hooks|sym_library|record_hooks|state_first|state_last)\\.c$")
# The linker lays out the runtime's state in the order of its objects: a closed page comes first and last.
add_library(runtime STATIC runtime/state_first.c ${runtime_sources} runtime/state_last.c)
target_include_directories(runtime PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(runtime PRIVATE _GNU_SOURCE)
# Every target gets a copy, which is linked faster without debug information.
target_compile_options(runtime PRIVATE -O2 -g0 -fno-stack-protector -fno-lto)
set_target_properties(runtime PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${SLOWPATH_LIBDIR})
set(bitcode)
foreach(part hooks sym_hooks record_hooks)
  set(output ${SLOWPATH_LIBDIR}/${part}.bc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${SLOWPATH_LIBDIR}
    COMMAND ${LLVM_BINDIR}/clang -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -fno-stack-protector
            -fno-vectorize -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${output}.d -MT ${output}
            -emit-llvm -c ${CMAKE_CURRENT_SOURCE_DIR}/runtime/${part}.c -o ${output}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/runtime/${part}.c
    DEPFILE ${output}.d
    VERBATIM)
  list(APPEND bitcode ${output})
endforeach()
# Library functions that are explored: their branches must stay branches.
set(output ${SLOWPATH_LIBDIR}/sym_library.bc)
add_custom_command(
  OUTPUT ${output}
  COMMAND ${LLVM_BINDIR}/clang -std=gnu11 -D_GNU_SOURCE -O1 -Xclang -disable-llvm-passes -Wall -Wextra
          -fno-builtin -fno-stack-protector -I${CMAKE_CURRENT_SOURCE_DIR}
          -MD -MF ${output}.d -MT ${output} -emit-llvm
          -c ${CMAKE_CURRENT_SOURCE_DIR}/runtime/sym_library.c -o ${output}.raw
  COMMAND ${LLVM_BINDIR}/opt "-passes=always-inline,function(sroa<preserve-cfg>,early-cse,bdce)"
          ${output}.raw -o ${output}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/runtime/sym_library.c ${bitcode}
  DEPFILE ${output}.d
  VERBATIM)
list(APPEND bitcode ${output})
add_custom_target(runtime-bitcode ALL DEPENDS ${bitcode})
install(TARGETS runtime ARCHIVE DESTINATION lib/slowpath)
install(FILES ${bitcode} DESTINATION lib/slowpath)
