/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a type from DWARF written in C again, so that a compiler lays it out as the target has it?
 *
 * Declarators are built from the inside out, as C reads them. For a struct, the layout that C would
 * give to the plain member list is computed first. Where a member lies further away than that,
 * _Alignas may explain it; where nothing explains it (packed structs, unnamed bit-fields), the
 * struct is printed packed with explicit padding. The reader's notes on counts, tags and bit-fields
 * are at the top of dwarf.c.
 *
 * Invariant: whatever is chosen, sizes and offsets are asserted in the printed C, so that a
 * mistake here stops the compiler and never shifts a member silently.
 */
#include "ir/types.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ALIGNMENT 65536

static bool is_record(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_UNION);
}

static bool is_vector(const struct ir_type *type) {
    return type->kind == IR_TYPE_ARRAY && strcmp(type->name, "vector") == 0;
}

static const char *record_word(const struct ir_type *type) {
    return type->kind == IR_TYPE_UNION ? "union" : "struct";
}

/* ---- declarations ---- */

static void print_body(const struct ir_type *record, int depth, struct base_buffer *out);

static char *parameter_list(const struct ir_type *function) {
    struct base_buffer list = {0};
    for (uint32_t i = 0; i < function->member_count; i++) {
        if (i)
            base_buffer_print(&list, ", ");
        ir_print_declaration(function->members[i].type, function->members[i].name, &list);
    }
    if (!function->member_count)
        base_buffer_print(&list, "void");
    else if (function->is_variadic)
        base_buffer_print(&list, ", ...");
    return list.data;
}

/* What stands left of the declarator: "int", "struct node". */
static void print_specifier(const struct ir_type *type, struct base_buffer *out) {
    if (!type || type->kind == IR_TYPE_VOID) {
        base_buffer_print(out, "void");
    } else if (type->kind == IR_TYPE_ENUM) {
        print_specifier(type->element, out);
    } else if (is_vector(type)) {
        base_buffer_print(out, "__attribute__((vector_size(%llu))) ",
                          (unsigned long long)type->size);
        print_specifier(type->element, out);
    } else if (!is_record(type)) {
        base_buffer_print(out, "%s", type->name);
    } else if (*type->name) {
        base_buffer_print(out, "%s %s", record_word(type), type->name);
    } else {
        print_body(type, 0, out);
    }
}

/* Takes DECLARATOR ("*p", "f(int)") and gives it back as seen one type further out. */
static char *wrap_declarator(const struct ir_type *type, char *declarator) {
    const struct ir_type *element = type->element;
    char *wrapped;
    if (type->kind == IR_TYPE_POINTER && element &&
        ((element->kind == IR_TYPE_ARRAY && !is_vector(element)) ||
         element->kind == IR_TYPE_FUNCTION)) {
        wrapped = base_format("(*%s)", declarator);
    } else if (type->kind == IR_TYPE_POINTER) {
        wrapped = base_format("*%s", declarator);
    } else if (type->kind == IR_TYPE_ARRAY) {
        wrapped = base_format("%s[%llu]", declarator, (unsigned long long)type->count);
    } else {
        char *list = parameter_list(type);
        wrapped = base_format("%s(%s)", declarator, list);
        free(list);
    }
    free(declarator);
    return wrapped;
}

static bool is_derived(const struct ir_type *type) {
    return type && (type->kind == IR_TYPE_POINTER || type->kind == IR_TYPE_FUNCTION ||
                    (type->kind == IR_TYPE_ARRAY && !is_vector(type)));
}

void ir_print_declaration(const struct ir_type *type, const char *name, struct base_buffer *out) {
    char *declarator = base_strdup(name);
    while (is_derived(type)) {
        declarator = wrap_declarator(type, declarator);
        type = type->element;
    }
    print_specifier(type, out);
    base_buffer_print(out, "%s%s", *declarator && *declarator != '[' ? " " : "", declarator);
    free(declarator);
}

/* ---- layout ---- */

struct layout {
    bool packed;
    uint64_t alignment; /* of the whole as it will be printed */
    uint64_t request;   /* aligned(...) to print, 0 for none */
};

static struct layout plan_layout(const struct ir_type *record);

static uint64_t round_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(const struct ir_type *type) {
    if (!type)
        return 1;
    if (is_vector(type))
        return type->size ? type->size : 1;
    if (type->kind == IR_TYPE_ARRAY)
        return alignment_of(type->element);
    if (is_record(type))
        return plan_layout(type).alignment;
    return type->size ? type->size : 1;
}

static uint64_t first_bit(const struct ir_member *member) {
    return member->offset * 8 + member->bit_offset;
}

static uint64_t end_bit(const struct ir_member *member) {
    return first_bit(member) + (member->bit_size ? member->bit_size : member->type->size * 8);
}

/* The smallest _Alignas that moves a member from CURSOR (bytes) to OFFSET; 0 if there is none. */
static uint64_t explain_offset(uint64_t cursor, uint64_t offset, uint64_t natural) {
    for (uint64_t alignment = natural; alignment <= MAX_ALIGNMENT; alignment *= 2)
        if (round_up(cursor, alignment) == offset)
            return alignment;
    return 0;
}

/* The alignment that the member needs to lie where it does, after CURSOR (bits); 0: impossible. */
static uint64_t member_alignment(const struct ir_member *member, uint64_t cursor) {
    uint64_t natural = alignment_of(member->type);
    if (!member->bit_size)
        return explain_offset(round_up(cursor, 8) / 8, member->offset, natural);
    if (cursor % (natural * 8) + member->bit_size > member->type->size * 8)
        cursor = round_up(cursor, natural * 8);
    return cursor == first_bit(member) ? natural : 0;
}

static bool fits_plainly(const struct ir_type *record, uint64_t *end, uint64_t *alignment) {
    uint64_t cursor = 0;
    *end = 0;
    *alignment = 1;
    for (uint32_t i = 0; i < record->member_count; i++) {
        const struct ir_member *member = &record->members[i];
        uint64_t needed = member_alignment(member, record->kind == IR_TYPE_UNION ? 0 : cursor);
        if (!needed)
            return false;
        if (needed > *alignment)
            *alignment = needed;
        cursor = end_bit(member);
        if (cursor > *end)
            *end = cursor;
    }
    *end = round_up(*end, 8) / 8;
    return true;
}

/* How a packed struct is aligned: as its members ask for, unless they already lie askew. */
static uint64_t packed_alignment(const struct ir_type *record) {
    uint64_t alignment = record->count ? record->count : 1;
    for (uint32_t i = 0; i < record->member_count; i++) {
        uint64_t natural = alignment_of(record->members[i].type);
        if ((!record->members[i].bit_size && record->members[i].offset % natural != 0) ||
            record->size % natural != 0)
            return record->count ? record->count : 1;
        if (natural > alignment)
            alignment = natural;
    }
    return alignment;
}

static struct layout plan_layout(const struct ir_type *record) {
    uint64_t end, alignment;
    if (fits_plainly(record, &end, &alignment)) {
        uint64_t wanted = record->count > alignment ? record->count : alignment;
        uint64_t whole = explain_offset(end, record->size, wanted);
        if (whole)
            return (struct layout){false, whole, whole > alignment ? whole : 0};
    }
    uint64_t packed = packed_alignment(record);
    return (struct layout){true, packed, packed > 1 ? packed : 0};
}

/* ---- bodies ---- */

static void print_member(const struct ir_member *member, uint64_t alignas, int depth,
                         struct base_buffer *out) {
    base_buffer_print(out, "%*s", depth * 4, "");
    if (alignas)
        base_buffer_print(out, "_Alignas(%llu) ", (unsigned long long)alignas);
    if (!*member->name && is_record(member->type))
        print_body(member->type, depth, out); /* a tag would make it a type and no member */
    else
        ir_print_declaration(member->type, member->name, out);
    if (member->bit_size)
        base_buffer_print(out, " : %u", member->bit_size);
    base_buffer_print(out, ";\n");
}

static void print_padding(uint64_t from, uint64_t to, uint32_t number, int depth,
                          struct base_buffer *out) {
    if (from % 8 == 0 && to % 8 == 0 && to > from) {
        base_buffer_print(out, "%*sunsigned char __pad_%u[%llu];\n", depth * 4, "", number,
                          (unsigned long long)(to - from) / 8);
        return;
    }
    for (; from < to; from += 64) {
        unsigned width = to - from < 64 ? (unsigned)(to - from) : 64;
        base_buffer_print(out, "%*sunsigned long long : %u;\n", depth * 4, "", width);
    }
}

static void print_packed(const struct ir_type *record, int depth, struct base_buffer *out) {
    uint64_t cursor = 0;
    for (uint32_t i = 0; i < record->member_count; i++) {
        const struct ir_member *member = &record->members[i];
        if (record->kind == IR_TYPE_STRUCT)
            print_padding(cursor, first_bit(member), i, depth, out);
        print_member(member, 0, depth, out);
        cursor = member->bit_size ? end_bit(member) : round_up(end_bit(member), 8);
    }
    if (record->kind == IR_TYPE_UNION)
        cursor = 0;
    if (cursor < record->size * 8)
        print_padding(cursor, record->size * 8, record->member_count, depth, out);
}

static void print_plain(const struct ir_type *record, int depth, struct base_buffer *out) {
    uint64_t cursor = 0;
    for (uint32_t i = 0; i < record->member_count; i++) {
        const struct ir_member *member = &record->members[i];
        uint64_t needed = member_alignment(member, record->kind == IR_TYPE_UNION ? 0 : cursor);
        print_member(member, needed > alignment_of(member->type) ? needed : 0, depth, out);
        cursor = end_bit(member);
    }
}

/* "struct node { ... }" without the semicolon. */
static void print_body(const struct ir_type *record, int depth, struct base_buffer *out) {
    struct layout layout = plan_layout(record);
    base_buffer_print(out, "%s ", record_word(record));
    if (layout.packed && layout.request)
        base_buffer_print(out, "__attribute__((packed, aligned(%llu))) ",
                          (unsigned long long)layout.request);
    else if (layout.packed)
        base_buffer_print(out, "__attribute__((packed)) ");
    else if (layout.request)
        base_buffer_print(out, "__attribute__((aligned(%llu))) ",
                          (unsigned long long)layout.request);
    base_buffer_print(out, "%s%s{\n", record->name, *record->name ? " " : "");
    if (layout.packed)
        print_packed(record, depth + 1, out);
    else
        print_plain(record, depth + 1, out);
    base_buffer_print(out, "%*s}", depth * 4, "");
}

static void assert_offsets(const struct ir_type *outer, const struct ir_type *record, uint64_t base,
                           struct base_buffer *out) {
    for (uint32_t i = 0; i < record->member_count; i++) {
        const struct ir_member *member = &record->members[i];
        if (!*member->name && is_record(member->type))
            assert_offsets(outer, member->type, base + member->offset, out);
        else if (*member->name && !member->bit_size)
            base_buffer_print(out,
                              "_Static_assert(__builtin_offsetof(%s %s, %s) == %llu, "
                              "\"offset of %s\");\n",
                              record_word(outer), outer->name, member->name,
                              (unsigned long long)(base + member->offset), member->name);
    }
}

/* ---- the order of definitions ---- */

struct printer {
    struct base_buffer *out;
    BASE_VECTOR(const struct ir_type *) seen;    /* reached, forward declared */
    BASE_VECTOR(const struct ir_type *) defined; /* body printed */
};

static bool is_in(const struct ir_type *const *types, size_t count, const struct ir_type *type) {
    for (size_t i = 0; i < count; i++)
        if (types[i] == type)
            return true;
    return false;
}

static void declare_tags(struct printer *printer, const struct ir_type *type) {
    bool has_parts = type && (is_record(type) || type->kind == IR_TYPE_FUNCTION);
    if (!type || (has_parts && is_in(printer->seen.data, printer->seen.count, type)))
        return;
    if (has_parts)
        base_push(&printer->seen, type);
    if (is_record(type) && *type->name)
        base_buffer_print(printer->out, "%s %s;\n", record_word(type), type->name);
    declare_tags(printer, type->element);
    for (uint32_t i = 0; i < type->member_count; i++)
        declare_tags(printer, type->members[i].type);
}

/* First what it holds by value, then the type itself. */
static void define_record(struct printer *printer, const struct ir_type *type) {
    while (type && type->kind == IR_TYPE_ARRAY)
        type = type->element;
    if (!type || !is_record(type) || !type->count ||
        is_in(printer->defined.data, printer->defined.count, type))
        return;
    base_push(&printer->defined, type);
    for (uint32_t i = 0; i < type->member_count; i++)
        define_record(printer, type->members[i].type);
    if (!*type->name)
        return;
    print_body(type, 0, printer->out);
    base_buffer_print(printer->out, ";\n_Static_assert(sizeof(%s %s) == %llu, \"size of %s\");\n",
                      record_word(type), type->name, (unsigned long long)type->size, type->name);
    assert_offsets(type, type, 0, printer->out);
}

void ir_print_definitions(const struct ir_signature *signature, struct base_buffer *out) {
    struct printer printer = {.out = out};
    declare_tags(&printer, signature->result);
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        declare_tags(&printer, signature->parameters[i].type);
    for (size_t i = 0; i < printer.seen.count; i++)
        define_record(&printer, printer.seen.data[i]);
    base_vector_done(&printer.seen);
    base_vector_done(&printer.defined);
}
