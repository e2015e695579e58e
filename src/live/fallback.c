/*
 * What can be done without depends on the errno of perf_event_open(2). One thing is taken away
 * in each call, until the kernel takes the event or nothing is left. The kernel does not say
 * what it refuses: EINVAL is a field it does not know, E2BIG a larger struct with something in what it
 * does not know (perf_copy_attr() in kernel/events/core.c), so fields are taken away newest first, by the kernel versions of include/uapi/linux/perf_event.h. EACCES means
 * the user's rights, ENOENT a counter that is not there.
 */
#include "live/fallback.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live/rings/lost.h"

/* What older kernels do not know, the newest first: EINVAL. */
static bool drop_newest_field(struct perf_event_attr *attr)
{
	if (attr->read_format & PERF_FORMAT_LOST) /* 6.0 */
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (attr->build_id) /* 5.12 */
		attr->build_id = 0;
	else if (attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP) { /* 5.7 */
		attr->cgroup = 0;
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
	} else if (attr->bpf_event) /* 5.1 */
		attr->bpf_event = 0;
	else if (attr->ksymbol) /* 5.1 */
		attr->ksymbol = 0;
	else if (attr->namespaces) /* 4.12 */
		attr->namespaces = 0;
	else if (attr->sample_max_stack) /* 4.8 */
		attr->sample_max_stack = 0;
	else if (attr->use_clockid) { /* 4.1 */
		attr->use_clockid = 0;
		attr->clockid = 0;
	} else if (attr->exclude_guest) /* not with each counter */
		attr->exclude_guest = 0;
	else
		return false;
	return true;
}

static bool less_precise(struct live_event *e)
{
	if (!e->precise_most || !e->attr.precise_ip)
		return false;
	e->attr.precise_ip--;
	return true;
}

/* Less that needs rights: first no namespaces, which are not for everybody to see, then no
 * kernel. The name then has "u" among its modifiers: "cycles:u", "cycles:Pu", "cpu/cycles/u". */
static bool user_only(struct context *ctx, struct fallback *f, struct live_event *e)
{
	struct perf_event_attr *attr = &e->attr;
	const char *colon;
	char made[700], *name = NULL;
	bool modified;
	int size;

	if (attr->namespaces && !f->permission->perfmon) {
		attr->namespaces = 0;
		return true;
	}
	/* Who may sample whole processors may sample the kernel. */
	if (attr->exclude_kernel || attr->exclude_user || e->mode_given ||
	    f->target->who == FF_RECORD_SYSTEM || f->target->who == FF_RECORD_CGROUP)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	colon = strrchr(e->name, ':');
	modified = strchr(e->name, '/') ||
		   (colon && strspn(colon + 1, "GHpPIDe") == strlen(colon + 1));
	size = snprintf(made, sizeof(made), "%s%su", e->name, modified ? "" : ":");
	/* Without memory it keeps its name. */
	if (size > 0 && (size_t)size < sizeof(made))
		name = arena_text(f->arena, made, (size_t)size);
	if (name)
		e->name = name;
	if (!f->said_user_only && f->permission->paranoid >= 2)
		warn(ctx,
		     "the kernel may not be sampled (kernel.perf_event_paranoid is %d): "
		     "user space only; 'sudo sysctl kernel.perf_event_paranoid=1'%s "
		     "allows it",
		     f->permission->paranoid,
		     f->permission->sysctl_elsewhere ? " on the host of this container"
						     : "");
	else if (!f->said_user_only)
		warn(ctx, "the kernel may not be sampled: user space only");
	f->said_user_only = true;
	return true;
}

/* "cycles:u" to "cpu-clock:u". */
static bool clock_for_cycles(struct context *ctx, struct fallback *f,
			     struct live_event *e)
{
	struct perf_event_attr *attr = &e->attr;
	const char *colon = strrchr(e->name, ':');
	char made[64];
	char *name;

	/* The high half says which kind of processor. By time instead of cycles a ratio is another one. */
	if (e->group != GROUP_NONE || attr->type != PERF_TYPE_HARDWARE ||
	    (uint32_t)attr->config != PERF_COUNT_HW_CPU_CYCLES ||
	    attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return false;
	if (!f->said_no_counter)
		warn(ctx,
		     "this machine has no counter for '%s', as most virtual ones: "
		     "sampling "
		     "cpu-clock instead, processor time in ns",
		     e->name);
	f->said_no_counter = true;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->precise_ip = 0;
	attr->pinned = attr->exclusive = 0;
	snprintf(made, sizeof(made), "cpu-clock%.32s",
		 attr->exclude_kernel && !attr->exclude_user   ? ":u"
		 : attr->exclude_user && !attr->exclude_kernel ? ":k"
		 : colon && e->mode_given		       ? colon
							       : "");
	name = arena_text(f->arena, made, strlen(made));
	if (name)
		e->name = name;
	return true;
}

bool fallback_next(struct context *ctx, struct fallback *f, struct live_event *e, int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return user_only(ctx, f, e);
	case EINVAL:
	case E2BIG:
		/* Either may be what the kernel refuses. Precision that was only wished
		 * for goes first. */
		return less_precise(e) || drop_newest_field(&e->attr);
	case EOPNOTSUPP:
		return less_precise(e) || clock_for_cycles(ctx, f, e);
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return clock_for_cycles(ctx, f, e);
	default:
		return false;
	}
}
