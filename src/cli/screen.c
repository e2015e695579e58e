/*
 * The alternate screen and keys as they are pressed, by what every terminal of today understands
 * (ECMA-48, and xterm's private modes 25 and 1049), so no terminfo is needed.
 *
 *	arrow up      ESC [ A, or ESC O A
 *	page up       ESC [ 5 ~
 *	escape        ESC, and nothing at once behind it
 */
#include "cli/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[H\033[J"
#define LEAVE "\033[?25h\033[?1049l"

static struct termios before, during;
static volatile sig_atomic_t is_open, came_back;

bool screen_can_open(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static void write_screen(const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t done = write(STDOUT_FILENO, bytes, size);

		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done <= 0)
			return;
		bytes += done;
		size -= (size_t)done;
	}
}

void screen_close(void)
{
	if (!is_open)
		return;
	is_open = 0;
	write_screen(LEAVE, sizeof(LEAVE) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

/* Ctrl-Z: the shell finds its terminal as it was, and fg brings ours back. */
static void suspend(int number)
{
	int error = errno;
	bool was_open = is_open;
	sigset_t set, others;

	screen_close();
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, &others);
	raise(number);
	pthread_sigmask(SIG_SETMASK, &others, NULL);
	signal(number, suspend);
	if (was_open) {
		tcsetattr(STDIN_FILENO, TCSADRAIN, &during);
		write_screen(ENTER, sizeof(ENTER) - 1);
		is_open = 1;
		came_back = 1;
	}
	errno = error;
}

bool screen_open(void)
{
	static bool at_exit;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return false;
	during = before;
	during.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	during.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	during.c_cc[VMIN] = 1;
	during.c_cc[VTIME] = 0;
	if (!at_exit && atexit(screen_close) != 0)
		return false;
	at_exit = true;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &during) < 0)
		return false;
	write_screen(ENTER, sizeof(ENTER) - 1);
	is_open = 1;
	signal(SIGTSTP, suspend);
	return true;
}

bool screen_was_away(void)
{
	bool away = came_back;

	came_back = 0;
	return away;
}

void screen_show(const char *text, size_t size)
{
	const char *end = text + size;

	/* Left by a signal since it was asked for. */
	if (!is_open)
		return;
	/* Each line's rest is erased behind it, so that nothing flickers. */
	write_screen("\033[H", 3);
	while (text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		write_screen(text, (size_t)((line ? line : end) - text));
		write_screen("\033[K", 3);
		if (line && line + 1 < end)
			write_screen("\r\n", 2);
		text = line ? line + 1 : end;
	}
	write_screen("\033[J", 3);
}

/* What is behind an ESC, which comes at once where a key has sent it. */
static int read_sequence(void)
{
	static const struct {
		const char *text;
		int key;
	} keys[] = {
		{ "[A", KEY_UP },   { "OA", KEY_UP },	    { "[B", KEY_DOWN },
		{ "OB", KEY_DOWN }, { "[5~", KEY_PAGE_UP }, { "[6~", KEY_PAGE_DOWN },
		{ "[H", KEY_HOME }, { "OH", KEY_HOME },	    { "[1~", KEY_HOME },
		{ "[F", KEY_END },  { "OF", KEY_END },	    { "[4~", KEY_END },
	};
	struct pollfd more = { .fd = STDIN_FILENO, .events = POLLIN };
	char text[16] = "";
	size_t size = 0;

	while (size < sizeof(text) - 1 && poll(&more, 1, 25) > 0) {
		if (read(STDIN_FILENO, text + size, 1) != 1)
			break;
		size++;
		/* ECMA-48: a sequence ends with a byte from '@' on; its first is '[' or 'O'. */
		if (size > 1 && text[size - 1] >= '@')
			break;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i].text, text) == 0)
			return keys[i].key;
	return size == 0 ? KEY_ESCAPE : 0;
}

int screen_next_key(int also, int ms)
{
	struct pollfd p[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = also, .events = POLLIN },
	};
	unsigned char byte;
	ssize_t got;

	if (poll(p, 2, ms) <= 0 || !p[0].revents)
		return 0;
	got = read(STDIN_FILENO, &byte, 1);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (got <= 0)
		return KEY_GONE;
	if (byte == '\033')
		return read_sequence();
	if (byte == '\r' || byte == '\n')
		return KEY_ENTER;
	return byte == 0x7f || byte == '\b' ? KEY_ERASE : byte;
}
