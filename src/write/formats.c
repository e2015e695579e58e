/*
 * What a tree can be written as. A format is a file of this directory with a function, and a
 * line here: the library tells of them in this order, the command takes names, suffixes and
 * descriptions from it, and nothing else lists them.
 */
#include "write/write.h"

const struct ff_format write_formats[] = {
	{ "svg", ".svg", "a picture that holds all stacks, and a viewer",
	  FF_FORMAT_PICTURE, write_svg },
	{ "html", ".html .htm", "the same in a page around it", FF_FORMAT_PICTURE,
	  write_html },
	{ "folded", ".folded .txt .collapsed _folded -folded",
	  "a line of text for each stack", FF_FORMAT_LINES, write_folded },
	{ .name = NULL },
};
