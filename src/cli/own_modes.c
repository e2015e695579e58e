#include "cli/own_modes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/mode_file.h"
#include "cli/settings.h"
#include "cli/terminal.h"

/* Longer sentences are cut. */
struct why {
	char text[1024];
};

static bool explain(struct why *why, const char *path, const char *reason)
{
	snprintf(why->text, sizeof(why->text), "'%s': %s", path, reason);
	return false;
}

/* Its modes, or false and why not. */
static bool read_file(const char *path, struct mode_file *ret, struct why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = malloc(MODE_FILE_MOST + 1), reason[768];
	struct stat st;
	ssize_t size = -1, got;
	int err;

	*ret = (struct mode_file){ 0 };
	errno = text ? errno : ENOMEM;
	if (fd >= 0 && text && fstat(fd, &st) == 0) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		size = S_ISREG(st.st_mode) ? 0 : -1;
	}
	while (size >= 0 && size <= MODE_FILE_MOST &&
	       (got = read(fd, text + size, MODE_FILE_MOST + 1 - (size_t)size)) != 0)
		size = got < 0 ? -1 : size + got;
	if (fd >= 0)
		close(fd);
	if (size < 0 || size > MODE_FILE_MOST) {
		free(text);
		return explain(why, path,
			       size < 0 ? strerror(errno) : "this is no file of modes");
	}
	err = mode_file_parse(text, (size_t)size, ret, reason, sizeof(reason));
	free(text);
	for (size_t i = 0; i < ret->count && err == 0; i++) {
		const char *name = ret->modes[i].name;
		const struct ff_mode *flamefolds = NULL;

		while (err == 0 && (flamefolds = ff_mode_next(flamefolds))) {
			if (strcasecmp(ff_mode_name(flamefolds), name) != 0)
				continue;
			snprintf(reason, sizeof(reason),
				 "a mode of its own cannot be called '%s': there is one",
				 name);
			err = -EINVAL;
		}
	}
	if (err == 0)
		return true;
	mode_file_release(ret);
	return explain(why, path, err == -ENOMEM ? "out of memory" : reason);
}

/* The mode is what is asked for, as long as the settings are there. */
static int take_mode(struct settings *s, const char *path, struct mode_file *file,
		     const struct own_mode *mode)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;
	int code = EXIT_DONE;

	if (s->own_modes)
		mode_file_release(s->own_modes);
	else
		s->own_modes = calloc(1, sizeof(*s->own_modes));
	if (!s->own_modes) {
		mode_file_release(file);
		return usage_error("out of memory");
	}
	*s->own_modes = *file;
	s->profile.mode = *mode->name ? mode->name : NULL;
	s->profile.pair = mode->rule;
	s->pair_is_of_file = true;
	s->mode_colors = mode->colors;
	s->mode_title = mode->title;
	/* While it is known which file it is of. */
	options.pair = mode->rule;
	if (ff_profile_new(&p, &options) < 0)
		code = usage_error("'%s': %s", path,
				   p ? ff_profile_error(p) : "out of memory");
	ff_profile_free(p);
	return code;
}

static struct own_mode *find_mode(const struct mode_file *file, const char *name)
{
	for (size_t i = 0; i < file->count; i++)
		if (strcasecmp(file->modes[i].name, name) == 0)
			return &file->modes[i];
	return NULL;
}

int own_mode_of_file(struct settings *s, const char *word)
{
	const char *colon = strrchr(word, ':');
	char *path = strdup(word);
	const char *name = NULL;
	struct own_mode *mode = NULL;
	struct mode_file file;
	struct why why;
	int code;

	if (!path)
		return usage_error("out of memory");
	/* A colon in the name of a file that there is separates nothing. */
	if (colon && access(path, F_OK) < 0) {
		path[colon - word] = '\0';
		name = colon + 1;
	}
	if (!read_file(path, &file, &why)) {
		code = usage_error("%s", why.text);
	} else {
		mode = name		 ? find_mode(&file, name)
		       : file.count == 1 ? &file.modes[0]
					 : NULL;
		if (mode)
			code = take_mode(s, path, &file, mode);
		else if (name)
			code = usage_error("'%s': there is no mode '%s' in it", path,
					   name);
		else
			code = usage_error("'%s': there are %zu modes in it: "
					   "--pair @%s:%s is the first",
					   path, file.count, path, file.modes[0].name);
		if (!mode)
			mode_file_release(&file);
	}
	free(path);
	return code;
}

static int is_mode_file(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > 5 && entry->d_name[0] != '.' &&
	       strcmp(entry->d_name + size - 5, ".mode") == 0;
}

/* Paths of a home's files of modes, in the order of their names; how many. */
static size_t list_files(char ***ret)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	bool has_config = config && config[0] == '/';
	struct dirent **entries = NULL;
	char *dir = NULL, **paths;
	size_t count = 0;
	int found;

	*ret = NULL;
	if ((!has_config && (!home || !*home)) ||
	    asprintf(&dir, "%s%s/flamefold/modes", has_config ? config : home,
		     has_config ? "" : "/.config") < 0)
		return 0;
	found = scandir(dir, &entries, is_mode_file, alphasort);
	paths = found > 0 ? calloc((size_t)found, sizeof(*paths)) : NULL;
	for (int i = 0; i < found; i++) {
		if (paths &&
		    asprintf(&paths[count], "%s/%s", dir, entries[i]->d_name) > 0)
			count++;
		free(entries[i]);
	}
	free(entries);
	free(dir);
	*ret = paths;
	return count;
}

static void free_files(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

int own_mode_find(struct settings *s, const char *name, bool *found)
{
	struct why why = { "" };
	char **paths;
	size_t count = list_files(&paths);
	int code = EXIT_DONE;

	*found = false;
	for (size_t i = 0; i < count && !*found; i++) {
		struct mode_file file;
		struct own_mode *mode;
		bool good = read_file(paths[i], &file, &why);

		mode = good ? find_mode(&file, name) : NULL;
		*found = mode != NULL;
		if (mode)
			code = take_mode(s, paths[i], &file, mode);
		else if (good)
			mode_file_release(&file);
	}
	free_files(paths, count);
	/* It may be in one that cannot be read. */
	if (!*found && *why.text)
		code = usage_error("no mode '%s' was found, and %s", name, why.text);
	return code;
}

void print_rule(const char *rule)
{
	while (*rule) {
		size_t size;

		rule += strspn(rule, " \t\n");
		/* Comments stay in the file. */
		size = strcspn(rule, *rule == '#' ? "\n" : ";\n");
		if (*rule != '#' && size) {
			char clause[256];

			snprintf(clause, sizeof(clause), "%.*s", (int)size, rule);
			printf("%16s", "");
			put_clean(stdout, clause);
			puts(size < sizeof(clause) ? ";" : "...");
		}
		rule += size + (rule[size] != '\0');
	}
}

void own_modes_print(bool rules)
{
	char **paths;
	size_t count = list_files(&paths);

	for (size_t i = 0; i < count; i++) {
		struct mode_file file;
		struct why why;

		if (!read_file(paths[i], &file, &why)) {
			say_warning("%s", why.text);
			continue;
		}
		for (size_t k = 0; k < file.count; k++) {
			const struct own_mode *m = &file.modes[k];

			printf("  %-13s ", *m->name ? m->name : "(no name)");
			put_clean(stdout, m->question ? m->question : "");
			printf("%s(", m->question ? " " : "");
			put_clean(stdout, paths[i]);
			printf(")\n");
			if (rules)
				print_rule(m->rule);
		}
		mode_file_release(&file);
	}
	free_files(paths, count);
}
