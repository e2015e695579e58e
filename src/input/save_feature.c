/*
 * Feature sections as perf.data-file-format.txt has them. Strings have their length in
 * front, which counts padding, too. A build id's record:
 *
 *	u32 67 | u16 misc, size | u32 pid -1 | id, 20 bytes | size of id, 0, 0, 0 | path
 *
 * Facts of the machine that cannot be had are left out: a section that is not there is
 * no error to any reader.
 */
#include "input/save_feature.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "input/record.h"
#include "input/save.h"

enum {
	STRING_UNIT = 64,
	BUILD_ID_PATH_MOST = 4096,
	CPUINFO_MOST = 16 << 20,
};

static void pad(struct bytes *to, size_t size)
{
	static const uint8_t zero[STRING_UNIT];

	bytes_add(to, zero, size);
}

/* Bytes up to the next unit, at least one: the NUL. */
static size_t padding(size_t length)
{
	return STRING_UNIT - length % STRING_UNIT;
}

void feature_string(struct bytes *to, const char *text)
{
	size_t length = strlen(text);

	bytes_u32(to, (uint32_t)(length + padding(length)));
	bytes_add(to, text, length);
	pad(to, padding(length));
}

void feature_hostname(struct bytes *to)
{
	struct utsname u;

	if (uname(&u) == 0)
		feature_string(to, u.nodename);
}

void feature_osrelease(struct bytes *to)
{
	struct utsname u;

	if (uname(&u) == 0)
		feature_string(to, u.release);
}

void feature_arch(struct bytes *to)
{
	struct utsname u;

	if (uname(&u) == 0)
		feature_string(to, u.machine);
}

void feature_nrcpus(struct bytes *to)
{
	long available = sysconf(_SC_NPROCESSORS_CONF);
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (available <= 0 || online <= 0)
		return;
	/* Available come first, whatever the documentation says. */
	bytes_u32(to, (uint32_t)available);
	bytes_u32(to, (uint32_t)online);
}

/* Adds the value of the first line "KEY : VALUE" of a file in /proc. */
static void from_proc(const char *path, const char *key, struct bytes *to,
		      void (*add)(struct bytes *to, const char *value))
{
	struct context ctx = { 0 };
	char *text, *line, *value;
	size_t size;

	if (file_slurp(&ctx, path, CPUINFO_MOST, &text, &size) < 0)
		return;
	line = strstr(text, key);
	if (line && (line == text || line[-1] == '\n')) {
		*strchrnul(line, '\n') = '\0';
		value = strchr(line, ':');
		if (value)
			add(to, value + 1 + strspn(value + 1, " \t"));
	}
	free(text);
}

void feature_cpudesc(struct bytes *to)
{
	from_proc("/proc/cpuinfo", "model name", to, feature_string);
}

static void append_number(struct bytes *to, const char *value)
{
	bytes_u64(to, strtoull(value, NULL, 10));
}

void feature_total_mem(struct bytes *to)
{
	from_proc("/proc/meminfo", "MemTotal", to, append_number);
}

void feature_cmdline(struct bytes *to, const char *const *words, size_t count)
{
	if (count == 0)
		return;
	bytes_u32(to, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		feature_string(to, words[i]);
}

void feature_build_id(struct bytes *to, const struct save_object *object)
{
	const uint8_t behind[4] = { (uint8_t)object->size };
	size_t length = strnlen(object->path, BUILD_ID_PATH_MOST);
	const uint16_t head[2] = {
		(uint16_t)(object->mode | MISC_BUILD_ID_SIZE),
		(uint16_t)(8 + 4 + BUILD_ID_MAX + sizeof(behind) + length +
			   padding(length)),
	};

	if (object->size == 0 || object->size > BUILD_ID_MAX)
		return;
	bytes_u32(to, PERF_RECORD_HEADER_BUILD_ID);
	bytes_add(to, head, sizeof(head));
	bytes_u32(to, UINT32_MAX); /* this machine's */
	bytes_add(to, object->id, object->size);
	pad(to, BUILD_ID_MAX - object->size);
	bytes_add(to, behind, sizeof(behind));
	bytes_add(to, object->path, length);
	pad(to, padding(length));
}
