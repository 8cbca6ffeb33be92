/* SPDX-License-Identifier: Apache-2.0
 *
 * What is this type, in terms of ir/types.h? Typedefs and qualifiers are looked through; a type is
 * entered in the table of known types before its parts are read, so recursive structs end.
 *
 * What declare.c relies on: every struct and union that is not an anonymous member has a tag that
 * is unique in the signature; the count of a struct or union is the alignment that the source asks
 * for (1 when it asks for none, 0 when the type is incomplete); the first bit of a bit-field is
 * offset * 8 + bit_offset; the element of an enum is its integer type; the name of a SIMD vector
 * (an array) is "vector". A dimension of variable length is dropped and counted by the pointer:
 * `int a[n][m]` is `int *a` with one.
 */
#include "ir/dwarf_types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const struct ir_type *read_type(struct debug_reader *reader, Dwarf_Die *die,
                                       const char *alias);

/* ---- attributes ---- */

const char *debug_text_or_empty(const char *text) {
    return text ? text : "";
}

uint64_t debug_number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
        return otherwise;
    return value;
}

bool debug_has_flag(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    bool flag = false;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 &&
           flag;
}

static bool follow(Dwarf_Die *die, unsigned name, Dwarf_Die *found) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formref_die(&attribute, found);
}

const struct ir_type *debug_type_of(struct debug_reader *reader, Dwarf_Die *die) {
    Dwarf_Die found;
    return follow(die, DW_AT_type, &found) ? read_type(reader, &found, NULL) : NULL;
}

/* ---- the table of known types ---- */

static struct ir_type *find_known(const struct debug_reader *reader, const Dwarf_Die *die) {
    for (size_t i = 0; i < reader->known.count; i++)
        if (reader->known.data[i].address == die->addr)
            return reader->known.data[i].type;
    return NULL;
}

static void remember(struct debug_reader *reader, const Dwarf_Die *die, struct ir_type *type) {
    base_push(&reader->known, (struct debug_known_type){die->cu, die->addr, type});
}

static struct ir_type *new_type(struct debug_reader *reader, enum ir_type_kind kind,
                                const char *name, uint64_t size) {
    struct ir_type *type = base_arena_alloc(reader->arena, sizeof *type);
    type->kind = kind;
    type->name = base_arena_strdup(reader->arena, name);
    type->size = size;
    return type;
}

/* ---- numbers ---- */

/* Bytes that nobody looks into: a type that C cannot spell here. */
static struct ir_type *new_blob(struct debug_reader *reader, uint64_t size) {
    struct ir_type *blob = new_type(reader, IR_TYPE_ARRAY, "", size);
    blob->element = new_type(reader, IR_TYPE_CHAR, "unsigned char", 1);
    blob->count = size;
    return blob;
}

static bool is_c_word(const char *word, size_t length) {
    static const char *const words[] = {"char",     "short",      "int",       "long",
                                        "signed",   "unsigned",   "float",     "double",
                                        "_Bool",    "__int128",   "_Float16",  "__bf16",
                                        "_Float32", "__float128", "_Float128", "_Float64"};
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

/* "long unsigned int" is C, "_BitInt(24)" and "DW_ATE_unsigned_32" are not for every compiler. */
static bool is_c_name(const char *name) {
    for (const char *word = name; *word;) {
        size_t length = strcspn(word, " ");
        if (!is_c_word(word, length))
            return false;
        word += length;
        word += strspn(word, " ");
    }
    return *name != 0;
}

static const char *integer_name(bool is_signed, uint64_t size) {
    switch (size) {
    case 1:
        return is_signed ? "signed char" : "unsigned char";
    case 2:
        return is_signed ? "short" : "unsigned short";
    case 4:
        return is_signed ? "int" : "unsigned int";
    case 8:
        return is_signed ? "long" : "unsigned long";
    case 16:
        return is_signed ? "__int128" : "unsigned __int128";
    default:
        return "";
    }
}

static struct ir_type *new_integer(struct debug_reader *reader, const char *name, bool is_signed,
                                   uint64_t size) {
    if (!is_c_name(name))
        name = integer_name(is_signed, size);
    if (!*name)
        return new_blob(reader, size);
    return new_type(reader, is_signed ? IR_TYPE_SIGNED : IR_TYPE_UNSIGNED, name, size);
}

static struct ir_type *new_float(struct debug_reader *reader, const char *name, uint64_t size) {
    if (!is_c_name(name))
        name = size == 4 ? "float" : size == 8 ? "double" : size == 16 ? "long double" : "";
    return *name ? new_type(reader, IR_TYPE_FLOAT, name, size) : new_blob(reader, size);
}

/* A complex number is passed and laid out as a struct of its two parts; only long double is
 * returned in another way. */
static struct ir_type *new_complex(struct debug_reader *reader, uint64_t size) {
    if (size != 8 && size != 16)
        return new_blob(reader, size);
    const char *name = size == 8 ? "complex_float" : "complex_double";
    struct ir_type *type = new_type(reader, IR_TYPE_STRUCT, name, size);
    type->count = 1;
    type->member_count = 2;
    type->members = base_arena_alloc(reader->arena, 2 * sizeof *type->members);
    for (int i = 0; i < 2; i++) {
        type->members[i].name = i ? "imaginary" : "real";
        type->members[i].type = new_float(reader, "", size / 2);
        type->members[i].offset = i * (size / 2);
    }
    return type;
}

static struct ir_type *read_base(struct debug_reader *reader, Dwarf_Die *die) {
    const char *name = debug_text_or_empty(dwarf_diename(die));
    uint64_t size = debug_number_of(die, DW_AT_byte_size, 0);
    switch (debug_number_of(die, DW_AT_encoding, 0)) {
    case DW_ATE_boolean:
        return new_type(reader, IR_TYPE_BOOL, "_Bool", size);
    case DW_ATE_signed_char:
        return new_type(reader, IR_TYPE_CHAR, is_c_name(name) ? name : "signed char", size);
    case DW_ATE_unsigned_char:
        return new_type(reader, IR_TYPE_CHAR, "unsigned char", size);
    case DW_ATE_signed:
        return new_integer(reader, name, true, size);
    case DW_ATE_unsigned:
    case DW_ATE_UTF:
        return new_integer(reader, name, false, size);
    case DW_ATE_float:
        return new_float(reader, name, size);
    case DW_ATE_complex_float:
        return new_complex(reader, size);
    default:
        return new_blob(reader, size);
    }
}

static bool has_negative_value(Dwarf_Die *die) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword value;
        if (dwarf_attr(&child, DW_AT_const_value, &attribute) &&
            dwarf_formsdata(&attribute, &value) == 0 && value < 0)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static struct ir_type *read_enum(struct debug_reader *reader, Dwarf_Die *die) {
    uint64_t size = debug_number_of(die, DW_AT_byte_size, 4);
    struct ir_type *type =
        new_type(reader, IR_TYPE_ENUM, debug_text_or_empty(dwarf_diename(die)), size ? size : 4);
    type->element = debug_type_of(reader, die);
    if (!type->element)
        type->element = new_integer(reader, "", has_negative_value(die), type->size);
    return type;
}

/* ---- arrays ---- */

/* 0: of unknown or variable length; optimised code may have lost what told the two apart. */
static uint64_t read_dimension(Dwarf_Die *range) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_attr_integrate(range, DW_AT_count, &attribute))
        return dwarf_formudata(&attribute, &value) == 0 ? value : 0;
    if (!dwarf_attr_integrate(range, DW_AT_upper_bound, &attribute))
        return 0;
    return dwarf_formudata(&attribute, &value) == 0 ? value + 1 : 0;
}

static const struct ir_type *new_array(struct debug_reader *reader, const struct ir_type *element,
                                       uint64_t count) {
    struct ir_type *type = new_type(reader, IR_TYPE_ARRAY, "", 0);
    type->element = element;
    type->count = count;
    if (__builtin_mul_overflow(count, element->size, &type->size))
        type->size = 0;
    return type;
}

/* RANGE and its siblings are the dimensions, the outermost first. */
static const struct ir_type *read_dimensions(struct debug_reader *reader, Dwarf_Die *range,
                                             const struct ir_type *element) {
    Dwarf_Die next;
    if (dwarf_siblingof(range, &next) == 0)
        element = read_dimensions(reader, &next, element);
    if (dwarf_tag(range) != DW_TAG_subrange_type)
        return element;
    uint64_t count = read_dimension(range);
    return new_array(reader, element, count);
}

static const struct ir_type *read_array(struct debug_reader *reader, Dwarf_Die *die) {
    Dwarf_Die range;
    const struct ir_type *element = debug_type_of(reader, die);
    if (!element || dwarf_child(die, &range) != 0)
        return element;
    const struct ir_type *type = read_dimensions(reader, &range, element);
    if (!debug_has_flag(die, DW_AT_GNU_vector) || type == element)
        return type;
    struct ir_type *vector = new_type(reader, IR_TYPE_ARRAY, "vector", type->size);
    vector->element = element;
    vector->count = type->count;
    return vector;
}

/* ---- structs and unions ---- */

static uint64_t read_location(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute))
        return 0;
    if (dwarf_whatform(&attribute) == DW_FORM_block1 &&
        dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1)
        return operations[0].number; /* DWARF 2: DW_OP_plus_uconst */
    return debug_number_of(die, DW_AT_data_member_location, 0);
}

static void place_bits(Dwarf_Die *die, struct ir_member *member) {
    uint64_t first = debug_number_of(die, DW_AT_data_bit_offset, UINT64_MAX);
    if (first == UINT64_MAX) { /* before DWARF 4: counted from the most significant bit */
        uint64_t unit = debug_number_of(die, DW_AT_byte_size, member->type->size);
        uint64_t above = debug_number_of(die, DW_AT_bit_offset, 0);
        first = (member->offset + unit) * 8 - above - member->bit_size;
    }
    member->offset = first / 8;
    member->bit_offset = first % 8;
}

static void read_member(struct debug_reader *reader, Dwarf_Die *die, struct ir_type *owner) {
    struct ir_member *member = &owner->members[owner->member_count];
    Dwarf_Die type;
    member->name = base_arena_strdup(reader->arena, debug_text_or_empty(dwarf_diename(die)));
    /* An empty alias keeps the type of an anonymous member without a tag. */
    member->type =
        follow(die, DW_AT_type, &type) ? read_type(reader, &type, *member->name ? NULL : "") : NULL;
    if (!member->type)
        return;
    member->offset = read_location(die);
    member->bit_size = debug_number_of(die, DW_AT_bit_size, 0);
    if (member->bit_size)
        place_bits(die, member);
    uint64_t alignment = debug_number_of(die, DW_AT_alignment, 1);
    if (alignment > owner->count)
        owner->count = alignment;
    owner->member_count++;
}

static uint32_t count_children(Dwarf_Die *die, int tag) {
    Dwarf_Die child;
    uint32_t count = 0;
    if (dwarf_child(die, &child) != 0)
        return 0;
    do
        count += dwarf_tag(&child) == tag;
    while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

static void read_members(struct debug_reader *reader, Dwarf_Die *die, struct ir_type *type) {
    Dwarf_Die child;
    uint32_t count = count_children(die, DW_TAG_member);
    type->members = base_arena_alloc(reader->arena, count * sizeof *type->members);
    if (dwarf_child(die, &child) != 0)
        return;
    do
        if (dwarf_tag(&child) == DW_TAG_member)
            read_member(reader, &child, type);
    while (dwarf_siblingof(&child, &child) == 0);
}

static bool has_tag(const struct ir_type *type) {
    return type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION;
}

static const struct debug_known_type *find_tag(const struct debug_reader *reader,
                                               const char *name) {
    for (size_t i = 0; i < reader->known.count; i++)
        if (has_tag(reader->known.data[i].type) &&
            strcmp(reader->known.data[i].type->name, name) == 0)
            return &reader->known.data[i];
    return NULL;
}

static const char *unique_tag(struct debug_reader *reader, const char *name) {
    char *tag = *name ? base_arena_strdup(reader->arena, name)
                      : base_arena_format(reader->arena, "anonymous_%u", ++reader->anonymous);
    for (unsigned i = 2; find_tag(reader, tag); i++)
        tag = base_arena_format(reader->arena, "%s_%u", *name ? name : "anonymous", i);
    return tag;
}

/* Another unit of the program may define what this one only declares. */
static bool find_definition(struct debug_reader *reader, int tag, const char *name,
                            Dwarf_Die *found) {
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_nextcu(reader->dwfl, unit, &bias));) {
        if (dwarf_child(unit, found) != 0)
            continue;
        do
            if (dwarf_tag(found) == tag && !debug_has_flag(found, DW_AT_declaration) &&
                strcmp(debug_text_or_empty(dwarf_diename(found)), name) == 0)
                return true;
        while (dwarf_siblingof(found, found) == 0);
    }
    return false;
}

/* The same struct as seen by another unit of the program, already read. */
static struct ir_type *find_twin(const struct debug_reader *reader, const Dwarf_Die *die,
                                 enum ir_type_kind kind, const char *name, uint64_t size) {
    const struct debug_known_type *twin = *name ? find_tag(reader, name) : NULL;
    bool same =
        twin && twin->unit != die->cu && twin->type->kind == kind && twin->type->size == size;
    return same ? twin->type : NULL;
}

static struct ir_type *read_struct(struct debug_reader *reader, Dwarf_Die *die, const char *alias) {
    enum ir_type_kind kind = dwarf_tag(die) == DW_TAG_union_type ? IR_TYPE_UNION : IR_TYPE_STRUCT;
    const char *name = debug_text_or_empty(dwarf_diename(die));
    Dwarf_Die definition;
    bool complete = !debug_has_flag(die, DW_AT_declaration);
    if (!complete && *name && find_definition(reader, dwarf_tag(die), name, &definition))
        return (struct ir_type *)read_type(reader, &definition, alias);
    uint64_t size = complete ? debug_number_of(die, DW_AT_byte_size, 0) : 0;
    struct ir_type *twin = find_twin(reader, die, kind, name, size);
    if (twin)
        return twin;
    bool tagless = !*name && alias && !*alias;
    const char *tag = tagless ? "" : unique_tag(reader, *name || !alias ? name : alias);
    struct ir_type *type = new_type(reader, kind, tag, size);
    type->count = complete ? debug_number_of(die, DW_AT_alignment, 1) : 0;
    remember(reader, die, type);
    if (complete)
        read_members(reader, die, type);
    return type;
}

/* ---- functions and pointers ---- */

void debug_read_parameters(struct debug_reader *reader, Dwarf_Die *die,
                           struct ir_member **parameters, uint32_t *count, bool *is_variadic) {
    Dwarf_Die child;
    *parameters = base_arena_alloc(reader->arena, count_children(die, DW_TAG_formal_parameter) *
                                                      sizeof **parameters);
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            *is_variadic = *count > 0;
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        struct ir_member *parameter = &(*parameters)[(*count)++];
        parameter->name =
            base_arena_strdup(reader->arena, debug_text_or_empty(dwarf_diename(&child)));
        parameter->type = debug_type_of(reader, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static struct ir_type *read_function(struct debug_reader *reader, Dwarf_Die *die) {
    struct ir_type *type = new_type(reader, IR_TYPE_FUNCTION, "", 0);
    remember(reader, die, type);
    type->element = debug_type_of(reader, die);
    debug_read_parameters(reader, die, &type->members, &type->member_count, &type->is_variadic);
    return type;
}

/* Is the type of this entry const, by itself or by its typedef? */
static bool has_const_type(Dwarf_Die *die) {
    Dwarf_Die inner = *die;
    while (follow(&inner, DW_AT_type, &inner)) {
        if (dwarf_tag(&inner) == DW_TAG_const_type)
            return true;
        if (dwarf_tag(&inner) != DW_TAG_typedef)
            return false;
    }
    return false;
}

static struct ir_type *read_pointer(struct debug_reader *reader, Dwarf_Die *die) {
    struct ir_type *type = new_type(reader, IR_TYPE_POINTER, "", sizeof(void *));
    remember(reader, die, type);
    type->is_const = has_const_type(die);
    type->element = debug_type_of(reader, die);
    /* A pointer to an array of unknown length is as good as one to its first element. */
    while (type->element && type->element->kind == IR_TYPE_ARRAY && !type->element->count) {
        type->variable++;
        type->element = type->element->element;
    }
    return type;
}

static const struct ir_type *read_fresh_type(struct debug_reader *reader, Dwarf_Die *die,
                                             const char *alias) {
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
        return read_base(reader, die);
    case DW_TAG_enumeration_type:
        return read_enum(reader, die);
    case DW_TAG_pointer_type:
        return read_pointer(reader, die);
    case DW_TAG_array_type:
        return read_array(reader, die);
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return read_struct(reader, die, alias);
    case DW_TAG_subroutine_type:
        return read_function(reader, die);
    default:
        return new_blob(reader, debug_number_of(die, DW_AT_byte_size, 0));
    }
}

static bool is_transparent(int tag) {
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* ALIAS names a struct without a tag; "" asks for none. NULL is void. */
static const struct ir_type *read_type(struct debug_reader *reader, Dwarf_Die *die,
                                       const char *alias) {
    Dwarf_Die inner = *die;
    while (is_transparent(dwarf_tag(&inner))) {
        if (dwarf_tag(&inner) == DW_TAG_typedef && dwarf_diename(&inner))
            alias = dwarf_diename(&inner);
        if (!follow(&inner, DW_AT_type, &inner))
            return NULL;
    }
    struct ir_type *known = find_known(reader, &inner);
    if (known)
        return known;
    const struct ir_type *type = read_fresh_type(reader, &inner, alias);
    if (type && !find_known(reader, &inner))
        remember(reader, &inner, (struct ir_type *)type);
    return type;
}
