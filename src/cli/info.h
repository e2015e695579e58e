#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <flamefold.h>
#include <stdio.h>

#include "cli/json.h"

/* What one input says, for people and for programs. */
void info_text(const struct ff_profile *p, FILE *out);
void info_json(const struct ff_profile *p, struct json *j);

/* Whether what the samples hit could be looked into. */
enum object_class {
	OBJECT_FOUND,
	OBJECT_MISSING,
	OBJECT_WITHOUT_FILE, /* code of no file: unknown, made at run time */
	OBJECT_CLASSES,
};
enum object_class object_class(const struct ff_object *o);

#define RECORD_TYPES 256 /* more than there are */

#endif
