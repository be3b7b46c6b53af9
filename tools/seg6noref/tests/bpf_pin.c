// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_pin.c - load the smallest program that End.BPF can run, and pin it
 *
 *	bpf_pin TYPE PATH
 *
 * TYPE is the number of a program type, 19 for lwt_seg6local.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* r0 = 0, which is BPF_OK; exit */
static int load(uint32_t type)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	union bpf_attr attr;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: bpf_pin TYPE PATH\n");
		return 2;
	}
	fd = load(strtoul(argv[1], NULL, 0));
	if (fd < 0) {
		fprintf(stderr, "cannot load: %s\n", strerror(errno));
		return 1;
	}
	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)argv[2];
	attr.bpf_fd = fd;
	if (bpf(BPF_OBJ_PIN, &attr)) {
		fprintf(stderr, "cannot pin %s: %s\n", argv[2],
			strerror(errno));
		return 1;
	}
	return 0;
}
