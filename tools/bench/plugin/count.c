// SPDX-License-Identifier: GPL-2.0-only
/*
 * count.c - QEMU plugin: what a window of a guest's execution did
 *
 * Counts, for the kernel of an x86 guest, how often each translated block ran
 * and how often each instruction touched each cache line, and tells atomic
 * read-modify-write instructions from plain stores.  A window is opened and
 * closed by the guest's benchmark, which stores to addresses that nothing
 * else uses; only the CPU that opened it is counted, and only from the first
 * to the given call of a kernel function, whose address the guest passes in
 * the same way.  Interrupts and faults within a window are left out.
 *
 * Output, a file of lines: "W number" begins a window, "T address insns runs"
 * is a block, "M pc line kind count" an instruction's accesses to a line (of
 * loads, all of a line together; stores less than VISIT_GAP instructions apart
 * are one visit), "E address count" is where an exception came in, "X entries
 * returns calls" the end.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

#define MAGIC		0x5eed00000000ULL
#define SLOTS		2048ULL
#define ADDRESS_PARTS	6
#define MAGIC_SIZE	(SLOTS * 8 * (1 + ADDRESS_PARTS))
#define KERNEL		0xffff800000000000ULL
#define LINE(addr)	((addr) >> 6)
#define MAX_VCPUS	64
#define NOBODY		UINT32_MAX
#define FIRST_ROOM	(1U << 16)
#define VISIT_GAP	200	/* instructions; nearer stores are one visit */

enum {
	KIND_STORE = 1,
	KIND_ATOMIC = 2,
	KIND_PERCPU = 4,	/* addressed through the per-CPU segment */
	KIND_PUSH = 8,		/* push or call: the address is a stack's */
	KIND_REPEAT = 16,	/* one instruction, many accesses */
	KIND_VISIT = 32,	/* not an access: stores near each other as one */
};

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

struct block {
	struct block	*next;
	uint64_t	vaddr, runs, entries;
	unsigned int	insns;
};

struct insn {
	uint64_t	vaddr;
	unsigned int	kind;
};

struct access {
	uint64_t	pc, line, count, last;
	unsigned int	kind;
};

static FILE *out;
static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the window; only the thread of its CPU looks at these. */
static uint32_t counted = NOBODY;
static unsigned int gate_calls, last_call;
static uint64_t gate;
static struct access *accesses;
static size_t room, used;
static uint64_t insns_run;

/* How deep a CPU is in exceptions and interrupts, and how often it was. */
static unsigned int depth[MAX_VCPUS];
static uint64_t entries, returns;

static void *need(void *memory)
{
	if (!memory) {
		fputs("count plugin: out of memory\n", stderr);
		abort();
	}
	return memory;
}

static struct access *find(uint64_t pc, uint64_t line, unsigned int kind)
{
	uint64_t hash = (pc * 31 + line * 7 + kind) * 0x9e3779b97f4a7c15ULL;
	size_t i = hash >> 20 & (room - 1);

	while (accesses[i].count &&
	       (accesses[i].pc != pc || accesses[i].line != line ||
		accesses[i].kind != kind))
		i = (i + 1) & (room - 1);
	return &accesses[i];
}

static void grow(void)
{
	struct access *old = accesses, *to;
	size_t i, n = room;

	room *= 2;
	accesses = need(calloc(room, sizeof(*accesses)));
	for (i = 0; i < n; i++) {
		if (!old[i].count)
			continue;
		to = find(old[i].pc, old[i].line, old[i].kind);
		*to = old[i];
	}
	free(old);
}

static struct access *note(uint64_t pc, uint64_t line, unsigned int kind)
{
	struct access *access = find(pc, line, kind);

	if (!access->count) {
		if (used * 2 > room) {
			grow();
			access = find(pc, line, kind);
		}
		used++;
		access->pc = pc;
		access->line = line;
		access->kind = kind;
	}
	access->count++;
	return access;
}

/* A line that all CPUs write moves once for stores that are close together. */
static void visit(uint64_t line)
{
	struct access *access = find(0, line, KIND_VISIT);

	if (!access->count || insns_run - access->last >= VISIT_GAP)
		access = note(0, line, KIND_VISIT);
	access->last = insns_run;
}

/* --- windows --- */

static void open_window(unsigned int vcpu, unsigned int number)
{
	struct block *block;

	memset(accesses, 0, room * sizeof(*accesses));
	used = 0;
	pthread_mutex_lock(&blocks_lock);
	for (block = blocks; block; block = block->next)
		block->runs = block->entries = 0;
	pthread_mutex_unlock(&blocks_lock);
	fprintf(out, "W %u\n", number);
	depth[vcpu] = 0;
	gate_calls = 0;
	entries = 0;
	returns = 0;
	__atomic_store_n(&counted, vcpu, __ATOMIC_RELEASE);
}

static void close_window(void)
{
	struct block *block;
	size_t i;

	__atomic_store_n(&counted, NOBODY, __ATOMIC_RELEASE);
	pthread_mutex_lock(&blocks_lock);
	for (block = blocks; block; block = block->next)
		if (block->runs)
			fprintf(out, "T %" PRIx64 " %u %" PRIu64 "\n",
				block->vaddr, block->insns, block->runs);
	for (block = blocks; block; block = block->next)
		if (block->entries)
			fprintf(out, "E %" PRIx64 " %" PRIu64 "\n",
				block->vaddr, block->entries);
	pthread_mutex_unlock(&blocks_lock);
	for (i = 0; i < room; i++)
		if (accesses[i].count)
			fprintf(out, "M %" PRIx64 " %" PRIx64 " %u %" PRIu64
				"\n", accesses[i].pc, accesses[i].line,
				accesses[i].kind, accesses[i].count);
	fprintf(out, "X %" PRIu64 " %" PRIu64 " %u\n", entries, returns,
		gate_calls);
	fflush(out);
}

/* An address comes in parts, each by where in its own slots is stored. */
static void set_gate(unsigned int part, uint64_t bits)
{
	gate &= ~((SLOTS - 1) << part * 11);
	gate |= bits << part * 11;
}

static void marker(unsigned int vcpu, unsigned int number)
{
	if (vcpu >= MAX_VCPUS)
		return;
	if (number >= SLOTS)
		set_gate(number / SLOTS - 1, number % SLOTS);
	else if (number)
		open_window(vcpu, number);
	else if (__atomic_load_n(&counted, __ATOMIC_ACQUIRE) == vcpu)
		close_window();
}

/* --- execution --- */

static bool counts(unsigned int vcpu)
{
	return __atomic_load_n(&counted, __ATOMIC_RELAXED) == vcpu &&
	       !depth[vcpu] && gate_calls && gate_calls < last_call;
}

static void on_block(unsigned int vcpu, void *data)
{
	struct block *block = data;

	if (block->vaddr == gate &&
	    __atomic_load_n(&counted, __ATOMIC_RELAXED) == vcpu)
		gate_calls++;
	if (counts(vcpu)) {
		block->runs++;
		insns_run += block->insns;
	}
}

static void on_kernel_access(unsigned int vcpu, qemu_plugin_meminfo_t info,
			     uint64_t vaddr, void *data)
{
	const struct insn *insn = data;

	if (!counts(vcpu) || vaddr < KERNEL)
		return;
	if (qemu_plugin_mem_is_store(info)) {
		note(insn->vaddr, LINE(vaddr), insn->kind | KIND_STORE);
		visit(LINE(vaddr));
	} else {
		note(0, LINE(vaddr), insn->kind & KIND_PERCPU);
	}
}

static void on_user_store(unsigned int vcpu, qemu_plugin_meminfo_t info,
			  uint64_t vaddr, void *data)
{
	(void)info;
	(void)data;
	if (vaddr - MAGIC < MAGIC_SIZE)
		marker(vcpu, (vaddr - MAGIC) / 8);
}

static void on_entry(unsigned int vcpu, void *data)
{
	struct block *block = data;

	if (__atomic_load_n(&counted, __ATOMIC_RELAXED) == vcpu) {
		depth[vcpu]++;
		block->entries++;
		entries++;
	}
}

static void on_return(unsigned int vcpu, void *data)
{
	(void)data;
	if (__atomic_load_n(&counted, __ATOMIC_RELAXED) == vcpu &&
	    depth[vcpu]) {
		depth[vcpu]--;
		returns++;
	}
}

/* --- translation --- */

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return false;
	}
}

static unsigned int kind_of_opcode(const uint8_t *code, size_t left)
{
	unsigned int reg = left > 1 ? code[1] >> 3 & 7 : 0;

	if ((code[0] & 0xf8) == 0x50 || code[0] == 0x68 || code[0] == 0x6a ||
	    code[0] == 0xe8)
		return KIND_PUSH;
	if (code[0] == 0xff && (reg == 2 || reg == 6))
		return KIND_PUSH;
	/* xchg with memory needs no lock prefix to be atomic. */
	if ((code[0] & 0xfe) == 0x86 && left > 1 && code[1] < 0xc0)
		return KIND_ATOMIC;
	return 0;
}

static unsigned int kind_of(const uint8_t *code, size_t size)
{
	unsigned int kind = 0, repeat = 0;
	size_t i;

	for (i = 0; i < size && is_prefix(code[i]); i++) {
		if (code[i] == 0xf0)
			kind |= KIND_ATOMIC;
		if (code[i] == 0x65)
			kind |= KIND_PERCPU;
		if (code[i] == 0xf2 || code[i] == 0xf3)
			repeat = KIND_REPEAT;
	}
	if (i < size && (code[i] & 0xf0) == 0x40)
		i++;
	if (i == size)
		return kind;
	/* movs and stos */
	if ((code[i] & 0xfe) == 0xa4 || (code[i] & 0xfe) == 0xaa)
		kind |= repeat;
	return kind | kind_of_opcode(code + i, size - i);
}

static bool is_iret(const uint8_t *code, size_t size)
{
	return size == 2 && code[0] == 0x48 && code[1] == 0xcf;
}

static void watch_insn(struct qemu_plugin_insn *from, bool kernel)
{
	const uint8_t *code = qemu_plugin_insn_data(from);
	size_t size = qemu_plugin_insn_size(from);
	struct insn *insn;

	if (!kernel) {
		qemu_plugin_register_vcpu_mem_cb(from, on_user_store,
						 PLUGIN_NO_REGS, PLUGIN_MEM_W,
						 NULL);
		return;
	}
	insn = need(malloc(sizeof(*insn)));
	insn->vaddr = qemu_plugin_insn_vaddr(from);
	insn->kind = kind_of(code, size);
	qemu_plugin_register_vcpu_mem_cb(from, on_kernel_access,
					 PLUGIN_NO_REGS, PLUGIN_MEM_RW, insn);
	if (is_iret(code, size))
		qemu_plugin_register_vcpu_insn_exec_cb(from, on_return,
						       PLUGIN_NO_REGS, NULL);
}

/*
 * Where the kernel is entered by an exception or interrupt: endbr64 or what
 * has become of it, clac, then cld or a push of a constant.  A copy from user
 * space that ends with clac goes on otherwise.  A block ends with clac, so
 * this looks at the guest's memory, but not beyond the page.
 */
static bool is_entry(const struct qemu_plugin_tb *tb)
{
	const uint8_t *code;

	code = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	if (!code || (uintptr_t)code % 4096 > 4096 - 8)
		return false;
	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		code += 4;
	else if (!memcmp(code, "\x66\x0f\x1f\x00", 4))
		code += 4;
	return !memcmp(code, "\x0f\x01\xca", 3) &&
	       (code[3] == 0xfc || code[3] == 0x6a || code[3] == 0x68);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	uint64_t vaddr = qemu_plugin_tb_vaddr(tb);
	bool kernel = vaddr >= KERNEL;
	struct block *block;

	(void)id;
	for (i = 0; i < n; i++)
		watch_insn(qemu_plugin_tb_get_insn(tb, i), kernel);
	if (!kernel)
		return;
	block = need(calloc(1, sizeof(*block)));
	block->vaddr = vaddr;
	block->insns = n;
	pthread_mutex_lock(&blocks_lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&blocks_lock);
	if (is_entry(tb))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry,
						     PLUGIN_NO_REGS, block);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGS,
					     block);
}

__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info,
			int argc, char **argv)
{
	(void)info;
	if (argc != 2 || strncmp(argv[0], "out=", 4) ||
	    sscanf(argv[1], "calls=%u", &last_call) != 1) {
		fputs("count plugin: out=FILE,calls=NUMBER\n", stderr);
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	room = FIRST_ROOM;
	accesses = need(calloc(room, sizeof(*accesses)));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
