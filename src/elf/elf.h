#ifndef ELF_ELF_H
#define ELF_ELF_H

/*
 * ELF files that nobody trusts: an object with its segments and sections, packed ones unpacked; its
 * symbols; where code lies in it, begins, and calls; and what the machines are that code is for.
 */
#include "elf/call_code.h"
#include "elf/code_range.h"
#include "elf/exports.h"
#include "elf/go_table.h"
#include "elf/inflate.h"
#include "elf/linkage.h"
#include "elf/machine.h"
#include "elf/machine_code.h"
#include "elf/object.h"
#include "elf/packed_object.h"
#include "elf/probe_offset.h"
#include "elf/section.h"
#include "elf/starts.h"
#include "elf/symtab.h"

#endif
