#include "unit/symbol/subject.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct subject subject;

void subject_begin(void)
{
	memset(&subject, 0, sizeof(subject));
	subject.options.threads = 2;
	cr_assert_eq(intern_init(&subject.strings), 0);
	cr_assert_eq(images_init(&subject.images, &subject.strings), 0);
}

void subject_end(void)
{
	if (subject.ran)
		symbols_release(&subject.symbols);
	frames_release(&subject.frames);
	images_release(&subject.images);
	intern_release(&subject.strings);
}

uint32_t string(const char *text)
{
	uint32_t id;

	cr_assert_eq(intern_add(&subject.strings, text, strlen(text), &id), 0);
	return id;
}

uint32_t add_image(enum image_kind kind, const char *path, const char *build_id)
{
	struct image image = { .kind = kind, .path = string(path) };
	uint32_t id;

	if (build_id) {
		image.build_id_size = 20;
		memcpy(image.build_id, build_id, 20);
	}
	cr_assert_eq(images_add(&subject.images, &image, &id), 0);
	return id;
}

uint32_t add_frame(uint32_t image, uint64_t address, uint32_t flags)
{
	struct frame frame = { address, image, flags };
	uint32_t id;

	cr_assert_eq(frames_add(&subject.frames, &frame, &id), 0);
	return id;
}

void run(void)
{
	struct symbolizer *s;

	cr_assert_eq(symbolizer_new(&subject.ctx, &subject.images, &subject.strings,
				    &subject.options, &s),
		     0);
	symbolizer_expect_kernel(s);
	cr_assert_eq(symbolizer_run(&subject.ctx, s, &subject.frames, &subject.symbols),
		     0);
	subject.ran = true;
	symbolizer_free(s);
}

const struct function *function_of(uint32_t frame)
{
	return &subject.symbols.functions.v[subject.symbols.of_frame.v[frame]];
}

const char *name_of(uint32_t frame)
{
	return intern_text(&subject.strings, function_of(frame)->name);
}

const char *chain_of(uint32_t frame)
{
	static char chain[1024];
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(&subject.symbols, frame, &count);

	snprintf(chain, sizeof(chain), "%s", name_of(frame));
	for (uint32_t i = 0; i < count; i++) {
		const struct function *f = &subject.symbols.functions.v[inlined[i]];

		snprintf(chain + strlen(chain), sizeof(chain) - strlen(chain), " %s",
			 intern_text(&subject.strings, f->name));
	}
	return chain;
}

const char *problem_of(uint32_t image)
{
	return intern_text(&subject.strings, subject.symbols.images.v[image].problem);
}

const char *file_of(uint32_t image)
{
	return intern_text(&subject.strings, subject.symbols.images.v[image].file);
}
