/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for types, attributes, metadata and constants (content.c).
 */
#include "instrument/telling.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

void instrument_tell(struct telling *telling, uint64_t word) {
    base_push(&telling->to->words, word);
}

void instrument_tell_bytes(struct telling *telling, const char *bytes, size_t count) {
    instrument_tell(telling, count);
    for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < sizeof word ? count - at : sizeof word);
        instrument_tell(telling, word);
    }
}

void instrument_tell_text(struct telling *telling, const char *text) {
    instrument_tell_bytes(telling, text ? text : "", text ? strlen(text) : 0);
}

void instrument_be_unusual(struct telling *telling) {
    telling->to->is_unusual = true;
}

bool instrument_is_told(struct telling *telling, const void *thing) {
    uintptr_t place;
    if (instrument_map_get(telling->places, thing, &place)) {
        instrument_tell(telling, MARK_KNOWN);
        instrument_tell(telling, place);
        return true;
    }
    instrument_map_set(telling->places, thing, telling->count++);
    instrument_tell(telling, MARK_NEW);
    return false;
}

static unsigned first_free_kind(void) {
    LLVMContextRef context = LLVMContextCreate();
    unsigned kind = LLVMGetMDKindIDInContext(context, "slowpath", 8);
    LLVMContextDispose(context);
    return kind;
}

struct telling instrument_begin_telling(LLVMModuleRef module, struct instrument_content *content) {
    static unsigned kind_limit;
    if (!kind_limit)
        kind_limit = first_free_kind();
    return (struct telling){.to = content,
                            .places = instrument_map_new(),
                            .context = LLVMGetModuleContext(module),
                            .kind_limit = kind_limit};
}

void instrument_end_telling(struct telling *telling) {
    instrument_map_free(telling->places);
}

/* ---- types ---- */

static void tell_types(struct telling *telling, unsigned count,
                       void (*get)(LLVMTypeRef, LLVMTypeRef *), LLVMTypeRef of) {
    LLVMTypeRef *types = base_alloc(count * sizeof *types);
    instrument_tell(telling, count);
    get(of, types);
    for (unsigned i = 0; i < count; i++)
        instrument_tell_type(telling, types[i]);
    free(types);
}

static void tell_struct(struct telling *telling, LLVMTypeRef type) {
    instrument_tell(telling, (uint64_t)LLVMIsPackedStruct(type));
    instrument_tell(telling, (uint64_t)LLVMIsOpaqueStruct(type));
    if (!LLVMIsOpaqueStruct(type))
        tell_types(telling, LLVMCountStructElementTypes(type), LLVMGetStructElementTypes, type);
}

static void tell_function_type(struct telling *telling, LLVMTypeRef type) {
    instrument_tell(telling, (uint64_t)LLVMIsFunctionVarArg(type));
    instrument_tell_type(telling, LLVMGetReturnType(type));
    tell_types(telling, LLVMCountParamTypes(type), LLVMGetParamTypes, type);
}

void instrument_tell_type(struct telling *telling, LLVMTypeRef type) {
    if (instrument_is_told(telling, type))
        return;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    instrument_tell(telling, kind);
    switch (kind) {
    case LLVMIntegerTypeKind:
        instrument_tell(telling, LLVMGetIntTypeWidth(type));
        break;
    case LLVMPointerTypeKind:
        instrument_tell(telling, LLVMGetPointerAddressSpace(type));
        break;
    case LLVMArrayTypeKind:
        instrument_tell(telling, LLVMGetArrayLength2(type));
        instrument_tell_type(telling, LLVMGetElementType(type));
        break;
    case LLVMVectorTypeKind:
    case LLVMScalableVectorTypeKind:
        instrument_tell(telling, LLVMGetVectorSize(type));
        instrument_tell_type(telling, LLVMGetElementType(type));
        break;
    case LLVMStructTypeKind:
        tell_struct(telling, type);
        break;
    case LLVMFunctionTypeKind:
        tell_function_type(telling, type);
        break;
    case LLVMTargetExtTypeKind:
        instrument_be_unusual(telling);
        break;
    default: /* is all there is to say */
        break;
    }
}

/* ---- attributes ---- */

/* For what an attribute says, C has no question; but what has it can be printed. */
static void tell_printed_attribute(struct telling *telling, LLVMAttributeRef attribute) {
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("", telling->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(telling->context), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(module, "f", type);
    LLVMAddAttributeAtIndex(function, LLVMAttributeReturnIndex, attribute);
    char *text = LLVMPrintValueToString(function);
    instrument_tell_text(telling, text);
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
}

static void tell_attribute(struct telling *telling, LLVMAttributeRef attribute) {
    unsigned length;
    if (instrument_is_told(telling, attribute))
        return;
    if (LLVMIsStringAttribute(attribute)) {
        const char *text = LLVMGetStringAttributeKind(attribute, &length);
        instrument_tell_bytes(telling, text, length);
        text = LLVMGetStringAttributeValue(attribute, &length);
        instrument_tell_bytes(telling, text, length);
    } else if (LLVMIsTypeAttribute(attribute)) {
        instrument_tell(telling, LLVMGetEnumAttributeKind(attribute));
        instrument_tell_type(telling, LLVMGetTypeAttributeValue(attribute));
    } else if (LLVMIsEnumAttribute(attribute)) {
        instrument_tell(telling, LLVMGetEnumAttributeKind(attribute));
        instrument_tell(telling, LLVMGetEnumAttributeValue(attribute));
    } else {
        tell_printed_attribute(telling, attribute);
    }
}

void instrument_tell_attributes(struct telling *telling, LLVMValueRef value, unsigned parameters) {
    bool is_function = LLVMIsAFunction(value) != NULL;
    for (unsigned i = 0; i <= parameters + 1; i++) {
        LLVMAttributeIndex index =
            i > parameters ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        unsigned count = is_function ? LLVMGetAttributeCountAtIndex(value, index)
                                     : LLVMGetCallSiteAttributeCount(value, index);
        instrument_tell(telling, count);
        if (!count)
            continue;
        LLVMAttributeRef *attributes = base_alloc(count * sizeof *attributes);
        if (is_function)
            LLVMGetAttributesAtIndex(value, index, attributes);
        else
            LLVMGetCallSiteAttributes(value, index, attributes);
        for (unsigned a = 0; a < count; a++)
            tell_attribute(telling, attributes[a]);
        free(attributes);
    }
}

/* ---- metadata ---- */

static void tell_tuple(struct telling *telling, LLVMValueRef tuple) {
    unsigned count = LLVMGetMDNodeNumOperands(tuple);
    LLVMValueRef *operands = base_alloc(count * sizeof *operands);
    LLVMGetMDNodeOperands(tuple, operands);
    instrument_tell(telling, count);
    for (unsigned i = 0; i < count; i++) {
        if (!operands[i])
            instrument_tell(telling, MARK_NONE);
        else
            instrument_tell_value(telling, operands[i]);
    }
    free(operands);
}

static void tell_metadata(struct telling *telling, LLVMMetadataRef metadata) {
    unsigned length;
    if (instrument_is_told(telling, metadata))
        return;
    LLVMMetadataKind kind = LLVMGetMetadataKind(metadata);
    instrument_tell(telling, kind);
    LLVMValueRef value = LLVMMetadataAsValue(telling->context, metadata);
    if (kind == LLVMMDStringMetadataKind) {
        const char *text = LLVMGetMDString(value, &length);
        instrument_tell_bytes(telling, text, length);
    } else if (kind == LLVMMDTupleMetadataKind || kind == LLVMConstantAsMetadataMetadataKind) {
        tell_tuple(telling, value);
    } else {
        instrument_be_unusual(telling);
    }
}

void instrument_tell_attached(struct telling *telling, LLVMValueMetadataEntry *entries,
                              size_t count) {
    instrument_tell(telling, count);
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
        instrument_tell(telling, kind);
        if (kind >= telling->kind_limit)
            instrument_be_unusual(telling);
        else if (kind) /* 0 is the debug information, see there */
            tell_metadata(telling, LLVMValueMetadataEntriesGetMetadata(entries, i));
    }
    LLVMDisposeValueMetadataEntries(entries);
}

/* ---- constants ---- */

static void tell_printed(struct telling *telling, LLVMValueRef value) {
    char *text = LLVMPrintValueToString(value);
    instrument_tell_text(telling, text);
    LLVMDisposeMessage(text);
}

static void tell_operands(struct telling *telling, LLVMValueRef value) {
    int count = LLVMGetNumOperands(value);
    instrument_tell(telling, (uint64_t)count);
    for (int i = 0; i < count; i++)
        instrument_tell_value(telling, LLVMGetOperand(value, (unsigned)i));
}

static void tell_global(struct telling *telling, LLVMValueRef global) {
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    if (!length)
        instrument_be_unusual(telling);
    instrument_tell_bytes(telling, name, length);
    base_push(&telling->to->references, global);
}

/* The text has its flags, but of a type no more than the name. */
static void tell_expression(struct telling *telling, LLVMValueRef expression) {
    LLVMOpcode opcode = LLVMGetConstOpcode(expression);
    instrument_tell(telling, opcode);
    tell_printed(telling, expression);
    if (opcode == LLVMGetElementPtr)
        instrument_tell_type(telling, LLVMGetGEPSourceElementType(expression));
    tell_operands(telling, expression);
}

static void tell_assembler(struct telling *telling, LLVMValueRef assembler) {
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(assembler, &length);
    instrument_tell_bytes(telling, text, length);
    text = LLVMGetInlineAsmConstraintString(assembler, &length);
    instrument_tell_bytes(telling, text, length);
    instrument_tell_type(telling, LLVMGetInlineAsmFunctionType(assembler));
    instrument_tell(telling, LLVMGetInlineAsmDialect(assembler));
    instrument_tell(telling, (uint64_t)LLVMGetInlineAsmHasSideEffects(assembler));
    instrument_tell(telling, (uint64_t)LLVMGetInlineAsmNeedsAlignedStack(assembler));
    instrument_tell(telling, (uint64_t)LLVMGetInlineAsmCanUnwind(assembler));
}

static void tell_integer(struct telling *telling, LLVMValueRef value) {
    if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        instrument_tell(telling, LLVMConstIntGetZExtValue(value));
    else
        tell_printed(telling, value);
}

static void tell_constant(struct telling *telling, LLVMValueRef value, LLVMValueKind kind) {
    instrument_tell_type(telling, LLVMTypeOf(value));
    switch (kind) {
    case LLVMConstantIntValueKind:
        tell_integer(telling, value);
        break;
    case LLVMConstantFPValueKind:
    case LLVMConstantDataArrayValueKind:
    case LLVMConstantDataVectorValueKind:
        tell_printed(telling, value);
        break;
    case LLVMConstantArrayValueKind:
    case LLVMConstantStructValueKind:
    case LLVMConstantVectorValueKind:
        tell_operands(telling, value);
        break;
    case LLVMConstantExprValueKind:
        tell_expression(telling, value);
        break;
    case LLVMUndefValueValueKind:
    case LLVMPoisonValueValueKind:
    case LLVMConstantAggregateZeroValueKind:
    case LLVMConstantPointerNullValueKind:
    case LLVMConstantTokenNoneValueKind:
        break;
    default: /* an argument or the like has been told before */
        instrument_be_unusual(telling);
    }
}

void instrument_tell_value(struct telling *telling, LLVMValueRef value) {
    if (instrument_is_told(telling, value))
        return;
    LLVMValueKind kind = LLVMGetValueKind(value);
    instrument_tell(telling, kind);
    if (kind == LLVMFunctionValueKind || kind == LLVMGlobalVariableValueKind)
        tell_global(telling, value);
    else if (kind == LLVMInlineAsmValueKind)
        tell_assembler(telling, value);
    else if (kind == LLVMMetadataAsValueValueKind)
        tell_metadata(telling, LLVMValueAsMetadata(value));
    else
        tell_constant(telling, value, kind);
}
