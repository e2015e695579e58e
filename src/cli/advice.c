/*
 * What an object lacks depends on what it is: code of a runtime lacks its map, a kernel
 * its kallsyms, a file that is here its debug package, and an object whose file is not
 * here lacks that file. The remedies stand in tables, by the name of the process, the
 * mark of a kernel's release, the distribution. Packages of all objects are asked for at
 * once, because to find them takes one pass over the lists of all installed files.
 *
 *	code of a runtime      its map              a switch of the runtime, --map-dir
 *	a kernel, a module     symbols              --kallsyms, --vmlinux, a package
 *	a file that is here    symbols, inlined     a package, a debug file, debuginfod
 *	one that is not        the file             --symfs, --buildid-dir
 */
#include "cli/advice.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum lack advice_lack(const struct ff_object *o)
{
	enum ff_object_kind kind = ff_object_kind(o);

	if (kind == FF_OBJECT_OTHER)
		return LACK_NOTHING;
	if (!ff_object_file(o))
		return LACK_NAMES;
	/* Where all symbols are there, code between them has none. */
	if (ff_object_addresses_unnamed(o) &&
	    (kind == FF_OBJECT_RUNTIME || ff_object_names(o) != FF_NAMES_ALL))
		return LACK_NAMES;
	return kind == FF_OBJECT_FILE && !ff_object_has_debug_info(o) ? LACK_INLINES
								      : LACK_NOTHING;
}

/* Only what was looked at here can be in a package that is installed here: a file of the
 * same path below the root, not one that a cache of build ids gave. */
static bool is_of_package(const struct advice *a, const struct ff_object *o)
{
	const char *file = ff_object_file(o), *path = ff_object_path(o);
	size_t size = strlen(a->root);

	return ff_object_kind(o) == FF_OBJECT_FILE && file &&
	       advice_lack(o) != LACK_NOTHING && strncmp(file, a->root, size) == 0 &&
	       strcmp(file + size, path) == 0;
}

static int by_pid(const void *a, const void *b)
{
	uint32_t x = ff_process_pid(*(const struct ff_process *const *)a);
	uint32_t y = ff_process_pid(*(const struct ff_process *const *)b);

	return x < y ? -1 : x > y;
}

void advice_begin(struct advice *a, const struct ff_profile *p, const char *symfs,
		  const char *debug_dir)
{
	const struct ff_process *pr = NULL;
	const struct ff_object *o = NULL;
	size_t processes = 0, most = 0;

	*a = (struct advice){ .profile = p,
			      .root = symfs ? symfs : "",
			      .debug_dir = debug_dir ? debug_dir : "/usr/lib/debug" };
	/* The profile has its processes by samples; code of a runtime names one by pid. */
	while ((pr = ff_process_next(p, pr)))
		processes++;
	a->processes = calloc(processes + 1, sizeof(*a->processes));
	while (a->processes && (pr = ff_process_next(p, pr)))
		a->processes[a->process_count++] = pr;
	if (a->processes)
		qsort(a->processes, processes, sizeof(*a->processes), by_pid);
	a->rpm = packages_are_rpm(a->root);
	a->debug_archive = packages_debug_archive(a->root);
	/* Without memory for the packages the other remedies are still told. */
	while ((o = ff_object_next(p, o)))
		most += is_of_package(a, o);
	a->packages = calloc(most + 1, sizeof(*a->packages));
	if (!a->packages)
		return;
	while ((o = ff_object_next(p, o)))
		if (is_of_package(a, o))
			a->packages[a->count++].path = ff_object_path(o);
	packages_find(a->root, a->packages, a->count);
}

/* Paths in the queries are the profile's: of these only names of packages are ours. */
void advice_end(struct advice *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->packages[i].package);
	free(a->packages);
	free(a->debug_archive);
	free(a->processes);
}

/* The file is there, and lacks symbols or debug information: a package has them, or a
 * server, or a build that keeps them, which is told only where no package has them. */
static void put_for_poor(const struct advice *a, const struct ff_object *o, FILE *out)
{
	const char *path = ff_object_path(o), *id = ff_object_build_id(o);
	const char *package = packages_name(a->packages, a->count, path);
	const char *name =
		package && strncmp(package, "lib", 3) == 0 ? package + 3 : package;
	int minor = 0, size = 0;
	/* "python3.11" of "libpython3.11-minimal". */
	bool python = name && sscanf(name, "python3.%2d%n", &minor, &size) == 1 &&
		      (!name[size] || name[size] == '-');

	/* Nearly all debug packages of Debian are in an archive of their own, which the
	 * installer leaves out; packages that made theirs before there was a rule for it
	 * have them beside the others. */
	if (package && strcmp(package, "libc6") == 0)
		fputs("install libc6-dbg", out);
	else if (python)
		fprintf(out, "install python3.%d-dbg", minor);
	else if (package && a->debug_archive)
		fprintf(out, "install %s-dbgsym (of the archive '%s')", package,
			a->debug_archive);
	else if (package)
		fprintf(out, "install %s-dbgsym (of the debug archive)", package);
	else if (a->rpm)
		fprintf(out, "dnf debuginfo-install %s", path);
	if (*id && (package || a->rpm))
		fputs(", or ", out);
	if (*id) {
		fprintf(out, "copy its debug file to %s%s/.build-id/%.2s/%s.debug",
			a->root, a->debug_dir, id, id + 2);
		fprintf(out, " (debuginfod-find debuginfo %s, or --debuginfod)", id);
	}
	if (!package && !a->rpm)
		fputs(*id ? ", or build it with -g and do not strip it"
			  : "build it with -g and do not strip it",
		      out);
}

/* A recording tells which kernel it is of; a folded text does not. */
static void put_for_kernel(const struct advice *a, const struct ff_object *o, FILE *out)
{
	/* By what distributions append to releases. */
	static const struct {
		const char *mark, *before, *behind;
	} kernels[] = {
		{ "-generic", "linux-image-", "-dbgsym" },
		{ "-lowlatency", "linux-image-", "-dbgsym" },
		{ "-amd64", "linux-image-", "-dbg" },
		{ "-arm64", "linux-image-", "-dbg" },
		{ ".fc", "kernel-debuginfo-", "" },
		{ ".el", "kernel-debuginfo-", "" },
	};
	const struct ff_input *in = ff_input_next(a->profile, NULL);
	const char *release = in ? ff_input_text(in, FF_INPUT_KERNEL) : NULL;

	if (!release)
		release = "RELEASE";
	/* Addresses are other ones after each boot. */
	fputs("copy /proc/kallsyms of the recorded machine, read by root before it boots "
	      "again: --kallsyms=FILE; or ",
	      out);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (strstr(release, kernels[i].mark)) {
			fprintf(out, "install %s%s%s, or ", kernels[i].before, release,
				kernels[i].behind);
			break;
		}
	if (ff_object_kind(o) == FF_OBJECT_MODULE)
		fprintf(out, "copy /lib/modules/%s: --symfs=DIR", release);
	else
		fputs("--vmlinux=FILE", out);
}

/* "": no process of that pid has samples, or there was no memory to sort them. */
static const char *comm_of(const struct advice *a, uint32_t pid)
{
	size_t low = 0, high = a->process_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ff_process_pid(a->processes[middle]) < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->process_count && ff_process_pid(a->processes[low]) == pid
		       ? ff_process_comm(a->processes[low])
		       : "";
}

/* Runtimes write their maps only if they are told so, each by a switch of its own. */
static void put_for_runtime(const struct advice *a, const struct ff_object *o, FILE *out)
{
	/* By what its process is called. */
	static const struct {
		const char *comm, *option;
	} runtimes[] = {
		{ "java", "java -XX:+PreserveFramePointer "
			  "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, or "
			  "jcmd PID Compiler.perfmap (JDK 17), or perf's agent "
			  "libperf-jvmti.so" },
		{ "node", "node --perf-basic-prof --interpreted-frames-native-stack" },
		{ "python", "python3 -X perf (3.12), or PYTHONPERFSUPPORT=1" },
		{ "dotnet", "DOTNET_PerfMapEnabled=1" },
		{ "ruby", "ruby --yjit --yjit-perf" },
		{ "php", "php -d opcache.jit_debug=0x10 (perf-PID.map)" },
		{ "beam", "erl +JPperf true" },
		{ "julia", "ENABLE_JITPROFILING=1 julia" },
	};
	const char *comm = comm_of(a, ff_object_runtime(o)), *option = NULL;

	/* By the beginning: "python3.11", "beam.smp" and "node" in any case. */
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes) && !option; i++)
		if (strncasecmp(comm, runtimes[i].comm, strlen(runtimes[i].comm)) == 0)
			option = runtimes[i].option;
	if (ff_object_file(o))
		fputs("the map is older than this code, or incomplete: record after it "
		      "was "
		      "written, or ",
		      out);
	fputs("let the runtime write /tmp/perf-PID.map or a jitdump", out);
	if (option)
		fprintf(out, ": %s", option);
	else
		fputs(" (java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, "
		      "node --perf-basic-prof, python3 -X perf, "
		      "DOTNET_PerfMapEnabled=1)",
		      out);
	if (!ff_object_file(o))
		fputs("; of another machine: --map-dir=DIR", out);
}

void advice_put(const struct advice *a, const struct ff_object *o, FILE *out)
{
	const char *id = ff_object_build_id(o);

	if (advice_lack(o) == LACK_NOTHING)
		return;
	switch (ff_object_kind(o)) {
	case FF_OBJECT_RUNTIME:
		put_for_runtime(a, o, out);
		break;
	case FF_OBJECT_KERNEL:
	case FF_OBJECT_MODULE:
		put_for_kernel(a, o, out);
		break;
	case FF_OBJECT_FILE:
		if (ff_object_file(o)) {
			put_for_poor(a, o, out);
			break;
		}
		fprintf(out,
			"copy %s of the recorded machine below a directory DIR: "
			"--symfs=DIR",
			ff_object_path(o));
		/* Without a build id nobody can say whether a copy is of the recorded build. */
		if (*id)
			fprintf(out,
				", or perf archive there, and here unpack what it made "
				"in DIR: --buildid-dir=DIR (debuginfod-find executable "
				"%s, or --debuginfod)",
				id);
		else
			fputs("; perf record --buildid-mmap tells which build it was",
			      out);
		break;
	case FF_OBJECT_VDSO:
		fputs("perf record keeps a copy of it: perf archive on the recorded "
		      "machine, and here unpack what it made in DIR: --buildid-dir=DIR",
		      out);
		break;
	default:
		break;
	}
}
