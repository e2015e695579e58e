/*
 * dumper DIRECTORY: makes code that has no frame pointer, says in DIRECTORY/jit-PID.dump how
 * it is unwound, and runs it: main -> outer -> inner, which spins. Only that file knows how
 * large the frame of outer is, and rbp holds something else.
 *
 *	lies: the same, but what is said of outer is left out
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SIZE 4096

static const uint8_t outer[] = {
	0x53, /* push %rbx */
	0x48, 0x83, 0xec, 0x70, /* sub $0x70, %rsp */
	0x48, 0x89, 0x6c, 0x24, 0x60, /* mov %rbp, 0x60(%rsp) */
	0x48, 0xc7, 0xc5, 0x11, 0x00, 0x00, 0x00, /* mov $0x11, %rbp */
	0xe8, 0x2a, 0x00, 0x00, 0x00, /* call inner, at 64 */
	0x48, 0x8b, 0x6c, 0x24, 0x60, /* mov 0x60(%rsp), %rbp */
	0x48, 0x83, 0xc4, 0x70, /* add $0x70, %rsp */
	0x5b, 0xc3, /* pop %rbx; ret */
};

static const uint8_t inner[] = {
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb, /* jne */
	0xc3, /* ret */
};

/* CIE: zR, code 1, data -8, ra 16, sdata4 pcrel; cfa rsp + 8, ra at cfa - 8. */
static const uint8_t cie[] = {
	20, 0,	  0,  0, 0,    0,    0, 0, 1,	 'z', 'R', 0,
	1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0,
};

static FILE *out;

static void put(const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, out);
}

static void put_u32(uint32_t value)
{
	put(&value, 4);
}

static void put_u64(uint64_t value)
{
	put(&value, 8);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put_head(uint32_t type, size_t size)
{
	put_u32(type);
	put_u32((uint32_t)size + 16);
	put_u64(now(CLOCK_MONOTONIC));
}

/* FDE: the code's start counted from the field that says so; behind it the rules. */
static void put_unwinding(size_t code_size, const uint8_t *rules, size_t rules_size)
{
	uint64_t to_field = ((code_size + 7) & ~(uint64_t)7) + sizeof(cie) + 8;
	size_t size = sizeof(cie) + 4 + 4 + 4 + 4 + 1 + rules_size;

	put_head(4, 24 + size);
	put_u64(size);
	put_u64(0);
	put_u64(size);
	put(cie, sizeof(cie));
	put_u32((uint32_t)(4 + 4 + 4 + 1 + rules_size));
	put_u32((uint32_t)sizeof(cie) + 4);
	put_u32((uint32_t)-to_field);
	put_u32((uint32_t)code_size);
	put("", 1);
	put(rules, rules_size);
}

static void put_load(const char *name, const uint8_t *address, size_t size,
		     uint64_t index)
{
	put_head(0, 40 + strlen(name) + 1 + size);
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uintptr_t)address);
	put_u64((uintptr_t)address);
	put_u64(size);
	put_u64(index);
	put(name, strlen(name) + 1);
	put(address, size);
}

static void write_dump(const uint8_t *code, bool lies)
{
	/* advance 1; cfa +16; rbx at cfa - 16; advance 4; cfa +128; advance 5: rbp at -32 */
	static const uint8_t of_outer[] = { 0x41, 0x0e, 16,   0x83, 2,	  0x44,
					    0x0e, 0x80, 0x01, 0x45, 0x86, 4 };

	put_u32(0x4A695444);
	put_u32(1);
	put_u32(40);
	put_u32(62);
	put_u32(0);
	put_u32((uint32_t)getpid());
	put_u64(0);
	put_u64(0);
	if (!lies)
		put_unwinding(sizeof(outer), of_outer, sizeof(of_outer));
	put_load("made_outer", code, sizeof(outer), 1);
	put_unwinding(sizeof(inner), NULL, 0);
	put_load("made_inner", code + 64, sizeof(inner), 2);
	fflush(out);
}

int main(int argc, char **argv)
{
	uint8_t *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t until = now(CLOCK_PROCESS_CPUTIME_ID) + 500000000;
	char path[512];

	if (argc < 2 || code == MAP_FAILED)
		return 2;
	memcpy(code, outer, sizeof(outer));
	memcpy(code + 64, inner, sizeof(inner));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	out = fopen(path, "w+");
	if (!out || mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out),
			 0) == MAP_FAILED) {
		perror(path);
		return 1;
	}
	write_dump(code, argc > 2);
	while (now(CLOCK_PROCESS_CPUTIME_ID) < until)
		((void (*)(uint64_t))(void *)code)(1000000);
	return 0;
}
