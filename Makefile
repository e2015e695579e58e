# flamefold: perf samples in, flame graph out.  `make help` lists what there is.

VERSION  := $(shell sed -n 's/^.define FF_VERSION "\(.*\)"$$/\1/p' include/flamefold.h)
SOVERSION = 1

O       = build
DEPS    = build/deps
CFLAGS  = -O2 -g
SAN     =
V       =
T       = 60
DESTDIR =
prefix  = /usr/local
bindir  = $(prefix)/bin
libdir  = $(prefix)/lib
includedir = $(prefix)/include
mandir  = $(prefix)/share/man
bashdir = $(prefix)/share/bash-completion/completions
zshdir  = $(prefix)/share/zsh/site-functions
fishdir = $(prefix)/share/fish/vendor_completions.d
OBJCOPY = objcopy
HOSTCC  = cc
INSTALL = install

# live/rings stands on libperf where scripts/deps has it, else on bare system calls.
-include $(DEPS)/libperf/libperf.mk
RINGS = $(if $(LIBPERF),libperf,syscalls)
rings_unused = src/live/rings/$(if $(filter libperf,$(RINGS)),syscalls,libperf).c
rings_archives = $(if $(filter libperf,$(RINGS)),$(LIBPERF))
# Where that is libperf, tests have the other one, too: a second command, and the unit test of both.
OTHER_RINGS = $(if $(filter libperf,$(RINGS)),$(addprefix $(O)/tests/syscalls/,flamefold test_evlist))

LIBS = -ldw -lelf -ltraceevent -liberty -lpcre2-8 -lzstd -lz -ldeflate -llzma -lnettle -lsqlite3 -lm -lpthread

# Its headers may lie in a directory of their own.
traceevent := $(shell pkg-config --cflags libtraceevent 2>/dev/null || echo -I/usr/include/traceevent)

sanitize    = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
	      $(if $(findstring fuzzer,$(SAN)),-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
ALL_CPPFLAGS = -D_GNU_SOURCE -Iinclude -Isrc -I$(O) $(traceevent) $(CPPFLAGS)
ALL_CFLAGS  = -std=gnu11 -fPIC -fvisibility=hidden -Wall -Wextra -Werror=incompatible-pointer-types $(CFLAGS) $(sanitize)
ALL_LDFLAGS = $(LDFLAGS) $(sanitize)

# Of whichever MPI is there; "make MPICC=" builds without. With sanitizers MPI's own leaks would be all there is to see.
MPICC := $(if $(SAN),,$(shell command -v mpicc))
MPI = $(if $(MPICC),$(O)/flamefold-mpi)

# The sources. A new file, test or check needs no line here.
LIB_SRC  = $(filter-out src/cli/% src/mpi/% $(rings_unused),$(wildcard src/*/*.c src/*/*/*.c))
CLI_SRC  = $(wildcard src/cli/*.c)
MPI_SRC  = $(wildcard src/mpi/*.c)
UNIT_ALL = $(wildcard tests/unit/*/*.c tests/unit/*/*/*.c)
UNIT_SRC = $(foreach f,$(UNIT_ALL),$(if $(filter test_%,$(notdir $f)),$f))
API_SRC  = $(wildcard tests/api/*.c)
API_H    = $(wildcard include/*.h) $(wildcard tests/api/*.h)
MODE_PROGRAMS = $(patsubst %.c,$(O)/%,$(wildcard tests/modes/*.c))
HOSTILE  = $(patsubst %.c,$(O)/%,$(wildcard tests/hostile/*.c))
FUZZ     = $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
fuzz_headers = $(wildcard tests/fuzz/*.h)
viewer   = $(sort $(wildcard src/write/viewer/$2*.$1))

obj  = $(1:%.c=$(O)/%.o)
UNIT = $(UNIT_SRC:%.c=$(O)/%)
COMPLETION = $(foreach shell,bash zsh fish,$(O)/completion.$(shell))
API  = $(foreach kind,a so cxx,$(API_SRC:%.c=$(O)/%.$(kind)))

jobs  = --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
quiet = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-8s%s\n' '$1' '$(@:$(O)/%=%)';)

.PHONY: all mpi objects tests check check-all coverage demo demo-programs bench fuzz format install uninstall clean distclean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

all: $(O)/flamefold $(O)/libflamefold.a $(O)/libflamefold.so $(COMPLETION) $(MPI) ## the command and the library (default)

mpi: $(O)/flamefold-mpi ## flamefold-mpi, which 'all' builds where there is an mpicc (MPICC=)

objects: $(call obj,$(LIB_SRC) $(CLI_SRC)) ## compile everything, link nothing

tests: all $(UNIT) $(API) $(HOSTILE) $(FUZZ:%=$(O)/tests/fuzz/%) $(O)/tests/demo/workload $(O)/tests/names/spell $(O)/tests/tracepoints/fields $(OTHER_RINGS) ## build the test programs, run nothing

check: ## install what the tests need, build, run all tests but the long ones
	$(quiet)DEPS='$(DEPS)' scripts/deps build test
	$(quiet)+$(MAKE) $(jobs) tests
	$(quiet)LONG='$(LONG)' O='$(O)' DEPS='$(DEPS)' SAN='$(SAN)' CC='$(CC)' CXX='$(CXX)' CORPUS='$(CORPUS)' tests/run $(TESTS)

check-all: LONG = 1
check-all: check ## the same with the long ones

demo: ## install what is missing, build, profile a small program: demo.svg (MODE=offcpu, ...)
	$(quiet)DEPS='$(DEPS)' scripts/deps build
	$(quiet)+$(MAKE) $(jobs) demo-programs
	$(quiet)O='$(O)' MODE='$(MODE)' tests/demo/demo

demo-programs: all $(O)/tests/demo/workload $(if $(MODE),$(MODE_PROGRAMS))
	@:

coverage: ## line coverage of src/input by the tests (DIRS=, TESTS=, CORPUS=)
	$(quiet)+O='$(O)' DEPS='$(DEPS)' CORPUS='$(CORPUS)' tests/coverage $(TESTS)

bench: demo-programs $(O)/tests/bench/sumbytes $(O)/tests/bench/switches $(O)/tests/bench/tables $(O)/tests/bench/decode ## time flamefold against its peers
	$(quiet)O='$(O)' tests/bench/bench

fuzz: $(O)/flamefold ## each fuzz target for T seconds (60), from its seeds; needs clang
	$(quiet)+$(MAKE) $(jobs) O=$(O)/fuzzed CC=clang SAN=fuzzer-no-link,address,undefined \
		$(FUZZ:%=$(O)/fuzzed/fuzz/%)
	$(quiet)for name in $(FUZZ); do \
		FLAMEFOLD='$(abspath $(O))/flamefold' tests/fuzz/seed $$name $(O)/fuzzed/seeds/$$name && \
		ASAN_OPTIONS=malloc_context_size=3:quarantine_size_mb=8 \
		$(O)/fuzzed/fuzz/$$name -max_total_time=$(T) -timeout=10 -entropic=0 -print_final_stats=1 \
			-artifact_prefix=$(O)/fuzzed/ $(O)/fuzzed/seeds/$$name || exit; \
	done

check-%: scripts/check-% ## one check: layers headers symbols docs size names format scripts
	$(quiet)O='$(O)' CC='$(CC)' CXX='$(CXX)' scripts/$@

check-symbols check-docs: all
check-docs: demo-programs

format: ## let clang-format rewrite the C files
	clang-format -i $(wildcard include/*.h src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] tests/unit/*.h tests/unit/*/*.[ch] tests/unit/*/*/*.[ch])

# Compiling. Everything is compiled again when the compiler or a flag changes.
flags = $(HOSTCC) $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(CXX) $(ALL_LDFLAGS) $(LIBS)
$(O)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(flags)' | cmp -s - $@ || printf '%s\n' '$(flags)' >$@

# What live/rings stands on, said when it changes.
rings_choice = $(RINGS) $(rings_archives) $(LIBPERF_CFLAGS)
$(O)/rings: FORCE
	$(if $(filter-out libperf syscalls,$(RINGS)),$(error RINGS is libperf or syscalls, not '$(RINGS)'))
	$(if $(filter libperf,$(RINGS)),$(if $(LIBPERF),,$(error no libperf in $(DEPS): scripts/deps build)))
	@mkdir -p $(@D); printf '%s\n' '$(rings_choice)' | cmp -s - $@ || { printf '%s\n' '$(rings_choice)' >$@; \
	$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-8s%s\n' RINGS \
	'$(if $(rings_archives),libperf of $(LIBPERF_SOURCE),bare system calls$(if $(LIBPERF),,: no libperf in $(DEPS)))';) }

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(if $(filter tests/%,$<),-Itests) $(ALL_CFLAGS) $(extra_cflags) -MMD -MP -c -o $@ $<

# The only file that sees libperf's internal headers: what they include shadows <linux/...>.
$(O)/src/live/rings/libperf.o: extra_cflags = $(LIBPERF_CFLAGS)
$(O)/src/live/rings/$(RINGS).o: $(O)/rings

# The viewer is embedded: its files one after another, without comments and indentation and
# with short names but for the browser's own (platform.words), as C strings; with the hash of the script that a Content-Security-Policy wants.
gen = $(O)/gen
VIEWER_H = $(foreach name,js css hash chart,$(gen)/viewer_$(name).h)
$(call obj,$(wildcard src/write/*.c)): | $(VIEWER_H)

$(gen)/embed: scripts/embed.c scripts/embed_names.c scripts/embed.h $(O)/flags
	@mkdir -p $(@D)
	$(call say,HOSTCC)$(HOSTCC) -O1 -Wall -Wextra -o $@ $(filter %.c,$^)

folder = src/write/viewer
words  = src/write/viewer/platform.words
embed = $(call say,EMBED)$(gen)/embed $1 >$@ && \
	if grep -n -e ']]>' -e '</script' -e '</style' -e '<!--' $@; then echo "$@: ends its element" >&2; exit 1; fi

# What only a picture of a difference needs is a line of its own, which others leave out; and so is what only one
# needs that says when it was, which can compare times and has both.
change = $(call viewer,$1,difference_)
heat   = $(call viewer,$1,heat_)
others = $(filter-out $(call change,$1) $(call heat,$1),$(call viewer,$1))

$(gen)/viewer_all.js: $(words) $(call viewer,js) $(folder) $(gen)/embed
	$(call embed,js $(words) $(call others,js) + $(call change,js) + $(call heat,js))

$(gen)/viewer.js: $(gen)/viewer_all.js
	$(call say,GEN)test "$$(wc -l <$<)" = 4 && sed 2,3d $< >$@

$(gen)/viewer_difference.js: $(gen)/viewer_all.js
	$(call say,GEN)sed 3d $< >$@

$(gen)/viewer_heat.js: $(gen)/viewer_all.js
	$(call say,GEN)cp $< $@

# A chart has a script of its own, and what it needs of the graph's.
chart = $(foreach file,aliases elements numbers labels decode,$(folder)/$(file).js) $(sort $(wildcard $(folder)/chart/*.js))

$(gen)/chart.words: $(words) $(folder)/chart/platform.words
	@mkdir -p $(@D)
	@cat $^ >$@

$(gen)/viewer_chart.js: $(gen)/chart.words $(chart) $(folder)/chart $(gen)/embed
	$(call embed,js $(gen)/chart.words $(chart))

$(gen)/viewer_chart.css: $(wildcard $(folder)/chart/*.css) $(folder)/chart $(gen)/embed
	$(call embed,css $(wildcard $(folder)/chart/*.css))

$(gen)/viewer.css: $(call others,css) $(folder) $(gen)/embed
	$(call embed,css $(call others,css))

$(gen)/viewer_difference.css: $(call change,css) $(folder) $(gen)/embed
	$(call embed,css $(call change,css))

$(gen)/viewer_heat.css: $(call heat,css) $(folder) $(gen)/embed
	$(call embed,css $(call heat,css))

string = { printf 'static const char viewer_%s[] = {\n' $1; $2 | od -An -v -tx1 | \
	sed "s/ *\([0-9a-f][0-9a-f]\)/'\\\\x\1',/g"; echo '0 };'; }
hash = printf 'static const char viewer_%s[] = "sha256-%s";\n' $1 \
	"$$(env printf "$$(sha256sum <$2 | sed 's/ .*//; s/../\\x&/g')" | base64)"

$(gen)/viewer_js.h: $(gen)/viewer_all.js
	$(call say,GEN){ $(call string,js,sed -n 1p $<); $(call string,difference_js,sed -n 2p $<); \
		$(call string,heat_js,sed -n 3p $<); $(call string,end_js,sed -n 4p $<); } >$@

$(gen)/viewer_css.h: $(gen)/viewer.css $(gen)/viewer_difference.css $(gen)/viewer_heat.css
	$(call say,GEN){ $(call string,css,cat $<); $(call string,difference_css,cat $(word 2,$^)); \
		$(call string,heat_css,cat $(word 3,$^)); } >$@

$(gen)/viewer_chart.h: $(gen)/viewer_chart.js $(gen)/viewer_chart.css
	$(call say,GEN){ $(call string,chart_js,cat $<); $(call string,chart_css,cat $(word 2,$^)); } >$@

$(gen)/viewer_hash.h: $(gen)/viewer.js $(gen)/viewer_difference.js $(gen)/viewer_heat.js
	$(call say,GEN){ $(call hash,hash,$<); $(call hash,difference_hash,$(word 2,$^)); \
		$(call hash,heat_hash,$(word 3,$^)); } >$@

# One object in which only the public symbols are global: internal names can be
# short and still not clash with those of a program that links libflamefold.a.
$(O)/libflamefold.o: $(call obj,$(LIB_SRC)) $(rings_archives) $(O)/rings
	$(call say,LD)$(LD) -r -o $@ $(filter %.o %.a,$^) && $(OBJCOPY) --localize-hidden $@

$(O)/libflamefold.a: $(O)/libflamefold.o
	$(call say,AR)rm -f $@ && $(AR) rcsD $@ $<

$(O)/libflamefold.so.$(SOVERSION): $(call obj,$(LIB_SRC)) $(rings_archives) src/libflamefold.map $(O)/rings
	$(call say,LD)$(CC) -shared $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,-soname,$(@F) \
		-Wl,--version-script=src/libflamefold.map $(if $(SAN),,-Wl,-z,defs) \
		-o $@ $(filter %.o %.a,$^) $(LIBS)

$(O)/libflamefold.so: $(O)/libflamefold.so.$(SOVERSION)
	@ln -sf $(<F) $@

$(O)/flamefold: $(call obj,$(CLI_SRC)) $(O)/libflamefold.a
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# Its compiler is the one of MPI's headers, around ours.
mpi_compiler = $(if $(MPICC),OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC),$(error no mpicc: install Open MPI or MPICH, or name it: MPICC=))
$(call obj,$(MPI_SRC)): $(O)/%.o: %.c $(O)/flags $(O)/mpi
	@mkdir -p $(@D)
	$(call say,MPICC)$(mpi_compiler) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Which MPI that is.
$(O)/mpi: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(MPICC)' | cmp -s - $@ || printf '%s\n' '$(MPICC)' >$@

$(O)/flamefold-mpi: $(call obj,$(MPI_SRC) $(filter-out %/main.c,$(CLI_SRC))) $(O)/libflamefold.a
	$(call say,LD)$(mpi_compiler) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# Unit tests see inside: they link the plain objects, and only those they use.
$(O)/tests/inside.a: $(call obj,$(LIB_SRC) $(filter-out $(UNIT_SRC),$(UNIT_ALL))) $(O)/rings
	$(call say,AR)rm -f $@ && $(AR) rcsDT $@ $(filter %.o,$^)

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(O)/tests/inside.a $(rings_archives)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcriterion $(LIBS) -lm

other_rings = $(call obj,src/live/rings/syscalls.c)
$(O)/tests/syscalls/flamefold: $(filter-out %/libperf.o,$(call obj,$(CLI_SRC) $(LIB_SRC))) $(other_rings)
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# The archive's is not taken: all that it has is there by then.
$(O)/tests/syscalls/test_evlist: $(O)/tests/unit/live/rings/test_evlist.o $(other_rings) $(O)/tests/inside.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcriterion $(LIBS) -lm

# Hostile input, with our driver or, in O/fuzzed, with libFuzzer's.
fuzz_inputs = $(filter-out %.h $(if $(filter %.o,$^),%/libflamefold.a),$^)

$(O)/tests/hostile/%: tests/hostile/%.c $(O)/libflamefold.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(O)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(O)/libflamefold.a $(fuzz_headers)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(fuzz_inputs) $(LIBS)

# These see inside: the plain objects, not the archive.
inside = unwind perf_map jitdump names kernel_file event_format rule heat records words dwarf
$(inside:%=$(O)/tests/fuzz/%) $(inside:%=$(O)/fuzz/%): $(call obj,$(LIB_SRC)) $(rings_archives)
$(O)/tests/fuzz/rule $(O)/fuzz/rule: $(call obj,src/cli/mode_file.c)
$(O)/tests/fuzz/words $(O)/fuzz/words: $(call obj,$(filter-out %/main.c,$(CLI_SRC)))

# Those whose inputs are steps (choices.h) do without what libFuzzer remembers for its own mutations.
remembered = cmp1 cmp2 cmp4 cmp8 const_cmp1 const_cmp2 const_cmp4 const_cmp8 switch
by_steps   = $(addprefix $(O)/fuzz/,heat records words dwarf)
$(by_steps): fuzz_flags = $(remembered:%=-Wl,--wrap=__sanitizer_cov_trace_%)

$(O)/fuzz/%: tests/fuzz/%.c $(O)/libflamefold.a $(fuzz_headers)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer,address,undefined $(fuzz_flags) -o $@ $(fuzz_inputs) $(LIBS)

# API tests see <flamefold.h> and one form of the library.
api_flags = -Iinclude -Wall -Wextra -Wno-missing-field-initializers $(CFLAGS) $(ALL_LDFLAGS)
shared    = -L$(O) -lflamefold -Wl,-rpath,$(abspath $(O))

$(O)/tests/api/%.a: tests/api/%.c $(API_H) $(O)/libflamefold.a $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=c99 -pedantic $(api_flags) -o $@ $< $(O)/libflamefold.a $(LIBS)

$(O)/tests/api/%.so: tests/api/%.c $(API_H) $(O)/libflamefold.so $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=c99 -pedantic $(api_flags) -o $@ $< $(shared)

$(O)/tests/api/%.cxx: tests/api/%.c $(API_H) $(O)/libflamefold.so $(O)/flags
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -x c++ $(api_flags) -o $@ $< -x none $(shared)

$(O)/tests/bench/sumbytes: tests/bench/sumbytes.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -O2 -Wall -Wextra -o $@ $<

$(O)/tests/bench/switches: tests/bench/switches.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -O2 -Wall -Wextra -o $@ $<

$(O)/tests/bench/tables $(O)/tests/bench/decode: $(O)/%: %.c $(call obj,$(LIB_SRC)) $(rings_archives)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# They see inside.
$(O)/tests/names/spell $(O)/tests/tracepoints/fields: $(O)/%: %.c $(call obj,$(LIB_SRC)) $(rings_archives)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

FRAMES = -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(O)/tests/demo/workload: tests/demo/workload.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(FRAMES) -Wall -Wextra -o $@ $<

$(MODE_PROGRAMS): $(O)/tests/modes/%: tests/modes/%.c tests/modes/known.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -D_GNU_SOURCE $(FRAMES) -pthread -Wall -Wextra -o $@ $<

# What shells complete by: the command knows its options.
$(O)/completion.%: $(O)/flamefold
	$(call say,GEN)$< --completion $* >$@

install: all ## into DESTDIR and prefix
	$(INSTALL) -d $(addprefix $(DESTDIR),$(bindir) $(libdir)/pkgconfig $(includedir) $(mandir)/man1)
	$(INSTALL) -m 755 $(O)/flamefold $(MPI) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 $(O)/libflamefold.a $(O)/libflamefold.so.$(SOVERSION) $(DESTDIR)$(libdir)
	ln -sf libflamefold.so.$(SOVERSION) $(DESTDIR)$(libdir)/libflamefold.so
	$(INSTALL) -m 644 $(wildcard include/*.h) $(DESTDIR)$(includedir)
	$(INSTALL) -m 644 Documentation/flamefold.1 $(DESTDIR)$(mandir)/man1
	$(INSTALL) -d $(addprefix $(DESTDIR),$(bashdir) $(zshdir) $(fishdir))
	$(INSTALL) -m 644 $(O)/completion.bash $(DESTDIR)$(bashdir)/flamefold
	$(INSTALL) -m 644 $(O)/completion.zsh $(DESTDIR)$(zshdir)/_flamefold
	$(INSTALL) -m 644 $(O)/completion.fish $(DESTDIR)$(fishdir)/flamefold.fish
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
		-e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LIBS)|' \
		src/libflamefold.pc.in >$(DESTDIR)$(libdir)/pkgconfig/libflamefold.pc
	chmod 644 $(DESTDIR)$(libdir)/pkgconfig/libflamefold.pc

uninstall: ## take out what install put in
	rm -f $(addprefix $(DESTDIR),$(bindir)/flamefold $(bindir)/flamefold-mpi $(libdir)/libflamefold.a \
		$(libdir)/libflamefold.so $(libdir)/libflamefold.so.$(SOVERSION) \
		$(libdir)/pkgconfig/libflamefold.pc $(addprefix $(includedir)/,$(notdir $(wildcard include/*.h))) $(mandir)/man1/flamefold.1 \
		$(bashdir)/flamefold $(zshdir)/_flamefold $(fishdir)/flamefold.fish)

clean: ## remove what was built; keep what scripts/deps fetched
	rm -rf $(filter-out $(DEPS),$(wildcard $(O)/*)) demo.svg

distclean: clean ## remove the fetched dependencies too
	rm -rf $(O) $(DEPS)

help: ## this text
	@echo 'Targets:'
	@sed -n 's/^\([a-z%-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@printf '%s\n' '' 'Variables:' \
		'  O=dir       build there (build)' \
		'  V=1         show the commands' \
		'  DEPS=dir    what scripts/deps fetched or built, also that of another checkout (build/deps)' \
		'  RINGS=name  live rings on libperf (where DEPS has it) or on bare syscalls' \
		'  MPICC=name  compiler of Open MPI or MPICH for flamefold-mpi (mpicc, where it is); empty: without' \
		'  SAN=list    sanitizers: address,undefined (with O=build-san)' \
		'  CC= CXX= CFLAGS= CPPFLAGS= LDFLAGS=   compilers and flags (cc, g++, -O2 -g)' \
		'  DESTDIR= prefix=   where install puts things (/usr/local)' \
		'  CORPUS=dir  recorded profiles for check; without it their tests are skipped' \
		'  TESTS=text  check only tests whose kind and name contain this' \
		'  JOBS=n      test files that run at a time (one a processor)' \
		'  T=seconds   for fuzz' \
		'  BENCH=words BENCH_SAMPLES= BENCH_RUNS= FLAMEGRAPH=dir KEEP=1   for bench'

-include $(shell find $(O)/src $(O)/tests -name '*.d' 2>/dev/null)
