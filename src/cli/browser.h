#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

/* Shows the picture at @path by $BROWSER, or xdg-open, and does not wait for it. Where there
 * is none that is said: the picture is there all the same. */
void show_picture(const char *path);

#endif
