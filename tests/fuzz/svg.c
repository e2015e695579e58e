/*
 * A picture that is read back. The first byte chooses: 0, the rest is the file; else it is
 * what was packed, so that the fuzzer need not invent base91, and bit 1 asks for a flame
 * chart, bit 2 for chains, bit 3 for the first format, which has base64, bit 4 for when it
 * was.
 */
#include <flamefold_time.h>

#include "profile.h"

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char digits_91[] = "!\"#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

static void print_base64(FILE *out, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = (uint32_t)data[i] << 16;
		size_t n = size - i < 3 ? size - i : 3;

		three |= n > 1 ? (uint32_t)data[i + 1] << 8 : 0;
		three |= n > 2 ? data[i + 2] : 0;
		for (size_t k = 0; k < 4; k++)
			putc(k <= n ? digits[three >> (18 - 6 * k) & 63] : '=', out);
	}
}

static void print_base91(FILE *out, const uint8_t *data, size_t size)
{
	uint32_t bits = 0;
	int count = 0;

	for (size_t i = 0; i < size || count > 0; count -= 13, bits >>= 13) {
		uint32_t two;

		for (; i < size && count < 13; count += 8)
			bits |= (uint32_t)data[i++] << count;
		two = bits & 8191;
		putc(digits_91[two % 91], out);
		if (count > 6)
			putc(digits_91[two / 91], out);
	}
}

static void wrap(FILE *out, const uint8_t *data, size_t size, unsigned choice)
{
	fprintf(out,
		"<svg><metadata id=\"flamefold-data\" data-format=\"%d\" "
		"data-packing=\"none\" "
		"data-bytes=\"%zu\" data-chart=\"%d\" data-chain=\"%d\"><data>",
		choice & 8 ? 1 : 3, size, choice >> 1 & 1, choice >> 2 & 1);
	(choice & 8 ? print_base64 : print_base91)(out, data, size);
	fprintf(out, "</data></metadata></svg>");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned flags = size && data[0] & 2	? FF_FLAMECHART
			 : size && data[0] & 16 ? FF_HEAT | FF_PHASES
						: 0;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (size < 2)
		return 0;
	if (data[0] == 0) {
		fuzz_profile(data + 1, size - 1, 0);
		return 0;
	}
	out = open_memstream(&text, &length);
	fuzz_check(out != NULL, "memory");
	wrap(out, data + 1, size - 1, data[0]);
	fclose(out);
	fuzz_profile((const uint8_t *)text, length, flags);
	free(text);
	return 0;
}
