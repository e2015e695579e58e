#ifndef CLI_STANDARD_INPUT_H
#define CLI_STANDARD_INPUT_H

#include <stdbool.h>

/* What stands on standard input, where no input was named. */
enum standard_input {
	STANDARD_INPUT_NONE, /* nothing that anybody has given */
	STANDARD_INPUT_GIVEN, /* an input: it is to be read */
	STANDARD_INPUT_EMPTY, /* a pipe that has ended without a byte */
	STANDARD_INPUT_SILENT, /* a pipe that was inherited, and brings nothing */
};

/* Waits until a pipe has brought a byte or has ended. @otherwise: there is something else to
 * read, so that a pipe that brings nothing need not be waited for; else it is, and that is
 * said. */
enum standard_input standard_input_look(bool otherwise);

#endif
