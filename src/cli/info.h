#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <flamefold.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/settings.h"

/* What one input says, for people and for programs. */
void info_text(const struct ff_profile *p, FILE *out);
void info_json(const struct ff_profile *p, struct json *j);

/* Of a profile file: what it was made of; JSON: null of all others. */
void info_stored_text(const struct ff_input *in, FILE *out);
void info_stored_json(const struct ff_input *in, struct json *j);

/* --symbols: where the names of each object come from, and what would give it more. */
void info_symbols_text(const struct ff_profile *p, const struct settings *s, FILE *out);
void info_symbols_json(const struct ff_profile *p, const struct settings *s,
		       struct json *j);

/* Whether what the samples hit could be looked into. */
enum object_class {
	OBJECT_FOUND,
	OBJECT_INCOMPLETE, /* a file was read, but something is lacking or in doubt */
	OBJECT_MISSING,
	OBJECT_WITHOUT_FILE, /* code of no file: unknown, made at run time */
	OBJECT_CLASSES,
};
enum object_class object_class(const struct ff_object *o);

#define RECORD_TYPES 32800 /* more than there are: simpleperf's begin at 32768 */
#define FIELD_BITS 64 /* of sample_type */

#endif
