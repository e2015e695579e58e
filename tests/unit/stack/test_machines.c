#include "walked.h"

#include <dwarf.h>
#include <elf.h>

static void begin_i386(struct walked *w)
{
	walked_begin_i386(w);
	/* push %ebp; mov %esp,%ebp */
	cfi_fde(&w->cfi, 0x1040, 0x20,
		OPS(DW_CFA_def_cfa_offset, 8, DW_CFA_offset | 5, 2,
		    DW_CFA_def_cfa_register, 5));
}

Test(machines, i386_has_words_of_4_bytes)
{
	struct walked w;

	begin_i386(&w);
	w.value[5] = STACK32(5);
	walked_set32(&w, 0, (uint32_t)CODE(0x1050));
	walked_set32(&w, 5, 0x77);
	walked_set32(&w, 6, (uint32_t)CODE(0x1070));
	cr_assert_str_eq(walked(&w), "1000 1050- 1070- root");
	walked_end(&w);
}

Test(machines, i386_registers_may_have_anything_above)
{
	struct walked w;

	begin_i386(&w);
	w.sample.user_abi = 1;
	w.value[5] = STACK32(5) | (uint64_t)0xffffffff << 32;
	w.value[8] |= (uint64_t)7 << 40;
	walked_set32(&w, 0, (uint32_t)CODE(0x1050));
	walked_set32(&w, 6, (uint32_t)CODE(0x1070));
	cr_assert_str_eq(walked(&w), "1000 1050- 1070- root");
	walked_end(&w);
}

Test(machines, i386_is_walked_by_frame_pointers_too)
{
	struct walked w;

	begin_i386(&w);
	w.value[8] = CODE(0x1200);
	w.value[5] = STACK32(5);
	walked_set32(&w, 5, STACK32(9));
	walked_set32(&w, 6, (uint32_t)CODE(0x1300));
	walked_set32(&w, 10, (uint32_t)CODE(0x1070));
	walked_call(&w, 0x1300);
	CODE_BYTES(&w, 0x1070 - 2, 0xff, 0xd0);
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root");
	walked_end(&w);
}

Test(machines, an_i386_system_call_waits_in_the_vdso)
{
	struct walked w;
	struct record vdso = { .type = PERF_RECORD_MMAP,
			       .mode = MODE_USER,
			       .pid = WALKED_PID,
			       .tid = WALKED_PID,
			       .executable = true,
			       .start = 0xa00000,
			       .size = 0x2000,
			       .build_id_size = 20,
			       .build_id = { 1, 2, 3 } };

	begin_i386(&w);
	vdso.name = name_id(&w.t, "[vdso]");
	apply(&w.t, vdso);
	w.value[8] = 0xa00559;
	walked_set32(&w, 0, STACK32(9)); /* ebp, edx, ecx, and then it returns */
	walked_set32(&w, 3, (uint32_t)CODE(0x1050));
	walked_set32(&w, 10, (uint32_t)CODE(0x1070));
	CODE_BYTES(&w, 0x1050 - 7, 0x65, 0xff, 0x15, 0x10, 0, 0, 0);
	cr_assert_str_eq(walked(&w), "v 1050- 1070- root");
	walked_end(&w);
}

static void fill_aarch64(struct walked *w)
{
	walked_begin_aarch64(w);
	/* stp x29,x30,[sp,#-32]!; mov x29,sp */
	cfi_fde(&w->cfi, 0x1040, 0x20,
		OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29,
		    4, DW_CFA_offset | 30, 3));
	w->value[30] = CODE(0x1050);
	w->value[29] = STACK(0);
	w->word[0] = STACK(4);
	w->word[1] = CODE(0x1058);
	w->word[4] = 0;
	w->word[5] = CODE(0x1070);
}

Test(machines, an_aarch64_leaf_has_its_return_address_in_a_register)
{
	struct walked w;

	fill_aarch64(&w);
	cr_assert_str_eq(walked(&w), "1000 1050- 1058- 1070- root");
	w.value[32] = CODE(0x1040);
	cr_assert_str_eq(walked(&w), "1040 1050- 1058- 1070- root",
			 "before it has saved it");
	w.value[32] = CODE(0x1044);
	cr_assert_str_eq(walked(&w), "1044 1058- 1070- root");
	walked_end(&w);
}

Test(machines, aarch64_return_addresses_are_freed_of_their_signature)
{
	static const uint64_t signatures[] = {
		(uint64_t)0x55 << 56, /* a tag */
		(uint64_t)0x7f << 48,	  (uint64_t)0x1a2b << 48,
		(uint64_t)0x7fffff << 39, /* addresses of 39 bits */
		(uint64_t)0x00a5a5 << 39, (uint64_t)0xd << 42,
	};
	struct walked w;

	fill_aarch64(&w);
	for (size_t i = 0; i < sizeof(signatures) / sizeof(*signatures); i++) {
		w.value[30] = CODE(0x1050) | signatures[i];
		w.word[1] = CODE(0x1058) | signatures[i];
		cr_assert_str_eq(walked(&w), "1000 1050- 1058- 1070- root", "case %zu",
				 i);
	}
	walked_end(&w);
}

Test(machines, a_signature_alone_is_no_address)
{
	struct walked w;

	fill_aarch64(&w);
	w.word[1] = (uint64_t)0x1a2b << 48;
	w.word[0] = 0x77;
	cr_assert_str_eq(walked(&w), "1000 1050- root");
	w.word[1] |= 0x900000;
	cr_assert_str_eq(walked(&w), "1000 1050- ? bad");
	walked_end(&w);
}

/* bl */
#define BL 1, 0, 0, 0x94

Test(machines, aarch64_frame_records_are_followed)
{
	struct walked w;

	fill_aarch64(&w);
	w.value[32] = CODE(0x1200);
	w.value[7] = 0;
	w.word[1] = CODE(0x1300) | (uint64_t)0x1a2b << 48;
	CODE_BYTES(&w, 0x1300 - 4, BL);
	CODE_BYTES(&w, 0x1070 - 4, 0x00, 0x01, 0x3f, 0xd6); /* blr x8 */
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root");
	w.word[1] = CODE(0x1304);
	cr_assert_str_eq(walked(&w), "1200 no cfi", "no call before it");
	walked_end(&w);
}

Test(machines, behind_a_frame_record_the_stack_pointer_is_not_known)
{
	struct walked w;

	fill_aarch64(&w);
	w.value[32] = CODE(0x1200); /* without a row; its record is that at word 0 */
	w.word[1] = CODE(0x1050); /* counts from sp, which nobody knows */
	CODE_BYTES(&w, 0x1050 - 4, BL);
	CODE_BYTES(&w, 0x1070 - 4, BL);
	cr_assert_str_eq(walked(&w), "1200 1050- 1070- root");
	walked_end(&w);
}

Test(machines, an_aarch64_chain_ends_at_an_empty_record)
{
	struct walked w;

	fill_aarch64(&w);
	w.value[32] = CODE(0x1200);
	w.word[1] = CODE(0x1300);
	w.word[5] = 0;
	CODE_BYTES(&w, 0x1300 - 4, BL);
	cr_assert_str_eq(walked(&w), "1200 1300- root");
	walked_end(&w);
}

Test(machines, an_object_of_another_machine_has_no_rows)
{
	struct walked w;

	fill_aarch64(&w);
	w.t.rec.arch = name_id(&w.t, "x86_64");
	w.value[0] = 1;
	walked(&w);
	cr_assert_eq(w.stack.incomplete, INCOMPLETE_NO_CFI);
	walked_end(&w);
}
