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

/* Tells kernel addresses from those of processes. */
#define KERNEL_EPOCHS (1ull << 32)
/* Tells epochs from layouts, which are numbers of the same kind. */
#define PER_EPOCH (1ull << 33)

struct addr_key addr_key(const struct stack_walker *w, uint8_t mode, uint8_t kind,
			 bool entered, const struct machine *machine)
{
	const struct space *space = mode == MODE_KERNEL ? &w->kernel : &w->thread->space;
	uint64_t whose = mode == MODE_KERNEL ? KERNEL_EPOCHS : 0;
	uint64_t side = kind | (uint64_t)entered << 2 | (uint64_t)mode << 3;

	if (machine)
		side |= (uint64_t)machine->elf << 8;
	return (struct addr_key){
		.salt = hash_u64((space->layout | whose) << 24 | side),
		.epoch_salt = hash_u64((space->epoch | whose | PER_EPOCH) << 24 | side),
		.mode = mode,
		.kind = kind,
		.entered = entered,
		.machine = machine,
	};
}

static bool find_location(const struct stack_walker *w, const struct addr_key *key,
			  uint64_t ip, struct location *ret)
{
	const struct space *space = &w->thread->space;

	switch (key->mode) {
	case MODE_KERNEL:
		return processes_locate_kernel(w->ps, &w->kernel, ip, ret);
	case MODE_USER:
	case MODE_UNKNOWN:
		return processes_locate(w->ps, space, ip, ret) ||
		       (key->entered &&
			processes_locate_before_exec(w->ps, space, ip, ret));
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		*ret = (struct location){ .image = IMAGE_ID_GUEST };
		return true;
	case MODE_HYPERVISOR:
		*ret = (struct location){ .image = IMAGE_ID_HYPERVISOR };
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
	const struct addr_key *key;
	uint64_t ip;
	uint8_t kind; /* enum addr_kind */
	bool mapped;
	bool lasts; /* the answer, for as long as the maps of code do */
	struct location location; /* of the address, or of the call before it */
};

static void ask_location(const struct stack_walker *w, const struct addr_key *key,
			 uint64_t ip, struct asked *ret)
{
	enum { LEAST_PAGE = 4096, AROUND = 32 };

	*ret = (struct asked){ .key = key,
			       .ip = ip,
			       .kind = ip ? key->kind : ADDR_EXACT };
	ip -= ret->kind != ADDR_EXACT;
	ret->mapped = find_location(w, key, ip, &ret->location);
	/* What is looked at around it is of the same map, too. */
	ret->lasts = ret->mapped && ret->location.executable && !key->entered &&
		     ip % LEAST_PAGE >= AROUND && ip % LEAST_PAGE < LEAST_PAGE - AROUND;
	if (!ret->mapped)
		ret->location.image = IMAGE_ID_UNKNOWN;
	/* Garbage would fill the trie: addresses without a map are one frame. */
	if (has_no_addresses(ret->location.image))
		ret->location.address = w->options.by_address ? ip : 0;
}

const struct binary *binary_of_image(struct stack_walker *w, uint32_t image)
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
	err = binary_rule(&w->windows, binary, address, ret);
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
	bool code = asked->mapped && asked->location.executable;
	const struct binary *binary = NULL;
	struct unwind_rule here;
	int frame = SIGNAL_NONE, left = SWITCH_NONE;

	*ret = (struct unwind_rule){ .cfa_kind = code ? RULE_NO_OBJECT : RULE_UNMAPPED };
	if (code && can_have_binary(w, asked->location.image)) {
		binary = binary_of_image(w, asked->location.image);
		if (!binary)
			return -ENOMEM;
		if (!binary->there || binary->machine != asked->key->machine)
			binary = NULL;
	}
	if (binary && rule_at(w, binary, asked->location.address, ret) < 0)
		return -ENOMEM;
	here = *ret;
	if (binary && asked->kind != ADDR_EXACT &&
	    rule_at(w, binary, asked->location.address + 1, &here) < 0)
		return -ENOMEM;
	if (here.flags & UNWIND_SIGNAL)
		*ret = here;
	if (may_be_trampoline(ret) || may_be_trampoline(&here))
		frame = signal_frame_at(w, asked->key, asked->ip);
	if (binary && asked->kind == ADDR_CALLER)
		left = switch_at(w, asked->key, asked->ip, ret);
	if (left != SWITCH_NONE)
		*ret = (struct unwind_rule){ .cfa_kind = RULE_SWITCH, .cfa = left };
	else if (frame != SIGNAL_NONE)
		*ret = (struct unwind_rule){ .cfa_kind = RULE_SIGNAL,
					     .flags = UNWIND_SIGNAL,
					     .cfa = frame };
	else if (asked->kind == ADDR_CALLER && ret->cfa_kind == UNWIND_NONE &&
		 here.cfa_kind != UNWIND_NONE && here.cfa_kind < RULE_UNMAPPED &&
		 call_ends_at(w, asked->key, asked->ip) == CALL_NO)
		*ret = (struct unwind_rule){ .cfa_kind = UNWIND_END,
					     .flags = RULE_STACK_BOTTOM };
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
static struct addr_entry *code_of(struct stack_walker *w, const struct asked *asked,
				  uint64_t *number)
{
	const struct machine *machine = asked->key->machine;
	uint64_t side = (uint64_t)asked->location.image << 24 | asked->kind << 1 |
			(asked->mapped && asked->location.executable);

	if (machine)
		side |= (uint64_t)machine->elf << 3;
	*number = (hash_u64(side) + asked->location.address) * SPREAD;
	return &w->codes[*number >> (64 - CODES_BITS)];
}

static uint64_t addr_number(uint64_t ip, uint64_t salt)
{
	return (ip + salt) * SPREAD;
}

static int look_up_addr(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
			struct addr_entry *ret)
{
	uint32_t frame, rule_index = RULE_UNSEEN;
	struct unwind_rule rule = { 0 };
	struct addr_entry *seen;
	struct asked asked;
	struct frame made;
	uint64_t number;
	bool entered; /* nobody called what is before the address */

	ask_location(w, key, ip, &asked);
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
	made = (struct frame){ asked.location.address, asked.location.image, 0 };
	if (!has_no_addresses(made.image) || w->options.by_address) {
		entered = rule.flags & (UNWIND_SIGNAL | RULE_STACK_BOTTOM);
		if (asked.kind == ADDR_CALLER && !entered)
			made.flags = FRAME_CALLER;
		if (asked.kind != ADDR_EXACT && entered)
			made.address++;
	}
	if (frames_add(w->frames, &made, &frame) < 0)
		return -ENOMEM;
	*seen = (struct addr_entry){ .key = number,
				     .frame = frame + 1,
				     .rule = rule_index };
out:
	*ret = *seen;
	ret->key = addr_number(ip, asked.lasts ? key->salt : key->epoch_salt);
	return 0;
}

struct addr_entry *addr_find(struct stack_walker *w, const struct addr_key *key,
			     uint64_t ip)
{
	/* Whenever it is asked for: what was near in memory is there still. */
	struct addr_entry *seen = &w->addr_cache[ip * SPREAD >> (64 - ADDR_CACHE_BITS)];

	if (seen->frame && (seen->key == addr_number(ip, key->salt) ||
			    seen->key == addr_number(ip, key->epoch_salt)))
		return seen;
	if (look_up_addr(w, key, ip, seen) < 0) {
		seen->frame = 0;
		w->failed = true;
		return NULL;
	}
	return seen;
}

void addr_note_call(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		    enum after_call call)
{
	struct addr_entry *seen;
	struct asked asked;
	uint64_t number;

	ask_location(w, key, ip, &asked);
	seen = code_of(w, &asked, &number);
	if (seen->frame && seen->key == number)
		seen->call = call;
}

void addr_look(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
	       struct addr_look *ret)
{
	struct code_site *at = &ret->at;
	enum image_kind kind = IMAGE_UNKNOWN;
	struct asked asked;
	uint64_t number;
	bool code;

	*ret = (struct addr_look){ 0 };
	ask_location(w, key, ip, &asked);
	ret->kept = code_of(w, &asked, &number);
	if (!ret->kept->frame || ret->kept->key != number)
		ret->kept = NULL;
	if (asked.mapped)
		kind = binaries_kind(w->binaries, asked.location.image);
	if (kind != IMAGE_FILE && kind != IMAGE_VDSO) {
		ret->what = asked.mapped && asked.location.executable ? ADDR_ANY_CODE
								      : ADDR_NO_CODE;
		return;
	}
	at->image = asked.location.image;
	at->offset = asked.location.address;
	at->binary = binary_of_image(w, at->image);
	w->failed |= !at->binary;
	/* A runtime's own code is in files that are not executable: of Android, for
	 * one. */
	if (!at->binary || !at->binary->there)
		ret->what = ADDR_ANY_CODE;
	else if (!asked.location.executable)
		ret->what = ADDR_NO_CODE;
	else if (binary_address(at->binary, at->offset, &at->address, &code))
		ret->what = ADDR_FILE_CODE;
	else
		ret->what = ADDR_PADDING;
}

int code_rule(struct stack_walker *w, const struct code_site *at, struct unwind_rule *ret)
{
	return rule_at(w, at->binary, at->offset, ret);
}

bool code_of_image(struct stack_walker *w, uint32_t image, uint64_t offset,
		   struct code_site *ret)
{
	struct code_site found = { .image = image, .offset = offset };
	bool code;

	if (!can_have_binary(w, image))
		return false;
	found.binary = binary_of_image(w, image);
	w->failed |= !found.binary;
	if (!found.binary || !found.binary->there ||
	    !binary_address(found.binary, offset, &found.address, &code))
		return false;
	*ret = found;
	return true;
}

bool addr_code(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
	       struct code_site *ret)
{
	struct location location;

	return find_location(w, key, ip, &location) &&
	       code_of_image(w, location.image, location.address, ret);
}

enum image_kind addr_image_kind(struct stack_walker *w, const struct addr_key *key,
				uint64_t ip)
{
	struct location location;

	return find_location(w, key, ip, &location)
		       ? binaries_kind(w->binaries, location.image)
		       : IMAGE_UNKNOWN;
}

bool addr_bytes(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		void *ret, size_t size)
{
	struct code_site at;

	return addr_code(w, key, ip, &at) &&
	       binary_constant(&w->windows, at.binary, at.offset, ret, size);
}
