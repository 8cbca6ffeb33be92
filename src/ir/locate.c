/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function and source line does a code address belong to? Asked after a crash.
 */
#include "ir/ir.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

static bool describe(Dwfl *dwfl, uint64_t address, struct base_buffer *text) {
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    const char *function = module ? dwfl_module_addrname(module, address) : NULL;
    if (!function)
        return false;
    base_buffer_print(text, "%s", function);
    Dwfl_Line *line = dwfl_module_getsrc(module, address);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file)
        base_buffer_print(text, " (%s:%d)", base_basename(file), number);
    return true;
}

bool ir_locate(const char *path, uint64_t address, struct base_buffer *text) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    bool found = false;
    if (dwfl && dwfl_report_elf(dwfl, base_basename(path), path, file, 0, false) != NULL &&
        dwfl_report_end(dwfl, NULL, NULL) == 0)
        found = describe(dwfl, address, text);
    dwfl_end(dwfl);
    return found;
}
