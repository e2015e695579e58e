/*
 * Runs one target over files instead of libFuzzer's inventions: for `make check`, for
 * a compiler without libFuzzer, and to look at one finding.
 *
 *	TARGET FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 24), *exact;
	size_t size;

	if (!f || !bytes)
		return -1;
	size = fread(bytes, 1, 1 << 24, f);
	fclose(f);
	/* Exactly as large as the input: a sanitizer sees one byte more. */
	exact = realloc(bytes, size ? size : 1);
	LLVMFuzzerTestOneInput(exact ? exact : bytes, size);
	free(exact ? exact : bytes);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) < 0) {
			fprintf(stderr, "cannot read '%s'\n", argv[i]);
			return 1;
		}
	printf("%d inputs\n", argc - 1);
	return argc < 2;
}
