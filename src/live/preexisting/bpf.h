#ifndef LIVE_PREEXISTING_BPF_H
#define LIVE_PREEXISTING_BPF_H

#include "base/bytes.h"

/*
 * BPF programs that are loaded, as KSYMBOL and BPF_EVENT records, named as the kernel names
 * them: "bpf_prog_TAG_NAME". Nothing for callers who may not see them. 0, or -ENOMEM.
 */
int preexisting_bpf_read(struct bytes *to);

#endif
