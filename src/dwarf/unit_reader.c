/*
 * Two things that know nothing of each other are joined here: the calls around an
 * address, from the unit's DIEs, and the line of the address, from its line program. The
 * innermost frame has the line of the address, each one around it the line of the call
 * that is inside of it:
 *
 *	frame       of            its line
 *	g           call g        the address, by the line program
 *	f           call f        call g: DW_AT_call_file, DW_AT_call_line
 *	main        the function  call f
 *
 * With -gsplit-dwarf the unit in the object is a skeleton: it has addresses and lines,
 * its .dwo file has the DIEs, or the .dwp file that it was packed into. All of a unit is read inside debug_guarded(), because
 * libdw may crash on what is broken. After that neither its handles nor this reader are
 * used again.
 */
#include "dwarf/unit_reader.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum { TEXT_BYTES_A_STEP = 16, IMAGE_BYTES_A_STEP = 32 };

int unit_reader_init(struct unit_reader *r, struct unit_source *source)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->source = source;
	r->meter.work = &source->work;
	r->missing_unit = SIZE_MAX;
	err = debug_handle_open(&source->image,
				source->alternate.bytes ? &source->alternate : NULL,
				&r->handle);
	if (err == 0)
		err = debug_names_init(&r->names, &r->meter);
	r->names.declared = source->options.declared;
	if (err == 0)
		err = intern_init(&r->files);
	if (err < 0)
		unit_reader_release(r);
	return err;
}

static void close_split(struct unit_split *s)
{
	object_close(&s->file);
	debug_handle_close(&s->handle);
	debug_units_release(&s->units);
	debug_image_release(&s->image);
	memset(s, 0, sizeof(*s));
}

void unit_reader_release(struct unit_reader *r)
{
	close_split(&r->split);
	debug_calls_release(&r->calls);
	debug_names_release(&r->names);
	debug_handle_close(&r->handle);
	line_program_release(&r->lines);
	line_program_release(&r->split_lines);
	line_program_release(&r->other_lines);
	array_release(&r->found_lines);
	intern_release(&r->files);
	hash_map_release(&r->file_ids);
	text_release(&r->path);
	array_release(&r->frames);
	text_release(&r->missing);
}

/* One unit, and what is asked of it. */
struct unit_job {
	struct unit_reader *r;
	size_t unit;
	const uint64_t *addresses;
	size_t count;
	struct unit_answer *answers;
	Dwarf_Die cu;
	struct debug_base base;
	uint8_t type;
	uint64_t id;
};

static const char *attribute_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static const char *split_name(Dwarf_Die *cu)
{
	const char *name = attribute_string(cu, DW_AT_dwo_name);

	return name ? name : attribute_string(cu, DW_AT_GNU_dwo_name);
}

/* The unit of the .dwo file that has the id of the skeleton. */
static bool find_split_unit(struct unit_job *j, struct unit_split *s)
{
	for (size_t i = 0; i < s->units.list.count; i++) {
		uint64_t id;
		uint8_t type;

		if (!dwarf_offdie(s->handle.dwarf, s->units.list.v[i].head.die, &s->cu) ||
		    dwarf_cu_info(s->cu.cu, NULL, &type, NULL, NULL, &id, NULL, NULL) !=
			    0)
			return false;
		if (type == DW_UT_split_compile && id == j->id)
			return true;
	}
	return false;
}

/* @row: of the package; NULL: of a file of its own, which is open. */
static int read_split(struct context *ctx, struct unit_job *j, const uint32_t *row)
{
	struct context why = { 0 };
	struct unit_reader *r = j->r;
	const struct unit_source *source = r->source;
	struct unit_split *s = &r->split;
	const struct package_unit unit = {
		.row = row ? *row : 0,
		.lines = source->options.lines || source->options.declared,
		.given.addresses =
			debug_unit_addresses(&source->units, j->unit, &source->image),
		.given.ranges =
			debug_unit_ranges(&source->units, j->unit, &source->image),
	};
	int err = row ? debug_package_read(&why, &source->package, &unit, &r->meter,
					   &s->image)
		      : debug_image_read_split(&why, &s->file, unit.lines, &unit.given,
					       &s->image);

	/* Strings that were copied for nothing. */
	if (row && err < 0)
		debug_meter_add(&r->meter,
				source->package.strings_size / IMAGE_BYTES_A_STEP);
	s->image.first_code = source->image.first_code;
	/* Units of a hostile file are all in one, that is read for each. */
	debug_meter_add(&r->meter, s->image.size / IMAGE_BYTES_A_STEP);
	if (err == 0)
		err = debug_units_read(&s->units, &s->image, &r->meter);
	if (err == -ETIME)
		return err;
	if (err == 0)
		err = debug_handle_open(&s->image, NULL, &s->handle);
	if (err == -ENOMEM)
		return err;
	if (err == -EBADMSG || err == -EFAULT)
		err = fail(&why, err, "it is broken");
	if (err == 0 && !find_split_unit(j, s))
		err = fail(&why, -ENOENT, "it is of another build");
	return err < 0 ? fail(ctx, err,
			      "'%.900s', which holds a part of its debug information, "
			      "cannot be used: %.100s",
			      split_name(&j->cu), why.error)
		       : 0;
}

/* Where it cannot be had the skeleton alone is read: it may have something, too. */
static int open_split(struct unit_job *j)
{
	struct unit_reader *r = j->r;
	const struct unit_source *source = r->source;
	const char *name = split_name(&j->cu);
	struct context ctx = { 0 };
	uint32_t row;
	bool packed;
	int err;

	if (!name)
		return 0;
	debug_meter_add(&r->meter, source->units.list.count / 16);
	packed = debug_package_find(&source->package, j->id, &row);
	err = packed ? 0
		     : debug_find_split(
			       &ctx, &source->options.dirs, source->debug,
			       &(struct split_path){
				       attribute_string(&j->cu, DW_AT_comp_dir), name },
			       &r->split.file);
	if (err == 0)
		err = read_split(&ctx, j, packed ? &row : NULL);
	if (err == 0) {
		debug_base_of_split(&r->split.base, &r->split.image, &r->split.cu,
				    &j->base);
		return 0;
	}
	close_split(&r->split);
	if (err == -ENOMEM || err == -ETIME)
		return err;
	/* The sentence of the first unit in the file is kept, whatever the order. */
	r->missing_files++;
	if (j->unit > r->missing_unit)
		return 0;
	r->missing_unit = j->unit;
	text_clear(&r->missing);
	text_string(&r->missing, ctx.error);
	return r->missing.failed ? -ENOMEM : 0;
}

static int find_lines(struct unit_job *j)
{
	struct unit_reader *r = j->r;
	Dwarf_Attribute attribute;
	Dwarf_Word at;

	hash_map_release(&r->file_ids);
	r->found_lines.count = 0;
	if (!array_reserve(&r->found_lines, j->count))
		return -ENOMEM;
	r->found_lines.count = j->count;
	memset(r->found_lines.v, 0, j->count * sizeof(*r->found_lines.v));
	r->lines.files.count = r->split_lines.files.count = 0;
	r->lines.directories.count = r->split_lines.directories.count = 0;
	r->lines.tables = r->split_lines.tables = 0;
	if (!r->source->options.lines && !r->source->options.declared)
		return 0;
	if (r->split.cu.cu)
		line_program_read(&r->split_lines, &r->split.image, 0,
				  attribute_string(&j->cu, DW_AT_comp_dir),
				  r->split.base.address_size);
	if (dwarf_attr(&j->cu, DW_AT_stmt_list, &attribute) &&
	    dwarf_formudata(&attribute, &at) == 0 &&
	    line_program_read(&r->lines, &r->source->image, at,
			      attribute_string(&j->cu, DW_AT_comp_dir),
			      j->base.address_size) &&
	    r->source->options.lines)
		line_program_run(&r->lines, j->addresses, j->count, r->found_lines.v,
				 &r->meter);
	debug_meter_add(&r->meter, line_program_steps(&r->lines) +
					   line_program_steps(&r->split_lines));
	return r->meter.spent ? -ETIME : 0;
}

/* The path of a file of the program; *@ret is NULL where there is none. */
static int source_file_of(struct unit_reader *r, const struct line_program *p,
			  uint32_t number, const char **ret)
{
	uint64_t key = (uint64_t)(p == &r->split_lines) << 32 | number;
	const uint32_t *known = hash_map_get(&r->file_ids, key);
	uint32_t id = 0;

	*ret = NULL;
	if (!known) {
		text_clear(&r->path);
		if (line_program_path(p, number, &r->path) &&
		    (r->path.failed ||
		     intern_add(&r->files, r->path.bytes, r->path.size, &id) < 0))
			return -ENOMEM;
		if (!hash_map_set(&r->file_ids, key, id))
			return -ENOMEM;
		debug_meter_add(&r->meter, r->path.size / TEXT_BYTES_A_STEP);
	}
	id = known ? *known : id;
	if (id)
		*ret = intern_text(&r->files, id);
	return 0;
}

/* A file of another unit that this one refers to, as where dwz or a linker has put the same
 * things of several units together. It has no id: yet another unit may be next. */
static int other_file(struct unit_reader *r, const struct debug_name *name,
		      const char **ret)
{
	const struct debug_image *images[] = { &r->source->image, &r->source->alternate };
	bool known = r->other == name->unit;
	Dwarf_Attribute attribute;
	uint8_t address_size;
	Dwarf_Die cu;
	Dwarf_Word at;
	uint32_t id;

	if (!known) {
		r->other = name->unit;
		r->other_lines.files.count = r->other_lines.directories.count = 0;
		r->other_lines.tables = 0;
		known = !dwarf_cu_die(name->unit, &cu, NULL, NULL, &address_size, NULL,
				      NULL, NULL);
	}
	/* Which image it is in, only its bytes tell. */
	for (size_t i = 0; i < 2 && !known; i++) {
		const uint8_t *die = cu.addr;

		if (!images[i]->bytes || die < images[i]->bytes ||
		    die >= images[i]->bytes + images[i]->size)
			continue;
		if (dwarf_attr(&cu, DW_AT_stmt_list, &attribute) &&
		    dwarf_formudata(&attribute, &at) == 0)
			line_program_read(&r->other_lines, images[i], at,
					  attribute_string(&cu, DW_AT_comp_dir),
					  address_size);
		debug_meter_add(&r->meter, line_program_steps(&r->other_lines));
		known = true;
	}
	text_clear(&r->path);
	if (!line_program_path(&r->other_lines, name->file, &r->path))
		return 0;
	debug_meter_add(&r->meter, r->path.size / TEXT_BYTES_A_STEP);
	if (r->path.failed || intern_add(&r->files, r->path.bytes, r->path.size, &id) < 0)
		return -ENOMEM;
	*ret = intern_text(&r->files, id);
	return 0;
}

static int add_inlined_frame(struct unit_reader *r, uint32_t name_id,
			     const struct line_program *p, const struct source_line *at)
{
	/* clang refers to the files of the skeleton. */
	const struct line_program *own =
		r->split_lines.files.count > 0 ? &r->split_lines : &r->lines;
	const struct debug_name *name = &r->names.list.v[name_id];
	struct inline_frame *frame;
	int err = 0;

	if (!debug_meter_add(&r->meter, 1))
		return -ETIME;
	frame = array_add(&r->frames);
	if (!frame)
		return -ENOMEM;
	frame->name = name->text;
	frame->mangled = name->mangled;
	frame->line = r->source->options.lines ? at->line : 0;
	frame->declared = NULL;
	frame->declared_line = name->line;
	if (name->unit == r->unit)
		err = source_file_of(r, own, name->file, &frame->declared);
	else if (name->unit)
		err = other_file(r, name, &frame->declared);
	if (err == 0 && frame->line)
		err = source_file_of(r, p, at->file, &frame->file);
	return err;
}

/* The frames of each address: from the innermost call outwards, each with the line that
 * the next one further in is called from. */
static int answer_job(struct unit_job *j)
{
	struct unit_reader *r = j->r;
	int err = 0;

	for (size_t i = 0; i < j->count && err == 0; i++) {
		const struct line_program *p = &r->lines;
		struct source_line at = r->found_lines.v[i];
		uint32_t call = r->calls.asked.innermost.v[i];
		size_t first = r->frames.count;

		if (call == CALL_NONE && at.line)
			err = add_inlined_frame(r, 0, p, &at);
		for (; call != CALL_NONE && err == 0;
		     call = r->calls.list.v[call].caller) {
			const struct debug_call *c = &r->calls.list.v[call];

			err = add_inlined_frame(r, c->name, p, &at);
			at = (struct source_line){ c->file, c->line };
			/* clang refers to the files of the skeleton. */
			if (r->split_lines.files.count > 0)
				p = &r->split_lines;
		}
		j->answers[i] = (struct unit_answer){ first, r->frames.count - first };
	}
	return err;
}

static int read_unit(void *arg)
{
	struct unit_job *j = arg;
	struct unit_reader *r = j->r;
	const struct unit_source *source = r->source;
	struct call_question *asked = &r->calls.asked;
	int err = 0;

	if (!dwarf_offdie(r->handle.dwarf, source->units.list.v[j->unit].head.die,
			  &j->cu) ||
	    dwarf_cu_info(j->cu.cu, NULL, &j->type, NULL, NULL, &j->id, NULL, NULL) != 0)
		return 0;
	debug_base_of(&j->base, &source->image, &j->cu);
	asked->addresses.count = 0;
	if (!array_reserve(&asked->addresses, j->count))
		return -ENOMEM;
	memcpy(asked->addresses.v, j->addresses, j->count * sizeof(*j->addresses));
	asked->addresses.count = j->count;
	if (source->units.list.v[j->unit].skeleton)
		err = open_split(j);
	if (err < 0)
		return err;
	r->unit = r->split.cu.cu ? r->split.cu.cu : j->cu.cu;
	r->other = NULL;
	r->names.images[0] = r->split.cu.cu ? &r->split.image : &source->image;
	r->names.images[1] = source->alternate.bytes ? &source->alternate : NULL;
	if (r->split.cu.cu)
		err = debug_calls_find(&r->calls, &r->split.cu, &r->split.base,
				       &r->names);
	else
		err = debug_calls_find(&r->calls, &j->cu, &j->base, &r->names);
	if (err == 0)
		err = find_lines(j);
	return err < 0 ? err : answer_job(j);
}

int unit_reader_read(struct unit_reader *r, size_t unit, const uint64_t *addresses,
		     size_t count, struct unit_answer *answers)
{
	struct unit_job job = { .r = r,
				.unit = unit,
				.addresses = addresses,
				.count = count,
				.answers = answers };
	int err;

	if (r->meter.spent || r->crashed)
		return 0;
	err = debug_guarded(read_unit, &job);
	if (err == -EFAULT) {
		debug_handle_forget(&r->handle);
		debug_handle_forget(&r->split.handle);
		r->crashed = true;
		err = 0;
	}
	close_split(&r->split);
	return err == -ETIME ? 0 : err;
}
