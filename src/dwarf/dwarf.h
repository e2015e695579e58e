#ifndef DWARF_DWARF_H
#define DWARF_DWARF_H

/*
 * Debug information: which functions were inlined at an address, source lines, and names of functions;
 * with as much work as the size of an object allows.
 */
#include "dwarf/handle.h"
#include "dwarf/inlines.h"

#endif
