/*
 * Functions as people write them by hand: without a size, one in another, several names for
 * one place.
 */
	.text
	.globl	_start, sizeless, global_name, weak_name, outer, y, last, hidden_twin
	.type	_start, @function
	.type	sizeless, @function
	.type	local_name, @function
	.type	global_name, @function
	.type	weak_name, @function
	.type	_x, @function
	.type	__xx, @function
	.type	y, @function
	.type	outer, @function
	.type	inner, @function
	.type	long_name_of_two, @function
	.type	short, @function
	.type	hidden_twin, @function
	.type	last, @function
	.weak	weak_name

_start:
	.skip	16, 0x90
	.size	_start, 16
	.skip	8, 0x90		/* nobody's */
sizeless:			/* up to the next one */
	.skip	24, 0x90
local_name:
global_name:
weak_name:
	.skip	16, 0x90
	.size	local_name, 16
	.size	global_name, 16
	.size	weak_name, 16
	/* Fewer underscores win. */
__xx:
_x:
y:
	.skip	16, 0x90
	.size	__xx, 16
	.size	_x, 16
	.size	y, 16
outer:
	.skip	16, 0x90
inner:
	.skip	16, 0x90
	.size	inner, 16
	.skip	16, 0x90
	.size	outer, 48
	/* Of two that are equal otherwise the longer one. */
short:
long_name_of_two:
	.skip	16, 0x90
	.size	short, 16
	.size	long_name_of_two, 16
	/* One with a size wins over one without. */
label_of_it:
hidden_twin:
	.skip	16, 0x90
	.size	hidden_twin, 16
last:
	.skip	16, 0x90
	.section .note.GNU-stack, "", @progbits
