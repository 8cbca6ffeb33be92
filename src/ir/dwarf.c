/* SPDX-License-Identifier: Apache-2.0
 *
 * What does this function take and return? Answered from the debug information of an object or
 * executable, because bitcode no longer knows that a pointer points to five-element rows of double.
 *
 * The idea: find the best entry of that name (a body, an inlined body, a declaration, in this
 * order), then translate its types (dwarf_types.c).
 */
#include "ir/dwarf_types.h"
#include "ir/missing.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the function ---- */

enum quality { QUALITY_NONE, QUALITY_DECLARED, QUALITY_INLINED, QUALITY_DEFINED };

static enum quality judge(Dwarf_Die *die) {
    if (dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges))
        return QUALITY_DEFINED;
    return debug_has_flag(die, DW_AT_declaration) ? QUALITY_DECLARED : QUALITY_INLINED;
}

struct finding {
    const char *name;
    bool by_address; /* NAME is the linker's, such as isort.1, and only the address tells */
    Dwarf_Addr address;
    Dwarf_Die die;
    enum quality quality;
    struct base_strings names; /* of all the functions that have a body */
    struct base_map seen;
    bool has_units;
};

static bool is_wanted(const struct finding *finding, Dwarf_Die *die, const char *name,
                      Dwarf_Addr bias) {
    Dwarf_Addr address;
    if (finding->by_address)
        return dwarf_lowpc(die, &address) == 0 && address + bias == finding->address;
    return strcmp(name, finding->name) == 0;
}

static void consider(struct finding *finding, Dwarf_Die *die, Dwarf_Addr bias) {
    const char *name = dwarf_diename(die);
    enum quality quality = judge(die);
    if (!name)
        return;
    if (quality != QUALITY_DECLARED && base_map_get(&finding->seen, name) == BASE_MAP_NONE) {
        base_map_set(&finding->seen, name, 1);
        base_strings_add(&finding->names, name);
    }
    if (!is_wanted(finding, die, name, bias))
        return;
    if (quality > finding->quality) {
        finding->quality = quality;
        finding->die = *die;
    }
}

/* Whole-program linking calls a second static isort isort.1; its debug entry still says isort. */
static int find_symbol(Dwfl_Module *module, void **data, const char *file, Dwarf_Addr start,
                       void *context) {
    (void)data, (void)file, (void)start;
    struct finding *finding = context;
    int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count && !finding->by_address; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || strcmp(name, finding->name) != 0 || symbol.st_shndx == SHN_UNDEF)
            continue;
        finding->by_address = true;
        finding->address = address;
    }
    return DWARF_CB_OK;
}

static void search_units(Dwfl *dwfl, struct finding *finding) {
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_nextcu(dwfl, unit, &bias));) {
        Dwarf_Die child;
        finding->has_units = true;
        if (dwarf_child(unit, &child) != 0)
            continue;
        do
            if (dwarf_tag(&child) == DW_TAG_subprogram)
                consider(finding, &child, bias);
        while (dwarf_siblingof(&child, &child) == 0);
    }
}

/* ---- the signature ---- */

/* A type that cannot be passed was read as bytes, and C has no other parameter of array type. */
static bool is_passable(const struct ir_type *type) {
    return !type || type->kind != IR_TYPE_ARRAY || strcmp(type->name, "vector") == 0;
}

static bool check_passable(const struct ir_signature *signature, struct base_error *error) {
    if (!is_passable(signature->result))
        return base_fail(error, BASE_TARGET,
                         "'%s' returns a type that cannot be called from C here", signature->name);
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        if (!signature->parameters[i].type || !is_passable(signature->parameters[i].type))
            return base_fail(error, BASE_TARGET,
                             "parameter %u of '%s' has a type that cannot be passed from C here",
                             i + 1, signature->name);
    return true;
}

/* An optimised body may have lost parameters; the inlined original still lists them all. */
static Dwarf_Die complete_entry(Dwarf_Die die) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
        dwarf_formref_die(&attribute, &origin))
        return origin;
    return die;
}

/* Not dwarf_decl_file: older versions take file 0, the first one of DWARF 5, for none. */
static const char *source_file(Dwarf_Die *die) {
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    uint64_t number = debug_number_of(die, DW_AT_decl_file, UINT64_MAX);
    if (!dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return "";
    return number < count ? debug_text_or_empty(dwarf_filesrc(files, number, NULL, NULL)) : "";
}

static bool read_signature(struct debug_reader *reader, Dwarf_Die *found,
                           struct ir_signature *signature, struct base_error *error) {
    Dwarf_Die die = complete_entry(*found);
    int line = 0;
    dwarf_decl_line(&die, &line);
    signature->name = base_arena_strdup(reader->arena, dwarf_diename(&die));
    signature->file = base_arena_strdup(reader->arena, source_file(&die));
    signature->line = (uint32_t)line;
    signature->is_old_style = !debug_has_flag(&die, DW_AT_prototyped);
    signature->is_static = !debug_has_flag(&die, DW_AT_external);
    signature->result = debug_type_of(reader, &die);
    debug_read_parameters(reader, &die, &signature->parameters, &signature->parameter_count,
                          &signature->is_variadic);
    return check_passable(signature, error);
}

/* Debug information is taken from the file itself, never from elsewhere on the machine. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **path) {
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
    return -1;
}

static Dwfl *open_file(const char *path, struct base_error *error) {
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_nothing,
                                             .section_address = dwfl_offline_section_address};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl && dwfl_report_offline(dwfl, "", path, -1)) {
        dwfl_report_end(dwfl, NULL, NULL);
        return dwfl;
    }
    base_fail(error, BASE_TARGET, "cannot read the debug information of '%s': %s", path,
              debug_text_or_empty(dwfl_errmsg(-1)));
    if (dwfl)
        dwfl_end(dwfl);
    return NULL;
}

bool ir_read_signature(const char *path, const char *function, struct base_arena *arena,
                       struct ir_signature *signature, struct base_error *error) {
    struct debug_reader reader = {.arena = arena};
    struct finding finding = {.name = function};
    *signature = (struct ir_signature){0};
    reader.dwfl = open_file(path, error);
    if (!reader.dwfl)
        return false;
    if (strchr(function, '.'))
        dwfl_getmodules(reader.dwfl, find_symbol, &finding, 0);
    search_units(reader.dwfl, &finding);
    bool good;
    if (!finding.has_units)
        good = base_fail(error, BASE_TARGET, "'%s' has no debug information: compile it with -g",
                         path);
    else if (finding.quality == QUALITY_NONE)
        good = ir_fail_missing(function, &finding.names, error);
    else
        good = read_signature(&reader, &finding.die, signature, error);
    base_vector_done(&reader.known);
    base_strings_done(&finding.names);
    base_map_done(&finding.seen);
    dwfl_end(reader.dwfl);
    return good;
}

static void read_object(struct debug_reader *reader, Dwarf_Die *die, struct base_map *seen,
                        struct ir_objects *objects) {
    const char *name = dwarf_diename(die);
    if (!name || !debug_has_flag(die, DW_AT_external) || debug_has_flag(die, DW_AT_declaration) ||
        base_map_get(seen, name) != BASE_MAP_NONE)
        return;
    const struct ir_type *type = debug_type_of(reader, die);
    if (!type || type->kind != IR_TYPE_STRUCT)
        return;
    base_map_set(seen, name, 1);
    base_push(objects,
              (struct ir_member){.name = base_arena_strdup(reader->arena, name), .type = type});
}

static void read_unit(struct debug_reader *reader, Dwarf_Die *unit, struct base_map *seen,
                      struct ir_signatures *signatures, struct ir_objects *objects) {
    Dwarf_Die child;
    struct base_error unfit;
    if (dwarf_child(unit, &child) != 0)
        return;
    do {
        struct ir_signature signature = {0};
        const char *name = dwarf_diename(&child);
        if (dwarf_tag(&child) == DW_TAG_variable)
            read_object(reader, &child, seen, objects);
        if (dwarf_tag(&child) != DW_TAG_subprogram || judge(&child) != QUALITY_DEFINED || !name ||
            base_map_get(seen, name) != BASE_MAP_NONE ||
            !read_signature(reader, &child, &signature, &unfit) || signature.is_static)
            continue;
        base_map_set(seen, name, 1);
        base_push(signatures, signature);
    } while (dwarf_siblingof(&child, &child) == 0);
}

bool ir_read_signatures(const char *path, struct base_arena *arena,
                        struct ir_signatures *signatures, struct ir_objects *objects,
                        struct base_error *error) {
    struct debug_reader reader = {.arena = arena};
    struct base_map seen = {0};
    Dwarf_Addr bias;
    reader.dwfl = open_file(path, error);
    if (!reader.dwfl)
        return false;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_nextcu(reader.dwfl, unit, &bias));)
        read_unit(&reader, unit, &seen, signatures, objects);
    base_vector_done(&reader.known);
    base_map_done(&seen);
    dwfl_end(reader.dwfl);
    return true;
}
