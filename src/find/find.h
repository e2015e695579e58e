#ifndef FIND_FIND_H
#define FIND_FIND_H

/*
 * Where files are: objects, debug files and kernels, by what a recording says of them.
 */
#include "find/debuginfod.h"
#include "find/kernel.h"
#include "find/kernel_id.h"
#include "find/object.h"
#include "find/process_file.h"
#include "find/search_dirs.h"

#endif
