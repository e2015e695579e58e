/* The table that Go's runtime prints stacks by, as Go 1.20 writes it, for three functions of x86-64. */
	.text
	.globl _start
_start:
	.skip 64
two:
	.skip 64
three:
	.skip 64
end:

	.section .gopclntab,"a"
	.balign 8
head:
	.long 0xfffffff1
	.byte 0, 0, 1, 8
	.quad 3, 1, _start
	.quad names - head, 0, 0, steps - head, functions - head
names:
	.asciz "", "main.one", "main.two", "main.three"
steps:
	.byte 0
usual:	/* +0 for 4 bytes, +24 for 48, -24 for 12 */
	.uleb128 2, 4, 48, 48, 47, 12
	.byte 0
large:	/* +0 for 8 bytes, +65536 for 200 */
	.uleb128 2, 8, 131072, 200
	.byte 0
	.balign 8
functions:
	.long 0, one_data - functions
	.long two - _start, two_data - functions
	.long three - _start, three_data - functions
	.long end - _start, 0
one_data:
	.long 0, 1, 0, 0, usual - steps, 0
two_data:
	.long two - _start, 10, 0, 0, usual - steps, 0
three_data:
	.long three - _start, 19, 0, 0, large - steps, 0
