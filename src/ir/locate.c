/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function and source line does a code address belong to? Asked after a crash.
 */
#include "ir/types.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

/* clang writes no index of addresses (.debug_aranges), so every unit is asked. */
static Dwarf_Line *find_line(Dwfl_Module *module, uint64_t address) {
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias));)
        if (dwarf_haspc(unit, address - bias) > 0)
            return dwarf_getsrc_die(unit, address - bias);
    return NULL;
}

static bool describe(Dwfl *dwfl, uint64_t address, struct base_buffer *text) {
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    const char *function = module ? dwfl_module_addrname(module, address) : NULL;
    if (!function)
        return false;
    base_buffer_print(text, "%s", function);
    Dwarf_Line *line = find_line(module, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    if (file && dwarf_lineno(line, &number) == 0 && number)
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
