/*
 * Where the value of a name comes from: from the event's fields, or from the sample itself. A probe on a
 * function has arguments and a return value, arg1 to arg6 and ret, by the calling convention:
 *
 *	uprobe of ours        registers of the sample	x86-64: di si dx cx r8 r9, ax
 *						aarch64: x0 to x5, x0
 *	probe of perf probe   fields, by their order	"malloc bytes=%di": bytes is arg1
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weight/pairing.h"

/* What a sample says itself, where its event has no field of that name. */
enum pair_own {
	OWN_TID,
	OWN_PID,
	OWN_CPU,
	OWN_PERIOD,
	OWN_ARG1,
	OWN_ARG6 = OWN_ARG1 + 5,
	OWN_RET,
	OWNS
};
static const char *const own_names[OWNS] = {
	[OWN_TID] = "tid",
	[OWN_PID] = "pid",
	[OWN_CPU] = "cpu",
	[OWN_PERIOD] = "period",
	[OWN_ARG1] = "arg1",
	"arg2",
	"arg3",
	"arg4",
	"arg5",
	"arg6",
	[OWN_RET] = "ret",
};

/* By the kernel's numbers of registers (asm/perf_regs.h), from OWN_ARG1 on. */
static const uint8_t registers_x86_64[] = { 5, 4, 3, 2, 16, 17, 0 };
static const uint8_t registers_aarch64[] = { 0, 1, 2, 3, 4, 5, 0 };

/* NULL: it is not known which. */
static const uint8_t *registers_of(const char *arch)
{
#ifdef __aarch64__
	if (!*arch)
		return registers_aarch64;
#endif
	if (strcmp(arch, "aarch64") == 0 || strcmp(arch, "arm64") == 0)
		return registers_aarch64;
	return !*arch || strcmp(arch, "x86_64") == 0 ? registers_x86_64 : NULL;
}

/* The fields of a probe behind those that tell where it is: arg1 is the first one. NULL: it is none of
 * a probe, or has not so many. */
static const struct event_field *probe_argument(const struct event_format *format,
						uint8_t own)
{
	bool returns = event_format_find(format, "__probe_ret_ip") != NULL;
	size_t wanted = own == OWN_RET ? 0 : (size_t)(own - OWN_ARG1);

	if (returns != (own == OWN_RET) ||
	    !event_format_find(format, returns ? "__probe_func" : "__probe_ip"))
		return NULL;
	for (uint32_t i = 0; i < format->count; i++) {
		const struct event_field *f = &format->fields[i];

		if (strncmp(f->name, "common_", 7) == 0 ||
		    strncmp(f->name, "__probe_", 8) == 0)
			continue;
		if (wanted-- == 0)
			return f;
	}
	return NULL;
}

int pair_source_find(struct context *ctx, const struct pair_sources *of, const char *name,
		     struct pair_source *ret)
{
	const struct event *event = of->event;
	const char *event_name = intern_text(of->strings, event->name);
	/* Those of a user's function at its first instruction, so of a uprobe: that is of a type
	 * that the kernel has given out. Others, as a kprobe's, are those of a system call. */
	bool has_registers = event->sample_type & PERF_SAMPLE_REGS_USER &&
			     event->type >= PERF_TYPE_MAX;
	const char *arch = of->rec->arch ? intern_text(of->strings, of->rec->arch) : "";
	const uint8_t *registers = registers_of(arch);
	struct pair_source source = { .field = event_format_find(of->format, name),
				      .own = OWNS };

	for (uint8_t i = 0; !source.field && i < OWNS; i++)
		if (strcmp(name, own_names[i]) == 0)
			source.own = i;
	if (source.own >= OWN_ARG1 && source.own < OWNS) {
		source.field = probe_argument(of->format, source.own);
		if (!source.field && has_registers && !registers)
			return fail(
				ctx, -ENODATA,
				"event '%s' has no '%s': in which registers a '%s' has "
				"arguments is not known",
				event_name, name, arch);
		source.number = registers ? registers[source.own - OWN_ARG1] : 0;
		if (!source.field && !has_registers)
			source.own = OWNS;
	}
	source.is_text = source.field && source.field->flags & EVENT_FIELD_TEXT;
	if (source.field && !source.is_text && !event_field_is_number(source.field))
		return fail(ctx, -EINVAL,
			    "field '%s' of event '%s' is neither a number nor a text",
			    name, event_name);
	if (!source.field && source.own == OWNS)
		return fail(ctx, -ENODATA,
			    of->format || event->type != PERF_TYPE_TRACEPOINT
				    ? "event '%s' has no field '%s'"
				    : "which fields event '%s' has was not recorded, so "
				      "there is no '%s'",
			    event_name, name);
	if (source.field)
		source.own = OWNS;
	if (source.field && strcmp(name, "prev_state") == 0)
		source.states = of->format->states;
	source.plain = source.field && !source.states && !source.is_text;
	*ret = source;
	return 0;
}

bool pair_source_load_other(const struct pair_source *source, const struct sample *s,
			    int64_t *ret)
{
	enum { ABI_64 = 2 };
	uint64_t value, bit = 1ull << source->number;
	const char *text;
	uint32_t size;

	if (source->is_text) {
		if (!event_field_text(source->field, s, &text, &size))
			return false;
		*ret = expression_text(text, size);
		return true;
	}
	if (source->field) {
		if (!event_field_number(source->field, s, &value))
			return false;
		*ret = (int64_t)event_states_read(source->states, value);
		return true;
	}
	switch (source->own) {
	case OWN_TID:
		*ret = s->tid;
		return true;
	case OWN_PID:
		*ret = s->pid;
		return true;
	case OWN_CPU:
		*ret = s->cpu;
		return true;
	case OWN_PERIOD:
		*ret = (int64_t)s->period;
		return true;
	default:
		/* A register of a 64-bit task: others have their arguments elsewhere. */
		if (!s->user_registers || s->user_abi != ABI_64 || !(s->user_mask & bit))
			return false;
		memcpy(ret,
		       s->user_registers +
			       8 * __builtin_popcountll(s->user_mask & (bit - 1)),
		       sizeof(*ret));
		return true;
	}
}
