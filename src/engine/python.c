/*
 * Python's functions are no code of the machine: one function of the interpreter runs them
 * all, and a stack shows that one, over and over. From 3.12 on the interpreter can be asked to
 * call each Python function through a few bytes of its own and to write a map of those
 * ("py::name:file", Doc/howto/perf_profiling.rst of CPython). Before that, nothing can: a graph
 * without a single function of the program is then as good as it gets, and that is worth a word.
 *
 * The interpreter is known by the name of its file, which has the version: python3.11,
 * libpython3.12.so.1.0. What counts is the weight below its first frame, where no function of
 * the program follows.
 */
#include "engine/python.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/profile.h"

enum { SHARE_LEAST = 20 }; /* one part in so many */

/* Of the last part of a path; false: it is no interpreter. */
static bool python_version(const char *path, int *major, int *minor)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int size = 0;

	if (strncmp(name, "lib", 3) == 0)
		name += 3;
	if (sscanf(name, "python%1d.%2d%n", major, minor, &size) != 2)
		return false;
	/* "python3.7m", "libpython3.11.so.1.0", "libpython3.13t.so" */
	name += size;
	name += strspn(name, "dmtu");
	return *name == '\0' || strncmp(name, ".so", 3) == 0 || *name == ' ';
}

/* A map that was looked for in vain: the program was told to write it. */
static const char *map_problem(const struct ff_profile *p)
{
	const struct ff_object *o = NULL;
	const struct ff_process *pr;

	while ((o = ff_object_next(p, o))) {
		uint32_t pid = ff_object_runtime(o);

		if (!pid || ff_object_file(o) || !ff_object_problem(o))
			continue;
		for (pr = ff_process_next(p, NULL); pr; pr = ff_process_next(p, pr))
			if (ff_process_pid(pr) == pid &&
			    strncasecmp(ff_process_comm(pr), "python", 6) == 0)
				return ff_object_problem(o);
	}
	return NULL;
}

static bool can_tell(const struct python_unnamed *u)
{
	return u->major == 3 && u->minor >= 12;
}

bool profile_python_unnamed(const struct ff_profile *p, struct python_unnamed *ret)
{
	struct python_unnamed u = { 0 };
	/* Below the interpreter, and of functions with names. */
	uint64_t weight = 0, named = 0;
	uint32_t next, entered = 0; /* the end of what is below the interpreter */
	uint32_t module = UINT32_MAX; /* that was asked about last, and the answer */
	bool is_python = false;
	const struct ff_object *o = NULL;
	int major, minor;

	/* The one with most weight: objects come in that order. */
	while ((o = ff_object_next(p, o)))
		if (python_version(ff_object_path(o), &u.major, &u.minor))
			break;
	if (!o)
		return false;
	/* A node is followed by all that is below it. */
	for (uint32_t i = 1; i < p->named.nodes.count; i = next) {
		const struct named_node *n = &p->named.nodes.v[i];
		const struct function *f = &p->symbols.functions.v[n->function];

		next = i + 1;
		if (i >= entered && f->module != module) {
			module = f->module;
			is_python = python_version(intern_text(&p->strings, module),
						   &major, &minor);
		}
		if (i >= entered && is_python) {
			entered = n->end;
			weight += named_total(&p->named, i);
		}
		/* Where a walk ends at the bytes that call it, it is the first of all. */
		if (strncmp(intern_text(&p->strings, f->name), "py::", 4) == 0) {
			named += named_total(&p->named, i);
			if (i >= entered)
				weight += named_total(&p->named, i);
			next = n->end;
		}
	}
	/* A stack that is cut short of them is another matter. */
	if (can_tell(&u) && named)
		return false;
	u.weight = weight - named;
	u.problem = can_tell(&u) ? map_problem(p) : NULL;
	if (!u.weight ||
	    u.weight < ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) / SHARE_LEAST)
		return false;
	*ret = u;
	return true;
}

void python_tell(const struct python_unnamed *u, const char *dwarf, struct text *cause,
		 struct text *remedy)
{
	int minor = can_tell(u) ? u->minor : 12;

	text_string(cause,
		    "of the weight is Python code without the names of its functions: ");
	if (u->problem) {
		text_string(cause, u->problem);
		return;
	}
	text_printf(cause, "Python %d.%d ", u->major, u->minor);
	text_string(cause, can_tell(u) ? "tells them if it is asked to"
				       : "cannot tell them, 3.12 and later can");
	text_printf(cause, " (%s where the interpreter keeps no frame pointers)", dwarf);
	text_printf(remedy, "python3.%d -X perf, or PYTHONPERFSUPPORT=1 python3.%d",
		    minor, minor);
	if (minor >= 13)
		text_printf(remedy, ", or python3.%d -X perf_jit", minor);
}
