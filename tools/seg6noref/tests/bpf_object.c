// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_object.c - programs for End.BPF in an object file, for guest tests:
 *
 *	clang -O2 -target bpf -c -o prog.o bpf_object.c
 */
#define SECTION(name) __attribute__((section(name), used))

SECTION("prog") int by_default(void *skb)
{
	(void)skb;
	return 0;
}

SECTION("seg6local/nop") int nop(void *skb)
{
	(void)skb;
	return 0;
}

SECTION("seg6local/nop") int drop(void *skb)
{
	(void)skb;
	return 2;
}

/* The verifier refuses what does not end. */
SECTION("bad") int beyond(void *skb)
{
	return *(volatile int *)((char *)skb + 4096);
}

SECTION("license") const char licence[] = "GPL";
