/*
 * What is known of an address, remembered: its frame, and the rule by which it is
 * unwound. A key that has the process's maps, the mode and the machine in it makes an
 * answer valid until the maps change; answers are kept in a table of fixed size, whose
 * slots are taken over by whoever comes last.
 */
#include "stack/call.h"
#include "stack/signal.h"
#include "stack/switch.h"

/* Odd: no two addresses of one salt share a key. */
#define SPREAD 0x9fb21c651e98df25u

/* Tells kernel places from those of processes. */
#define KERNEL_EPOCHS (1ull << 32)
/* Tells epochs from layouts, which are numbers of the same kind. */
#define BRIEFLY (1ull << 33)

struct place_key place_key(const struct stack_walker *w, uint8_t mode, uint8_t kind,
			   bool entered, const struct machine *machine)
{
	const struct space *space = mode == MODE_KERNEL ? &w->kernel : &w->thread->space;
	uint64_t whose = mode == MODE_KERNEL ? KERNEL_EPOCHS : 0;
	uint64_t side = kind | (uint64_t)entered << 2 | (uint64_t)mode << 3;

	if (machine)
		side |= (uint64_t)machine->elf << 8;
	return (struct place_key){
		.salt = hash_u64((space->layout | whose) << 24 | side),
		.brief = hash_u64((space->epoch | whose | BRIEFLY) << 24 | side),
		.mode = mode,
		.kind = kind,
		.entered = entered,
		.machine = machine,
	};
}

static bool find_code_place(const struct stack_walker *w, const struct place_key *key,
			    uint64_t ip, struct place *ret)
{
	const struct space *space = &w->thread->space;

	switch (key->mode) {
	case MODE_KERNEL:
		return processes_kernel_place(w->ps, &w->kernel, ip, ret);
	case MODE_USER:
	case MODE_UNKNOWN:
		return processes_place(w->ps, space, ip, ret) ||
		       (key->entered &&
			processes_place_before_exec(w->ps, space, ip, ret));
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		*ret = (struct place){ .image = IMAGE_ID_GUEST };
		return true;
	case MODE_HYPERVISOR:
		*ret = (struct place){ .image = IMAGE_ID_HYPERVISOR };
		return true;
	}
	return false;
}

/* Images of which only the name is known. */
static bool has_no_addresses(uint32_t image)
{
	return image == IMAGE_ID_UNKNOWN || image == IMAGE_ID_GUEST ||
	       image == IMAGE_ID_HYPERVISOR;
}

/* An address that is looked up. */
struct asked {
	const struct place_key *key;
	uint64_t ip;
	uint8_t kind; /* enum place_kind */
	bool mapped;
	bool lasts; /* the answer, for as long as the maps of code do */
	struct place place; /* of the address, or of the call before it */
};

static void ask_place(const struct stack_walker *w, const struct place_key *key,
		      uint64_t ip, struct asked *ret)
{
	enum { LEAST_PAGE = 4096, AROUND = 32 };

	*ret = (struct asked){ .key = key,
			       .ip = ip,
			       .kind = ip ? key->kind : PLACE_EXACT };
	ip -= ret->kind != PLACE_EXACT;
	ret->mapped = find_code_place(w, key, ip, &ret->place);
	/* What is looked at around it is of the same map, too. */
	ret->lasts = ret->mapped && ret->place.executable && !key->entered &&
		     ip % LEAST_PAGE >= AROUND && ip % LEAST_PAGE < LEAST_PAGE - AROUND;
	if (!ret->mapped)
		ret->place.image = IMAGE_ID_UNKNOWN;
	/* Garbage would fill the trie: addresses without a map are one frame. */
	if (has_no_addresses(ret->place.image))
		ret->place.address = w->options.by_address ? ip : 0;
}

const struct binary *place_binary(struct stack_walker *w, uint32_t image)
{
	const struct binary *binary;
	uint64_t began;

	if (image < w->by_image.count && w->by_image.v[image])
		return w->by_image.v[image];
	began = walker_clock(w);
	binary = binaries_get(w->binaries, image);
	w->counts.table_nanoseconds += walker_clock(w) - began;
	while (binary && w->by_image.count <= image)
		if (!array_add(&w->by_image))
			return NULL;
	if (binary)
		w->by_image.v[image] = binary;
	return binary;
}

static bool can_have_binary(const struct stack_walker *w, uint32_t image)
{
	enum image_kind kind = binaries_kind(w->binaries, image);

	return kind == IMAGE_FILE || kind == IMAGE_VDSO || kind == IMAGE_JIT;
}

/* The rule at an offset of a file. 0, or -ENOMEM. */
static int rule_at(struct stack_walker *w, const struct binary *binary, uint64_t offset,
		   struct unwind_rule *ret)
{
	uint64_t address, began;
	bool code;
	int err;

	*ret = (struct unwind_rule){ .cfa_kind = RULE_UNMAPPED };
	if (!binary_address(binary, offset, &address, &code) || !code ||
	    binary_table_rule(binary, address, ret))
		return 0;
	began = walker_clock(w);
	err = binaries_rule(w->binaries, binary, address, ret);
	w->counts.table_nanoseconds += walker_clock(w) - began;
	return err;
}

static bool may_be_trampoline(const struct unwind_rule *rule)
{
	return rule->flags & UNWIND_SIGNAL || rule->cfa_kind == UNWIND_NONE ||
	       rule->cfa_kind == UNWIND_OTHER || rule->cfa_kind == RULE_NO_OBJECT;
}

/*
 * A signal handler returns to the first byte of a trampoline that nobody calls: what is
 * known of the byte before it is known of another function, unless call frame
 * information was made to begin there.
 *
 * Who makes a stack by hand (makecontext() of glibc, for one) puts the address of a function
 * where a return address belongs. Call frame information begins there, the byte before has
 * none, and is no call's: the frame is that function's and has no caller. libgcc ends there,
 * too, for want of rows.
 */
static int look_up_rule(struct stack_walker *w, const struct asked *asked,
			struct unwind_rule *ret)
{
	bool code = asked->mapped && asked->place.executable;
	const struct binary *binary = NULL;
	struct unwind_rule here;
	int frame = SIGNAL_NONE, left = SWITCH_NONE;

	*ret = (struct unwind_rule){ .cfa_kind = code ? RULE_NO_OBJECT : RULE_UNMAPPED };
	if (code && can_have_binary(w, asked->place.image)) {
		binary = place_binary(w, asked->place.image);
		if (!binary)
			return -ENOMEM;
		if (!binary->there || binary->machine != asked->key->machine)
			binary = NULL;
	}
	if (binary && rule_at(w, binary, asked->place.address, ret) < 0)
		return -ENOMEM;
	here = *ret;
	if (binary && asked->kind != PLACE_EXACT &&
	    rule_at(w, binary, asked->place.address + 1, &here) < 0)
		return -ENOMEM;
	if (here.flags & UNWIND_SIGNAL)
		*ret = here;
	if (may_be_trampoline(ret) || may_be_trampoline(&here))
		frame = signal_frame_at(w, asked->key, asked->ip);
	if (binary && asked->kind == PLACE_CALLER)
		left = switch_at(w, asked->key, asked->ip, ret);
	if (left != SWITCH_NONE)
		*ret = (struct unwind_rule){ .cfa_kind = RULE_SWITCH, .cfa = left };
	else if (frame != SIGNAL_NONE)
		*ret = (struct unwind_rule){ .cfa_kind = RULE_SIGNAL,
					     .flags = UNWIND_SIGNAL,
					     .cfa = frame };
	else if (asked->kind == PLACE_CALLER && ret->cfa_kind == UNWIND_NONE &&
		 here.cfa_kind != UNWIND_NONE && here.cfa_kind < RULE_UNMAPPED &&
		 call_ends_at(w, asked->key, asked->ip) == CALL_NO)
		*ret = (struct unwind_rule){ .cfa_kind = UNWIND_END,
					     .flags = RULE_BY_HAND };
	return 0;
}

/* The index of an equal rule; 0 without memory. */
static uint32_t add_rule(struct stack_walker *w, const struct unwind_rule *rule)
{
	uint64_t hash = hash_bytes(rule, sizeof(*rule)), i = hash_start(hash);
	struct unwind_rule *slot;
	uint32_t id;

	while ((id = hash_find(&w->rules_by_key, hash, &i)) != HASH_NONE)
		if (memcmp(&w->rules.v[id], rule, sizeof(*rule)) == 0)
			return id;
	if (w->rules.count == 0 && !array_add(&w->rules))
		return 0;
	if (w->rules.count >= RULES_MOST || !array_reserve(&w->rules, 1) ||
	    !hash_add(&w->rules_by_key, hash, (uint32_t)w->rules.count))
		return 0;
	slot = array_add(&w->rules);
	*slot = *rule;
	return (uint32_t)w->rules.count - 1;
}

/* Where it is kept what an address of an image is, whatever process has it. */
static struct place_seen *code_of(struct stack_walker *w, const struct asked *asked,
				  uint64_t *number)
{
	const struct machine *machine = asked->key->machine;
	uint64_t side = (uint64_t)asked->place.image << 24 | asked->kind << 1 |
			(asked->mapped && asked->place.executable);

	if (machine)
		side |= (uint64_t)machine->elf << 3;
	*number = (hash_u64(side) + asked->place.address) * SPREAD;
	return &w->codes[*number >> (64 - CODES_BITS)];
}

static uint64_t place_number(uint64_t ip, uint64_t salt)
{
	return (ip + salt) * SPREAD;
}

static int look_up_place(struct stack_walker *w, const struct place_key *key, uint64_t ip,
			 struct place_seen *ret)
{
	uint32_t frame, rule_index = RULE_UNSEEN;
	struct unwind_rule rule = { 0 };
	struct place_seen *seen;
	struct asked asked;
	struct frame made;
	uint64_t number;
	bool entered; /* nobody called what is before the address */

	ask_place(w, key, ip, &asked);
	seen = code_of(w, &asked, &number);
	if (seen->frame && seen->key == number)
		goto out;
	if (key->machine) {
		if (look_up_rule(w, &asked, &rule) < 0)
			return -ENOMEM;
		rule_index = add_rule(w, &rule);
		if (rule_index == RULE_UNSEEN)
			return -ENOMEM;
	}
	made = (struct frame){ asked.place.address, asked.place.image, 0 };
	if (!has_no_addresses(made.image) || w->options.by_address) {
		entered = rule.flags & (UNWIND_SIGNAL | RULE_BY_HAND);
		if (asked.kind == PLACE_CALLER && !entered)
			made.flags = FRAME_CALLER;
		if (asked.kind != PLACE_EXACT && entered)
			made.address++;
	}
	if (frames_add(w->frames, &made, &frame) < 0)
		return -ENOMEM;
	*seen = (struct place_seen){ .key = number,
				     .frame = frame + 1,
				     .rule = rule_index };
out:
	*ret = *seen;
	ret->key = place_number(ip, asked.lasts ? key->salt : key->brief);
	return 0;
}

struct place_seen *place_find(struct stack_walker *w, const struct place_key *key,
			      uint64_t ip)
{
	/* Whenever it is asked for: what was near in memory is there still. */
	struct place_seen *seen = &w->places[ip * SPREAD >> (64 - PLACES_BITS)];

	if (seen->frame && (seen->key == place_number(ip, key->salt) ||
			    seen->key == place_number(ip, key->brief)))
		return seen;
	if (look_up_place(w, key, ip, seen) < 0) {
		seen->frame = 0;
		w->failed = true;
		return NULL;
	}
	return seen;
}

void place_note_call(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		     enum after_call call)
{
	struct place_seen *seen;
	struct asked asked;
	uint64_t number;

	ask_place(w, key, ip, &asked);
	seen = code_of(w, &asked, &number);
	if (seen->frame && seen->key == number)
		seen->call = call;
}

void place_look(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		struct place_look *ret)
{
	struct code_place *at = &ret->at;
	enum image_kind kind = IMAGE_UNKNOWN;
	struct asked asked;
	uint64_t number;
	bool code;

	*ret = (struct place_look){ 0 };
	ask_place(w, key, ip, &asked);
	ret->kept = code_of(w, &asked, &number);
	if (!ret->kept->frame || ret->kept->key != number)
		ret->kept = NULL;
	if (asked.mapped)
		kind = binaries_kind(w->binaries, asked.place.image);
	if (kind != IMAGE_FILE && kind != IMAGE_VDSO) {
		ret->what = asked.mapped && asked.place.executable ? PLACE_ANY_CODE
								   : PLACE_NO_CODE;
		return;
	}
	at->image = asked.place.image;
	at->offset = asked.place.address;
	at->binary = place_binary(w, at->image);
	w->failed |= !at->binary;
	/* A runtime's own code is in files that are not executable: of Android, for
	 * one. */
	if (!at->binary || !at->binary->there)
		ret->what = PLACE_ANY_CODE;
	else if (!asked.place.executable)
		ret->what = PLACE_NO_CODE;
	else if (binary_address(at->binary, at->offset, &at->address, &code))
		ret->what = PLACE_FILE_CODE;
	else
		ret->what = PLACE_PADDING;
}

int code_rule(struct stack_walker *w, const struct code_place *at,
	      struct unwind_rule *ret)
{
	return rule_at(w, at->binary, at->offset, ret);
}

bool code_of_image(struct stack_walker *w, uint32_t image, uint64_t offset,
		   struct code_place *ret)
{
	struct code_place found = { .image = image, .offset = offset };
	bool code;

	if (!can_have_binary(w, image))
		return false;
	found.binary = place_binary(w, image);
	w->failed |= !found.binary;
	if (!found.binary || !found.binary->there ||
	    !binary_address(found.binary, offset, &found.address, &code))
		return false;
	*ret = found;
	return true;
}

bool place_code(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		struct code_place *ret)
{
	struct place place;

	return find_code_place(w, key, ip, &place) &&
	       code_of_image(w, place.image, place.address, ret);
}

enum image_kind place_image_kind(struct stack_walker *w, const struct place_key *key,
				 uint64_t ip)
{
	struct place place;

	return find_code_place(w, key, ip, &place)
		       ? binaries_kind(w->binaries, place.image)
		       : IMAGE_UNKNOWN;
}

bool place_bytes(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		 void *ret, size_t size)
{
	struct code_place at;

	return place_code(w, key, ip, &at) &&
	       binary_constant(w->binaries, at.binary, at.offset, ret, size);
}
