/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a parameter? Its uses are followed through casts, choices and address
 * computations inside the function, and through calls by what is known about the callee; that is
 * repeated until nothing new turns up. Values that are stored and loaded again are not followed.
 */
#include "ir/roles.h"

#include "ir/module.h"
#include "ir/pointers.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 8                /* calls through so many functions are seen through */
#define FRESH_STEPS 16          /* choices and casts on the way from an allocation to a return */
#define FOLLOWED ((size_t)4096) /* values that one parameter may become */

/* What the C library does with its arguments. */
struct known {
    const char *name;
    int text[2];          /* arguments that are texts; -1: none */
    int memory[2], bytes; /* ... that are memory, and the one that is its size */
    int amount;           /* ... that is asked for */
    bool is_fresh, frees; /* result; argument 0 */
};

static const struct known known_functions[] = {
    {"malloc", {-1, -1}, {-1, -1}, -1, 0, true, false},
    {"calloc", {-1, -1}, {-1, -1}, -1, 0, true, false},
    {"realloc", {-1, -1}, {-1, -1}, -1, 1, true, true},
    {"reallocarray", {-1, -1}, {-1, -1}, -1, 1, true, true},
    {"aligned_alloc", {-1, -1}, {-1, -1}, -1, 1, true, false},
    {"strdup", {0, -1}, {-1, -1}, -1, -1, true, false},
    {"strndup", {0, -1}, {-1, -1}, -1, -1, true, false},
    {"free", {-1, -1}, {-1, -1}, -1, -1, false, true},
    {"strlen", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"strcmp", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strcasecmp", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strcoll", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strncmp", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strstr", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strchr", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"strrchr", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"strspn", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strcspn", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strpbrk", {0, 1}, {-1, -1}, -1, -1, false, false},
    {"strcpy", {1, -1}, {-1, -1}, -1, -1, false, false},
    {"strcat", {1, -1}, {-1, -1}, -1, -1, false, false},
    {"strtol", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"strtod", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"atoi", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"puts", {0, -1}, {-1, -1}, -1, -1, false, false},
    {"memcpy", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"memmove", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"memcmp", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"bcmp", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"memset", {-1, -1}, {0, -1}, 2, -1, false, false},
    {"memchr", {-1, -1}, {0, -1}, 2, -1, false, false},
    {"qsort", {-1, -1}, {0, -1}, 1, -1, false, false},
    {"llvm.memcpy", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"llvm.memmove", {-1, -1}, {0, 1}, 2, -1, false, false},
    {"llvm.memset", {-1, -1}, {0, -1}, 2, -1, false, false},
};

static const struct known *find_known(const char *name) {
    size_t length = strncmp(name, "llvm.", 5) == 0 ? strcspn(name + 5, ".") + 5 : strlen(name);
    for (size_t i = 0; i < BASE_COUNT(known_functions); i++)
        if (strlen(known_functions[i].name) == length &&
            memcmp(known_functions[i].name, name, length) == 0)
            return &known_functions[i];
    return NULL;
}

#define MOST_HOOKS 8

struct finder {
    struct ir_all_roles *all;
    struct ir_pointers numbers; /* of functions in ALL */
    LLVMValueRef
        hooks[MOST_HOOKS]; /* known functions that a variable holds, to be called through */
    size_t hook_count;
    BASE_VECTOR(LLVMValueRef) taken; /* functions whose address is taken */
    bool has_changed;
};

/* All values that a parameter becomes. */
struct flow {
    BASE_VECTOR(LLVMValueRef) values;
    BASE_VECTOR(bool) is_exact; /* the same number or address, not one computed from it */
    struct ir_pointers seen;
};

static void flow_add(struct flow *flow, LLVMValueRef value, bool is_exact) {
    if (ir_pointers_get(&flow->seen, value) != IR_POINTERS_NONE || flow->values.count == FOLLOWED)
        return;
    ir_pointers_set(&flow->seen, value, (uint32_t)flow->values.count);
    base_push(&flow->values, value);
    base_push(&flow->is_exact, is_exact);
}

static void flow_done(struct flow *flow) {
    base_vector_done(&flow->values);
    base_vector_done(&flow->is_exact);
    ir_pointers_done(&flow->seen);
}

static bool flow_has(const struct flow *flow, LLVMValueRef value) {
    return ir_pointers_get(&flow->seen, value) != IR_POINTERS_NONE;
}

static bool flow_is_exact(const struct flow *flow, LLVMValueRef value) {
    uint32_t at = ir_pointers_get(&flow->seen, value);
    return at != IR_POINTERS_NONE && flow->is_exact.data[at];
}

static bool has_zero_offset(LLVMValueRef address) {
    for (int i = 1; i < LLVMGetNumOperands(address); i++) {
        LLVMValueRef index = LLVMGetOperand(address, (unsigned)i);
        if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index))
            return false;
    }
    return true;
}

static void follow_use(struct flow *flow, LLVMValueRef value, LLVMValueRef user, bool is_exact) {
    if (!LLVMIsAInstruction(user))
        return;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMPHI:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        flow_add(flow, user, is_exact);
        break;
    case LLVMGetElementPtr:
        if (LLVMGetOperand(user, 0) == value)
            flow_add(flow, user, is_exact && has_zero_offset(user));
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMUDiv:
    case LLVMLShr:
        flow_add(flow, user, false);
        break;
    default:
        break;
    }
}

static void flow_init(struct flow *flow, LLVMValueRef parameter) {
    *flow = (struct flow){0};
    flow_add(flow, parameter, true);
    for (size_t i = 0; i < flow->values.count; i++) {
        LLVMValueRef value = flow->values.data[i];
        for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
            follow_use(flow, value, LLVMGetUser(use), flow->is_exact.data[i]);
    }
}

/* ---- what is fresh? ---- */

/* A call through a variable is one of malloc if some variable begins as malloc and the types fit:
 * libraries let their users replace the allocator. */
static const struct known *known_hook(const struct finder *finder, LLVMValueRef call) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    size_t length;
    for (size_t i = 0; i < finder->hook_count; i++)
        if (LLVMGlobalGetValueType(finder->hooks[i]) == type)
            return find_known(LLVMGetValueName2(finder->hooks[i], &length));
    return NULL;
}

static const struct known *known_callee(const struct finder *finder, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    if (!callee || !LLVMIsAFunction(callee))
        return known_hook(finder, call);
    return find_known(LLVMGetValueName2(callee, &length));
}

static struct ir_function_roles *callee_roles(const struct finder *finder, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    uint32_t number = callee ? ir_pointers_get(&finder->numbers, callee) : IR_POINTERS_NONE;
    return number == IR_POINTERS_NONE ? NULL : &finder->all->data[number];
}

static bool is_fresh_call(const struct finder *finder, LLVMValueRef call) {
    const struct ir_function_roles *roles = callee_roles(finder, call);
    const struct known *known = known_callee(finder, call);
    return (roles && roles->returns_new) || (known && known->is_fresh);
}

/* Is it a fresh object on some way? Null counts as none. */
static bool is_fresh(const struct finder *finder, LLVMValueRef value, unsigned steps) {
    if (!steps || !LLVMIsAInstruction(value))
        return false;
    unsigned first = 0, count = (unsigned)LLVMGetNumOperands(value);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMCall:
        return is_fresh_call(finder, value);
    case LLVMPHI:
    case LLVMBitCast:
        break;
    case LLVMSelect:
        first = 1;
        break;
    default:
        return false;
    }
    for (unsigned i = first; i < count; i++)
        if (is_fresh(finder, LLVMGetOperand(value, i), steps - 1))
            return true;
    return false;
}

/* ---- one use after the other ---- */

struct context {
    struct finder *finder;
    struct ir_function_roles *function;
    struct flow *flows; /* of all its parameters */
};

static void add_roles(struct context *context, uint32_t parameter, uint32_t roles) {
    struct ir_parameter_roles *known = &context->function->parameters[parameter];
    if ((known->roles & roles) == roles)
        return;
    known->roles |= roles;
    context->finder->has_changed = true;
}

static void set_length(struct context *context, uint32_t number, uint32_t pointer) {
    struct ir_parameter_roles *known = &context->function->parameters[number];
    if (known->length_of != IR_NONE || number == pointer)
        return;
    known->length_of = pointer;
    context->finder->has_changed = true;
}

static bool is_pointer(LLVMValueRef value) {
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* The number of the parameter that VALUE comes from, a pointer or a number as asked. */
static uint32_t origin(const struct context *context, LLVMValueRef value, bool wants_pointer) {
    for (uint32_t i = 0; i < context->function->count; i++)
        if (is_pointer(context->flows[i].values.data[0]) == wants_pointer &&
            flow_has(&context->flows[i], value))
            return i;
    return IR_NONE;
}

static void pair_up(struct context *context, LLVMValueRef memory, LLVMValueRef bytes) {
    uint32_t pointer = origin(context, memory, true), number = origin(context, bytes, false);
    if (pointer != IR_NONE && number != IR_NONE)
        set_length(context, number, pointer);
}

static void apply_known(struct context *context, uint32_t parameter, LLVMValueRef call,
                        unsigned argument, const struct known *known, bool is_exact) {
    int at = (int)argument;
    if (known->frees && at == 0 && is_exact)
        add_roles(context, parameter, IR_ROLE_FREED);
    if (at == known->text[0] || at == known->text[1])
        add_roles(context, parameter, IR_ROLE_TEXT | IR_ROLE_READ);
    if (at == known->amount || (at == 0 && strcmp(known->name, "calloc") == 0) ||
        (at == 1 && strcmp(known->name, "calloc") == 0))
        add_roles(context, parameter, IR_ROLE_AMOUNT);
    if (at != known->memory[0] && at != known->memory[1])
        return;
    bool is_written = at == 0 && !strstr(known->name, "cmp") && !strstr(known->name, "chr");
    add_roles(context, parameter, is_written ? IR_ROLE_WRITTEN : IR_ROLE_READ);
    pair_up(context, LLVMGetOperand(call, argument), LLVMGetOperand(call, (unsigned)known->bytes));
}

static void apply_callee(struct context *context, uint32_t parameter, LLVMValueRef call,
                         unsigned argument, const struct ir_function_roles *callee, bool is_exact) {
    if (argument >= callee->count)
        return;
    const struct ir_parameter_roles *theirs = &callee->parameters[argument];
    uint32_t exact =
        IR_ROLE_FREED | IR_ROLE_FREED_BEHIND | IR_ROLE_FILLED | IR_ROLE_KEPT | IR_ROLE_CALLED;
    add_roles(context, parameter, is_exact ? theirs->roles : theirs->roles & ~exact);
    if (theirs->length_of != IR_NONE && theirs->length_of < LLVMGetNumArgOperands(call))
        pair_up(context, LLVMGetOperand(call, theirs->length_of), LLVMGetOperand(call, argument));
}

/* An object that calls a function which it holds itself, with itself: a method. It frees the object
 * if most of the functions that it can be do. */
static bool is_freed_by_method(const struct context *context, uint32_t parameter, LLVMValueRef call,
                               unsigned argument) {
    const struct finder *finder = context->finder;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    size_t count = 0, freeing = 0;
    if (!callee || !LLVMIsALoadInst(callee) ||
        !flow_has(&context->flows[parameter], LLVMGetOperand(callee, 0)))
        return false;
    for (size_t i = 0; i < finder->taken.count; i++) {
        LLVMValueRef function = finder->taken.data[i];
        if (LLVMGlobalGetValueType(function) != type)
            continue;
        const struct ir_function_roles *roles =
            &finder->all->data[ir_pointers_get(&finder->numbers, function)];
        count++;
        freeing +=
            argument < roles->count && (roles->parameters[argument].roles & IR_ROLE_FREED) != 0;
    }
    return 2 * freeing > count;
}

static void look_at_call(struct context *context, uint32_t parameter, LLVMValueRef value,
                         LLVMValueRef call, bool is_exact) {
    const struct ir_function_roles *callee = callee_roles(context->finder, call);
    const struct known *known = known_callee(context->finder, call);
    if (LLVMGetCalledValue(call) == value)
        add_roles(context, parameter, IR_ROLE_CALLED);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        if (LLVMGetOperand(call, i) != value)
            continue;
        if (known)
            apply_known(context, parameter, call, i, known, is_exact);
        else if (callee)
            apply_callee(context, parameter, call, i, callee, is_exact);
        else if (is_pointer(value)) {
            add_roles(context, parameter, IR_ROLE_READ);
            if (is_exact && is_freed_by_method(context, parameter, call, i))
                add_roles(context, parameter, IR_ROLE_FREED);
        }
    }
}

static LLVMValueRef strip(LLVMValueRef value) {
    while (LLVMIsAInstruction(value)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
        bool is_cast = opcode == LLVMSExt || opcode == LLVMZExt || opcode == LLVMTrunc;
        bool is_shift = (opcode == LLVMAdd || opcode == LLVMSub) &&
                        LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        if (!is_cast && !is_shift)
            break;
        value = LLVMGetOperand(value, 0);
    }
    return value;
}

static bool is_phi(LLVMValueRef value) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI;
}

/* Does some address behind the pointer have this index? */
static bool indexes(const struct flow *pointer, LLVMValueRef index) {
    for (size_t i = 0; i < pointer->values.count; i++) {
        LLVMValueRef address = pointer->values.data[i];
        if (!LLVMIsAInstruction(address) || LLVMGetInstructionOpcode(address) != LLVMGetElementPtr)
            continue;
        int count = LLVMGetNumOperands(address);
        if (strip(LLVMGetOperand(address, (unsigned)count - 1)) == index)
            return true;
    }
    return false;
}

static void note_constant(struct context *context, uint32_t parameter, LLVMValueRef constant) {
    struct ir_parameter_roles *known = &context->function->parameters[parameter];
    if (LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
        return;
    int64_t value = LLVMConstIntGetSExtValue(constant);
    for (uint32_t i = 0; i < known->constant_count; i++)
        if (known->constants[i] == value)
            return;
    if (known->constant_count < IR_ROLE_CONSTANTS)
        known->constants[known->constant_count++] = value;
}

static void look_at_comparison(struct context *context, uint32_t parameter, LLVMValueRef value,
                               LLVMValueRef comparison) {
    LLVMValueRef other = LLVMGetOperand(comparison, LLVMGetOperand(comparison, 0) == value);
    if (is_pointer(value))
        return;
    if (LLVMIsAConstantInt(other)) {
        if (flow_is_exact(&context->flows[parameter], value))
            note_constant(context, parameter, other);
        return;
    }
    other = strip(other);
    if (!is_phi(other))
        return;
    add_roles(context, parameter, IR_ROLE_BOUND);
    for (uint32_t i = 0; i < context->function->count; i++)
        if (is_pointer(context->flows[i].values.data[0]) && indexes(&context->flows[i], other))
            set_length(context, parameter, i);
}

/* A byte behind the pointer that is compared with zero ends a text. */
static bool ends_text(LLVMValueRef load) {
    LLVMTypeRef type = LLVMTypeOf(load);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 8)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAICmpInst(user))
            continue;
        LLVMValueRef other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == load);
        if (LLVMIsAConstantInt(other) && !LLVMConstIntGetZExtValue(other))
            return true;
    }
    return false;
}

static bool is_freed(const struct finder *finder, LLVMValueRef value) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetNumArgOperands(call) < 1)
            continue;
        const struct known *known = known_callee(finder, call);
        const struct ir_function_roles *callee = callee_roles(finder, call);
        for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
            if (LLVMGetOperand(call, i) == value &&
                ((known && known->frees && i == 0) ||
                 (callee && i < callee->count && (callee->parameters[i].roles & IR_ROLE_FREED))))
                return true;
    }
    return false;
}

static void look_at_load(struct context *context, uint32_t parameter, LLVMValueRef load,
                         bool is_exact) {
    add_roles(context, parameter, IR_ROLE_READ);
    if (ends_text(load))
        add_roles(context, parameter, IR_ROLE_TEXT);
    if (is_exact && is_pointer(load) && is_freed(context->finder, load))
        add_roles(context, parameter, IR_ROLE_FREED_BEHIND);
}

static void look_at_store(struct context *context, uint32_t parameter, LLVMValueRef value,
                          LLVMValueRef store, bool is_exact) {
    if (LLVMGetOperand(store, 0) == value && is_exact)
        add_roles(context, parameter, IR_ROLE_KEPT);
    if (LLVMGetOperand(store, 1) != value)
        return;
    add_roles(context, parameter, IR_ROLE_WRITTEN);
    if (is_exact && is_fresh(context->finder, LLVMGetOperand(store, 0), FRESH_STEPS))
        add_roles(context, parameter, IR_ROLE_FILLED);
}

static void look_at_address(struct context *context, uint32_t parameter, LLVMValueRef value,
                            LLVMValueRef address) {
    int count = LLVMGetNumOperands(address);
    LLVMValueRef index = LLVMGetOperand(address, (unsigned)count - 1);
    if (!is_pointer(value) || LLVMIsAConstantInt(index) || LLVMGetOperand(address, 0) != value)
        return;
    add_roles(context, parameter, IR_ROLE_INDEXED);
    uint32_t number = origin(context, index, false);
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
        if (number != IR_NONE && LLVMIsAICmpInst(LLVMGetUser(use)))
            set_length(context, number, parameter); /* the end of an array */
}

static void look_at_switch(struct context *context, uint32_t parameter, LLVMValueRef choice) {
    for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(choice); i += 2)
        if (LLVMIsAConstantInt(LLVMGetOperand(choice, i)))
            note_constant(context, parameter, LLVMGetOperand(choice, i));
}

static void look_at_use(struct context *context, uint32_t parameter, LLVMValueRef value,
                        LLVMValueRef user, bool is_exact) {
    if (!LLVMIsAInstruction(user))
        return;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMCall:
        look_at_call(context, parameter, value, user, is_exact);
        break;
    case LLVMLoad:
        look_at_load(context, parameter, user, is_exact);
        break;
    case LLVMStore:
        look_at_store(context, parameter, value, user, is_exact);
        break;
    case LLVMICmp:
        look_at_comparison(context, parameter, value, user);
        break;
    case LLVMGetElementPtr:
        look_at_address(context, parameter, value, user);
        break;
    case LLVMSwitch:
        look_at_switch(context, parameter, user);
        break;
    default:
        break;
    }
}

static void look_at_parameter(struct context *context, uint32_t parameter) {
    const struct flow *flow = &context->flows[parameter];
    for (size_t i = 0; i < flow->values.count; i++) {
        LLVMValueRef value = flow->values.data[i];
        for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
            look_at_use(context, parameter, value, LLVMGetUser(use), flow->is_exact.data[i]);
    }
}

static void look_at_returns(struct context *context, LLVMValueRef function) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        if (!last || LLVMGetInstructionOpcode(last) != LLVMRet || !LLVMGetNumOperands(last) ||
            context->function->returns_new || !is_pointer(LLVMGetOperand(last, 0)) ||
            !is_fresh(context->finder, LLVMGetOperand(last, 0), FRESH_STEPS))
            continue;
        context->function->returns_new = true;
        context->finder->has_changed = true;
    }
}

static void look_at_function(struct finder *finder, LLVMValueRef function,
                             struct ir_function_roles *roles) {
    struct flow flows[IR_ROLE_PARAMETERS] = {0};
    struct context context = {finder, roles, flows};
    for (uint32_t i = 0; i < roles->count; i++)
        flow_init(&flows[i], LLVMGetParam(function, i));
    for (uint32_t i = 0; i < roles->count; i++)
        look_at_parameter(&context, i);
    look_at_returns(&context, function);
    for (uint32_t i = 0; i < roles->count; i++)
        flow_done(&flows[i]);
}

/* ---- the whole module ---- */

static void add_function(struct finder *finder, LLVMValueRef function) {
    size_t length;
    struct ir_function_roles roles = {.name = base_strdup(LLVMGetValueName2(function, &length))};
    roles.count = LLVMCountParams(function);
    if (roles.count > IR_ROLE_PARAMETERS)
        roles.count = IR_ROLE_PARAMETERS;
    for (uint32_t i = 0; i < roles.count; i++)
        roles.parameters[i].length_of = IR_NONE;
    ir_pointers_set(&finder->numbers, function, (uint32_t)finder->all->count);
    base_push(finder->all, roles);
}

static bool is_taken(LLVMValueRef function) {
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
            return true;
    }
    return false;
}

static bool is_in_variable(LLVMValueRef function) {
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (LLVMIsAConstant(LLVMGetUser(use)))
            return true;
    return false;
}

static void find_hooks(struct finder *finder, const struct ir_module *module) {
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f)) {
        const struct known *known = find_known(LLVMGetValueName2(f, &length));
        if (LLVMIsDeclaration(f) && known && (known->is_fresh || known->frees) &&
            finder->hook_count < MOST_HOOKS && is_in_variable(f))
            finder->hooks[finder->hook_count++] = f;
    }
}

void ir_roles_make(const struct ir_module *module, struct ir_all_roles *all) {
    struct finder finder = {.all = all, .has_changed = true};
    find_hooks(&finder, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            add_function(&finder, f);
            if (is_taken(f))
                base_push(&finder.taken, f);
        }
    for (unsigned round = 0; round < ROUNDS && finder.has_changed; round++) {
        finder.has_changed = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f))
                look_at_function(&finder, f, &all->data[ir_pointers_get(&finder.numbers, f)]);
    }
    base_vector_done(&finder.taken);
    ir_pointers_done(&finder.numbers);
}
