#ifndef CFI_CFI_H
#define CFI_CFI_H

/*
 * Call frame information: where a caller's registers are, at each address of an object. Whole tables
 * of short rows, single rows for objects of which little is asked, and whole steps for what rows cannot say.
 */
#include "cfi/frame.h"
#include "cfi/frame_pointers.h"
#include "cfi/functions.h"
#include "cfi/unwind_rule.h"
#include "cfi/unwind_single.h"

#endif
