/*
 * What a tree can be written as. A format is a file of this directory with a function, and a
 * line here: the library tells of them in this order, the command takes names, suffixes and
 * descriptions from it, and nothing else lists them.
 */
#include "write/write.h"

#include <flamefold_chart.h>

const struct ff_format write_formats[] = {
	{ "svg", ".svg", "a picture that holds all stacks, and a viewer",
	  FF_FORMAT_PICTURE | FF_FORMAT_CHART, write_svg },
	{ "html", ".html .htm", "the same in a page around it", FF_FORMAT_PICTURE,
	  write_html },
	{ "folded", ".folded .txt .collapsed _folded -folded",
	  "a line of text for each stack", FF_FORMAT_LINES, write_folded },
	{ "ff", ".ff", "a profile file: read, compared and merged like a recording", 0,
	  write_profile },
	{ "pprof", ".pb.gz .pprof", "pprof and what reads its profiles",
	  FF_FORMAT_FRAMES | FF_FORMAT_LABELS, write_pprof },
	{ "speedscope", ".speedscope.json .speedscope",
	  "speedscope, one profile a process", FF_FORMAT_FRAMES | FF_FORMAT_CHART,
	  write_speedscope },
	{ "firefox", ".firefox.json", "the Firefox Profiler", FF_FORMAT_FRAMES,
	  write_firefox },
	{ "callgrind", ".callgrind", "callgrind_annotate and KCachegrind",
	  FF_FORMAT_FRAMES, write_callgrind },
	{ "d3", ".d3.json", "d3-flame-graph", FF_FORMAT_FRAMES, write_d3 },
	{ "grafana", ".grafana.json", "the flame graph panel of Grafana",
	  FF_FORMAT_FRAMES, write_grafana },
	{ "flamebearer", ".flamebearer.json .flamebearer", "Pyroscope", FF_FORMAT_FRAMES,
	  write_flamebearer },
	{ "otlp", ".otlp .otlp.pb", "OpenTelemetry profiles, v1development of 1.11.0",
	  FF_FORMAT_FRAMES, write_otlp },
	{ "chrome", ".chrome.json .trace.json", "trace viewers, as samples",
	  FF_FORMAT_FRAMES | FF_FORMAT_CHART, write_chrome },
	{ "csv", ".csv", "a table of functions", FF_FORMAT_FRAMES, write_csv },
	{ "json", ".tree.json", "the tree with all that is known of it", FF_FORMAT_FRAMES,
	  write_tree_json },
	{ .name = NULL },
};
