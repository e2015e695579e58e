#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The whole terminal, for a program that draws it again and again and listens to keys. What was there
 * comes back when it is closed, when the program is stopped by Ctrl-Z, and by exit().
 */

/* Standard input and output are a terminal that can do it. */
bool screen_can_open(void);

/* False where the terminal refuses. Signals of the keyboard still come. */
bool screen_open(void);
void screen_close(void); /* also within a signal handler; what is not open is fine */

/* Has it to be drawn anew, as it was left and came back? */
bool screen_was_away(void);

/* Lines of text in place of what is shown. */
void screen_show(const char *text, size_t size);

/* Keys without a character of their own. */
enum screen_key {
	KEY_UP = 256,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ESCAPE,
	KEY_ENTER,
	KEY_ERASE,
	KEY_GONE, /* nobody is there any more: the terminal was closed */
};

/* Waits until a key was pressed or @also can be read, up to @ms. 0: no key; else a byte of it, or of
 * enum screen_key. */
int screen_next_key(int also, int ms);

#endif
