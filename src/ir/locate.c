/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function and source line does a code address belong to? Asked after a crash.
 */
#include "ir/facts.h"
#include "ir/types.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
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

/* The file is called like the function that the code comes from, which may be inlined. */
static void describe_line(Dwarf_Line *line, const struct ir_facts *facts,
                          struct base_buffer *text) {
    const char *name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    if (!name || dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    uint32_t function = ir_find_function(facts, base_basename(name));
    if (function != IR_NONE && facts->functions[function].line)
        base_buffer_print(text, " (%s:%u)",
                          base_basename(facts->strings + facts->functions[function].file),
                          facts->functions[function].line + (unsigned)number - 1);
}

/* A static function of a large program has a suffix (instrument/instrument.h). */
static int name_length(const char *name) {
    const char *suffix = strstr(name, ".part");
    return (int)(suffix && !suffix[5] ? (size_t)(suffix - name) : strlen(name));
}

static bool describe(Dwfl *dwfl, const struct ir_facts *facts, uint64_t address,
                     struct base_buffer *text) {
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    const char *function = module ? dwfl_module_addrname(module, address) : NULL;
    if (!function)
        return false;
    base_buffer_print(text, "%.*s", name_length(function), function);
    describe_line(find_line(module, address), facts, text);
    return true;
}

bool ir_locate(const char *path, const struct ir_facts *facts, uint64_t address,
               struct base_buffer *text) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    bool found = false;
    if (dwfl && dwfl_report_elf(dwfl, base_basename(path), path, file, 0, false) != NULL &&
        dwfl_report_end(dwfl, NULL, NULL) == 0)
        found = describe(dwfl, facts, address, text);
    dwfl_end(dwfl);
    return found;
}
