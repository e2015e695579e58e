#include "cfi/section.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "unit/cfi/cfi_image.h"

static struct cie plain_cie(void)
{
	static const uint8_t ops[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };

	return (struct cie){ 3, "", 0, 1, -8, 16, false, ops, sizeof(ops) };
}

/* A function in .debug_frame alone. */
static void begin_debug(struct cfi_image *i)
{
	cfi_begin(i, EM_X86_64);
	cfi_debug(i);
	cfi_cie(i, plain_cie());
	cfi_fde(i, CFI_TEXT, 0x10, OPS(DW_CFA_def_cfa_offset, 16));
}

static void expect_debug(struct cfi_image *i, const char *row)
{
	struct unwind_table t;

	cfi_compile(i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), row);
	unwind_release(&t);
	cfi_end(i);
}

/* What .debug_frame holds -> @head and the packed bytes. */
static void pack(struct cfi_image *i, const void *head, size_t head_size, bool zstd)
{
	uint8_t packed[4096];
	uLongf size = sizeof(packed);
	struct cfi_part whole = i->debug;

	if (zstd)
		size = ZSTD_compress(packed, sizeof(packed), whole.v, whole.count, 1);
	else
		cr_assert_eq(compress(packed, &size, whole.v, whole.count), Z_OK);
	i->debug = (struct cfi_part){ 0 };
	cfi_bytes(i, head, head_size);
	cfi_bytes(i, packed, size);
	free(whole.v);
}

static void pack_elf(struct cfi_image *i, uint32_t type, uint64_t size)
{
	Elf64_Chdr head = { .ch_type = type, .ch_size = size, .ch_addralign = 8 };

	i->debug_flags = SHF_COMPRESSED;
	pack(i, &head, sizeof(head), type == 2);
}

static void pack_gnu(struct cfi_image *i, uint64_t size)
{
	uint8_t head[12] = "ZLIB";

	for (int b = 0; b < 8; b++)
		head[4 + b] = (uint8_t)(size >> (56 - 8 * b));
	i->debug_name = ".zdebug_frame";
	pack(i, head, sizeof(head), false);
}

Test(cfi_section, debug_frame_is_read)
{
	struct cfi_image i;

	begin_debug(&i);
	expect_debug(&i, "sp+16 ra=c-8");
}

Test(cfi_section, debug_frame_may_be_compressed)
{
	struct cfi_image i;

	begin_debug(&i);
	pack_elf(&i, ELFCOMPRESS_ZLIB, i.debug.count);
	expect_debug(&i, "sp+16 ra=c-8");
	begin_debug(&i);
	pack_elf(&i, 2 /* zstd */, i.debug.count);
	expect_debug(&i, "sp+16 ra=c-8");
	begin_debug(&i);
	pack_gnu(&i, i.debug.count);
	expect_debug(&i, "sp+16 ra=c-8");
}

Test(cfi_section, a_compressed_section_of_another_size_is_nothing)
{
	static const int64_t wrong[] = { -1, 1, 1 << 20, 1ll << 40 };
	struct cfi_image i;

	for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++)
		for (uint32_t type = 0; type <= 3; type++) {
			begin_debug(&i);
			if (type == 0)
				pack_gnu(&i, i.debug.count + (uint64_t)wrong[w]);
			else
				pack_elf(&i, type, i.debug.count + (uint64_t)wrong[w]);
			expect_debug(&i, "none");
		}
	begin_debug(&i);
	pack_elf(&i, 3, i.debug.count);
	expect_debug(&i, "none");
}

Test(cfi_section, a_section_that_unpacks_to_a_megabyte_and_64_times_its_size_is_nothing)
{
	static const uint8_t zeros[2 << 20];
	struct cfi_image i;

	begin_debug(&i);
	cfi_bytes(&i, zeros, sizeof(zeros) / 4);
	pack_elf(&i, ELFCOMPRESS_ZLIB, i.debug.count);
	expect_debug(&i, "sp+16 ra=c-8");
	begin_debug(&i);
	cfi_bytes(&i, zeros, sizeof(zeros));
	pack_elf(&i, ELFCOMPRESS_ZLIB, i.debug.count);
	expect_debug(&i, "none");
	begin_debug(&i);
	cfi_bytes(&i, zeros, sizeof(zeros));
	pack_elf(&i, 2 /* zstd */, i.debug.count);
	expect_debug(&i, "none");
}

Test(cfi_section, a_compressed_section_that_is_damaged_is_nothing)
{
	struct cfi_image i;

	begin_debug(&i);
	pack_elf(&i, ELFCOMPRESS_ZLIB, i.debug.count);
	i.debug.v[i.debug.count - 1] ^= 1;
	expect_debug(&i, "none");
	begin_debug(&i);
	pack_elf(&i, ELFCOMPRESS_ZLIB, i.debug.count);
	i.debug.count = 10;
	expect_debug(&i, "none");
}

/*
 *	.eh_frame               |---16---|          |---24---|
 *	.debug_frame    |--------------64--------|--------72--------|
 */
Test(cfi_section, debug_frame_fills_what_eh_frame_leaves)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT + 0x40, 0x40, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&i, CFI_TEXT + 0xc0, 0x40, OPS(DW_CFA_def_cfa_offset, 24));
	cfi_debug(&i);
	cfi_cie(&i, plain_cie());
	cfi_fde(&i, CFI_TEXT, 0xa0, OPS(DW_CFA_def_cfa_offset, 0xc0, 0));
	cfi_fde(&i, CFI_TEXT + 0xa0, 0xa0, OPS(DW_CFA_def_cfa_offset, 0xc8, 0));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+64 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x3f), "sp+64 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x40), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x80), "sp+64 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0xa0), "sp+72 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0xc0), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x100), "sp+72 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x140), "none");
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_section, debug_frame_of_the_debug_file_comes_last)
{
	struct cfi_image i, debug;
	struct unwind_table t;
	struct object o, d;

	begin_debug(&i);
	cfi_begin(&debug, EM_X86_64);
	cfi_debug(&debug);
	cfi_cie(&debug, plain_cie());
	cfi_fde(&debug, CFI_TEXT, 0x10, OPS(DW_CFA_def_cfa_offset, 64));
	cfi_fde(&debug, CFI_TEXT + 0x10, 0x10, OPS(DW_CFA_def_cfa_offset, 72, 0));
	cfi_open(&i, &o);
	cfi_open(&debug, &d);
	cr_assert_eq(unwind_compile(&o, &d, &t), 0);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+72 ra=c-8");
	unwind_release(&t);
	d.machine = EM_AARCH64; /* a debug file of something else */
	cr_assert_eq(unwind_compile(&o, &d, &t), 0);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "none");
	unwind_release(&t);
	object_close(&o);
	object_close(&d);
	cfi_end(&i);
	cfi_end(&debug);
}

/* An .eh_frame_hdr: the pointer to .eh_frame, then a table that makes no sense. */
static void put_header(struct cfi_image *i, uint8_t encoding, uint64_t pointer)
{
	const uint8_t head[] = { 1, encoding, 0x03, 0x3b };

	i->to = &i->header;
	cfi_bytes(i, head, sizeof(head));
	cfi_number(i, pointer, 4);
	cfi_number(i, 0x7fffffff, 4);
	cfi_number(i, UINT64_MAX, 8);
	i->to = &i->eh;
}

static void begin_stripped(struct cfi_image *i)
{
	cfi_begin(i, EM_X86_64);
	i->stripped = true;
	cfi_cie(i, CIE_X86_64);
	cfi_fde(i, CFI_TEXT, 0x10, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_number(i, 0, 4); /* the end, which nothing else says */
}

Test(cfi_section, without_section_headers_the_segment_leads_to_eh_frame)
{
	static const struct {
		uint8_t encoding;
		int64_t base; /* from the header on */
	} forms[] = {
		{ DW_EH_PE_pcrel | DW_EH_PE_sdata4, 4 },
		{ DW_EH_PE_datarel | DW_EH_PE_sdata4, 0 },
	};
	struct cfi_image i;

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		begin_stripped(&i);
		put_header(&i, forms[f].encoding,
			   -(i.eh.count + (uint64_t)forms[f].base));
		expect_debug(&i, "sp+16 ra=c-8");
	}
	begin_stripped(&i);
	put_header(&i, DW_EH_PE_udata4, CFI_TEXT + i.text_size);
	expect_debug(&i, "sp+16 ra=c-8");
}

Test(cfi_section, what_follows_the_end_of_eh_frame_is_no_entry)
{
	struct cfi_image i;
	struct unwind_table t;

	begin_stripped(&i);
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, NO_OPS);
	put_header(&i, DW_EH_PE_udata4, CFI_TEXT + i.text_size);
	cfi_compile(&i, &t);
	cr_expect_eq(t.function_count, 1);
	cr_expect_eq(t.refused, 0);
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_section, a_segment_that_leads_nowhere_is_nothing)
{
	struct cfi_image i;

	begin_stripped(&i);
	put_header(&i, DW_EH_PE_udata4, 0x7fffffff);
	expect_debug(&i, "none");
	begin_stripped(&i);
	put_header(&i, DW_EH_PE_omit, 0);
	expect_debug(&i, "none");
	begin_stripped(&i);
	put_header(&i, DW_EH_PE_udata4, CFI_TEXT + i.text_size);
	i.header.v[0] = 2;
	expect_debug(&i, "none");
	begin_stripped(&i);
	i.to = &i.header;
	cfi_number(&i, 0x3b031b01, 4);
	expect_debug(&i, "none");
}

/* What the header says is a hint: static programs have none, and it may lie. */
Test(cfi_section, with_section_headers_the_segment_is_not_asked)
{
	struct cfi_image i;

	begin_stripped(&i);
	i.stripped = false;
	put_header(&i, DW_EH_PE_udata4, 0x7fffffff);
	expect_debug(&i, "sp+16 ra=c-8");
}
