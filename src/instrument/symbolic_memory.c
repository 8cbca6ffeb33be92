/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows of memory: loads, stores, copies. An access that a 16-byte granule may not hold whole
 * (its alignment does not say so) looks at two granules.
 */
#include "abi/shadow.h"
#include "instrument/symbolic.h"

static unsigned access_bytes(const struct symbolic *symbolic, LLVMTypeRef type) {
    return (unsigned)LLVMStoreSizeOfType(symbolic->layout, type);
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Where it is: the block, and which of its loads and stores. */
static uint32_t site_bits(struct symbolic *symbolic, LLVMValueRef instruction) {
    uint32_t site = symbolic_site(symbolic, instruction);
    return least(site, ABI_ACCESS_MAX_SITE) << ABI_ACCESS_SITE |
           least(symbolic->access, ABI_ACCESS_MAX_NUMBER) << ABI_ACCESS_NUMBER;
}

static LLVMValueRef access_kind(struct symbolic *symbolic, LLVMValueRef instruction, unsigned bytes,
                                unsigned offset) {
    unsigned alignment = LLVMGetAlignment(instruction);
    bool one_granule = bytes == 1 || (offset == 0 ? alignment >= bytes
                                                  : alignment >= 16 && offset % 16 + bytes <= 16);
    bool is_write = !LLVMIsALoadInst(instruction);
    bool is_pointer = !is_write && LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMPointerTypeKind;
    return symbolic_number(
        symbolic, least(bytes, ABI_ACCESS_BYTES) | (one_granule ? 0 : ABI_ACCESS_TWO) |
                      (is_write ? ABI_ACCESS_WRITE : 0) | (is_pointer ? ABI_ACCESS_POINTER : 0) |
                      site_bits(symbolic, instruction));
}

/* ---- what an address was computed from ---- */

struct base {
    LLVMValueRef pointer, shadow, size;
};

/* The address of a thread's own variable is asked for. */
static bool is_of_thread(LLVMValueRef address) {
    static const char name[] = "llvm.threadlocal.address";
    LLVMValueRef callee = LLVMIsACallInst(address) ? LLVMGetCalledValue(address) : NULL;
    return callee && LLVMIsAFunction(callee) &&
           LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof name - 1) &&
           LLVMIsAGlobalVariable(LLVMGetArgOperand(address, 0));
}

static uint64_t variable_size(const struct symbolic *symbolic, LLVMValueRef variable) {
    uintptr_t size;
    if (is_of_thread(variable))
        return LLVMABISizeOfType(symbolic->layout,
                                 LLVMGlobalGetValueType(LLVMGetArgOperand(variable, 0)));
    if (instrument_map_get(symbolic->globals, variable, &size))
        return size;
    if (!LLVMIsAAllocaInst(variable) || !LLVMIsConstant(LLVMGetOperand(variable, 0)))
        return 0;
    return LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0)) *
           LLVMABISizeOfType(symbolic->layout, LLVMGetAllocatedType(variable));
}

static LLVMValueRef root_of(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer) || symbolic_is_constant_address(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static struct base base_of(struct symbolic *symbolic, LLVMValueRef pointer) {
    pointer = root_of(pointer);
    return (struct base){pointer, symbolic_shadow(symbolic, pointer),
                         symbolic_long(symbolic, variable_size(symbolic, pointer))};
}

/* An access whose address is fixed afterwards. */
static void check_access(struct symbolic *symbolic, LLVMValueRef instruction, LLVMValueRef pointer,
                         LLVMTypeRef type) {
    LLVMValueRef address = symbolic_shadow(symbolic, pointer);
    struct base base = base_of(symbolic, pointer);
    if (!symbolic_is_zero(address))
        symbolic_hook(symbolic, HOOK_ACCESS, pointer, address,
                      access_kind(symbolic, instruction, access_bytes(symbolic, type), 0),
                      base.pointer, base.shadow, base.size);
    symbolic_fix(symbolic, pointer);
}

/* ---- loads and stores ---- */

static LLVMValueRef at_offset(struct symbolic *symbolic, LLVMValueRef pointer, uint64_t offset) {
    LLVMValueRef index = symbolic_long(symbolic, offset);
    return offset ? LLVMBuildGEP2(symbolic->builder, symbolic->i8, pointer, &index, 1, "")
                  : pointer;
}

/* A variable that nobody can write to. */
static bool is_constant(LLVMValueRef base) {
    return LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) && !LLVMIsDeclaration(base);
}

/* The shadow of one scalar in memory, as wide as the type. */
static LLVMValueRef load_scalar(struct symbolic *symbolic, LLVMValueRef instruction,
                                LLVMTypeRef type, LLVMValueRef pointer, LLVMValueRef address,
                                unsigned offset) {
    unsigned bytes = access_bytes(symbolic, type), width = symbolic_width(symbolic, type);
    bool constant = is_constant(base_of(symbolic, pointer).pointer);
    if (constant && symbolic_is_zero(address))
        return symbolic->zero;
    struct base base = base_of(symbolic, symbolic_is_zero(address) ? symbolic->null : pointer);
    LLVMValueRef shadow = symbolic_hook(symbolic, constant ? HOOK_LOAD_CONSTANT : HOOK_LOAD,
                                        at_offset(symbolic, pointer, offset), address,
                                        access_kind(symbolic, instruction, bytes, offset),
                                        base.pointer, base.shadow, base.size);
    return symbolic_cast(symbolic, ABI_OP_EXTRACT, bytes * 8, width, shadow);
}

static LLVMValueRef scalar_marks(struct symbolic *symbolic, LLVMValueRef load, LLVMTypeRef type,
                                 unsigned offset) {
    return symbolic_hook(symbolic, HOOK_MARKS, at_offset(symbolic, LLVMGetOperand(load, 0), offset),
                         access_kind(symbolic, load, access_bytes(symbolic, type), offset));
}

LLVMValueRef symbolic_marks(struct symbolic *symbolic, LLVMValueRef load) {
    LLVMTypeRef type = LLVMTypeOf(load);
    if (symbolic_width(symbolic, type))
        return scalar_marks(symbolic, load, type, 0);
    LLVMValueRef any = symbolic->zero;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        any = LLVMBuildOr(symbolic->builder, any,
                          scalar_marks(symbolic, load, LLVMStructGetTypeAtIndex(type, i),
                                       (unsigned)LLVMOffsetOfElement(symbolic->layout, type, i)),
                          "");
    return any;
}

bool symbolic_is_looked_at(const struct symbolic *symbolic, LLVMValueRef load) {
    return symbolic_shadow_type(symbolic, LLVMTypeOf(load)) &&
           !is_constant(root_of(LLVMGetOperand(load, 0)));
}

static void forget(struct symbolic *symbolic, LLVMValueRef pointer, LLVMTypeRef type,
                   enum instrument_hook hook) {
    symbolic_hook(symbolic, hook, pointer, symbolic_long(symbolic, access_bytes(symbolic, type)));
}

void symbolic_load(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(instruction);
    LLVMTypeRef shadow_type = symbolic_shadow_type(symbolic, type);
    LLVMValueRef pointer = LLVMGetOperand(instruction, 0);
    LLVMValueRef address = symbolic_shadow(symbolic, pointer);
    if (!shadow_type) {
        check_access(symbolic, instruction, pointer, type);
        forget(symbolic, pointer, type, HOOK_FIX_MEMORY);
        return;
    }
    if (symbolic->is_plain)
        return;
    if (shadow_type == symbolic->i32) {
        symbolic_set_shadow(symbolic, instruction,
                            load_scalar(symbolic, instruction, type, pointer, address, 0));
        return;
    }
    check_access(symbolic, instruction, pointer, type);
    LLVMValueRef shadow = LLVMConstNull(shadow_type);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
        unsigned offset = (unsigned)LLVMOffsetOfElement(symbolic->layout, type, i);
        LLVMValueRef part = load_scalar(symbolic, instruction, LLVMStructGetTypeAtIndex(type, i),
                                        pointer, symbolic->zero, offset);
        shadow = LLVMBuildInsertValue(symbolic->builder, shadow, part, i, "");
    }
    symbolic_set_shadow(symbolic, instruction, shadow);
}

static void store_scalar(struct symbolic *symbolic, LLVMValueRef instruction, LLVMTypeRef type,
                         LLVMValueRef pointer, LLVMValueRef address, LLVMValueRef shadow,
                         unsigned offset) {
    unsigned bytes = access_bytes(symbolic, type), width = symbolic_width(symbolic, type);
    shadow = symbolic_cast(symbolic, ABI_OP_ZEXT, width, bytes * 8, shadow);
    struct base base = base_of(symbolic, symbolic_is_zero(address) ? symbolic->null : pointer);
    symbolic_hook(symbolic, HOOK_STORE, at_offset(symbolic, pointer, offset), address, shadow,
                  access_kind(symbolic, instruction, bytes, offset), base.pointer, base.shadow,
                  base.size);
}

void symbolic_store(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef value = LLVMGetOperand(instruction, 0), pointer = LLVMGetOperand(instruction, 1);
    LLVMTypeRef type = LLVMTypeOf(value), shadow_type = symbolic_shadow_type(symbolic, type);
    LLVMValueRef shadow = symbolic_shadow(symbolic, value);
    if (shadow_type == symbolic->i32) {
        store_scalar(symbolic, instruction, type, pointer, symbolic_shadow(symbolic, pointer),
                     shadow, 0);
        return;
    }
    check_access(symbolic, instruction, pointer, type);
    if (!shadow_type) {
        forget(symbolic, pointer, type, HOOK_CLEAR);
        return;
    }
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        store_scalar(symbolic, instruction, LLVMStructGetTypeAtIndex(type, i), pointer,
                     symbolic->zero, LLVMBuildExtractValue(symbolic->builder, shadow, i, ""),
                     (unsigned)LLVMOffsetOfElement(symbolic->layout, type, i));
}

/* Atomic operations are done on concrete memory: what is there is fixed, what is written clears. */
void symbolic_atomic(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 1));
    LLVMPositionBuilderBefore(symbolic->builder, instruction);
    check_access(symbolic, instruction, LLVMGetOperand(instruction, 0), type);
    for (int i = 1; i < LLVMGetNumOperands(instruction); i++)
        symbolic_fix(symbolic, LLVMGetOperand(instruction, (unsigned)i));
    forget(symbolic, LLVMGetOperand(instruction, 0), type, HOOK_FIX_MEMORY);
}

/* So many bytes from the pointer on are read or written. How many could be there, or zero? */
static LLVMValueRef check_extent(struct symbolic *symbolic, LLVMValueRef instruction,
                                 LLVMValueRef pointer, LLVMValueRef bytes, uint32_t kind) {
    LLVMValueRef address = symbolic_shadow(symbolic, pointer);
    LLVMValueRef length = symbolic_shadow(symbolic, bytes);
    struct base base = base_of(symbolic, pointer);
    if (symbolic_is_zero(address) && symbolic_is_zero(length))
        return symbolic_long(symbolic, 0);
    return symbolic_hook(symbolic, HOOK_EXTENT, pointer, address,
                         symbolic_number(symbolic, kind | site_bits(symbolic, instruction)),
                         base.pointer, base.shadow, base.size, symbolic_wide(symbolic, bytes),
                         length);
}

/* memcpy and memmove move shadows, memset spreads one byte's. */
void symbolic_memory_call(struct symbolic *symbolic, LLVMValueRef instruction, bool is_set) {
    LLVMValueRef to = LLVMGetArgOperand(instruction, 0), from = LLVMGetArgOperand(instruction, 1);
    LLVMValueRef bytes = LLVMGetArgOperand(instruction, 2);
    LLVMValueRef length = symbolic_shadow(symbolic, bytes), from_room = NULL;
    LLVMValueRef to_room = check_extent(symbolic, instruction, to, bytes, ABI_ACCESS_WRITE);
    if (!is_set)
        from_room = check_extent(symbolic, instruction, from, bytes, 0);
    symbolic_fix(symbolic, to);
    if (!is_set)
        symbolic_fix(symbolic, from);
    LLVMValueRef size = symbolic_wide(symbolic, bytes);
    LLVMValueRef kind = symbolic_number(symbolic, site_bits(symbolic, instruction));
    if (symbolic_site(symbolic, instruction) < symbolic->program_sites) {
        symbolic_add_cost(symbolic, size); /* as in the measuring build */
        if (!symbolic_is_zero(length))
            symbolic_hook(symbolic, HOOK_AMOUNT, size, length);
    }
    if (is_set)
        symbolic_hook(symbolic, HOOK_MEMSET, to, symbolic_wide(symbolic, from),
                      symbolic_shadow(symbolic, from), size, length, kind, to_room);
    else
        symbolic_hook(symbolic, HOOK_MEMCPY, to, from, size, length, kind, to_room, from_room);
}

/* A variable-length array, or alloca: its size stays open. Functions that have one are not put into
 * others, so that what they leave on the stack ends with their own frame. */
void symbolic_stack(struct symbolic *symbolic, LLVMValueRef instruction) {
    LLVMValueRef count = LLVMGetOperand(instruction, 0), shadow = symbolic_shadow(symbolic, count);
    if (LLVMIsConstant(count) || symbolic_is_zero(shadow))
        return;
    if (LLVMTypeOf(count) != symbolic->i64) {
        symbolic_fix(symbolic, count);
        return;
    }
    uint64_t bytes = LLVMABISizeOfType(symbolic->layout, LLVMGetAllocatedType(instruction));
    LLVMValueRef element = symbolic_long(symbolic, bytes ? bytes : 1);
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    LLVMPositionBuilderBefore(symbolic->builder, instruction);
    LLVMValueRef room = symbolic_hook(symbolic, HOOK_STACK_ROOM, count, shadow, element);
    LLVMSetOperand(instruction, 0, room);
    LLVMPositionBuilderBefore(symbolic->builder, next);
    symbolic_hook(symbolic, HOOK_OPEN_STACK, instruction, count, shadow, element, room);
    symbolic->has_stack = true;
    LLVMAddAttributeAtIndex(symbolic->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(symbolic->context,
                                                    LLVMGetEnumAttributeKindForName("noinline", 8),
                                                    0));
}

/* Before the function returns. */
void symbolic_release_stack(struct symbolic *symbolic) {
    unsigned id = LLVMLookupIntrinsicID("llvm.frameaddress", 17);
    if (!symbolic->has_stack)
        return;
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(symbolic->module, id, &symbolic->pointer, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(symbolic->context, id, &symbolic->pointer, 1);
    LLVMValueRef frame = LLVMBuildCall2(symbolic->builder, type, function, &symbolic->zero, 1, "");
    symbolic_hook(symbolic, HOOK_RELEASE_STACK, frame);
}
