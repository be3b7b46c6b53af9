// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage.c - help texts and version
 */
#include "../../module/uapi.h"
#include "usage.h"

void version_print(void)
{
	printf("seg6noref %s, module ABI version %d\n", SEG6NR_VERSION,
	       SEG6NR_ABI_VERSION);
}

/* A screen of 24 lines holds it. */
void usage_print(FILE *file)
{
	fputs("Usage: seg6noref [ OPTIONS ] OBJECT [ COMMAND ] ...\n"
	      "       seg6noref [ OPTIONS ] [ -force ] -batch FILE\n"
	      "       seg6noref { --version | --help }\n"
	      "\n"
	      "OBJECT := route     add, change, replace, append, prepend, test, del,\n"
	      "                    show, get, flush: SIDs, as \"ip -6 route\" does\n"
	      "          nexthop   add, replace, del, show: next hops that routes share\n"
	      "          monitor   follow changes of both\n"
	      "          convert   from seg6local of the kernel, and back\n"
	      "          restore   SIDs of a file, without the module as seg6local\n"
	      "          stats     the module, its drops and the counters of SIDs\n"
	      "          check     whether this machine is ready for its SIDs\n"
	      "\n"
	      "OPTIONS := { -6 | -n[etns] NETNS | -s[tatistics] | -d[etails] |\n"
	      "             -N[umeric] | -o[neline] | -j[son] | -p[retty] |\n"
	      "             -h[uman-readable] | -iec }\n"
	      "\n"
	      "\"seg6noref OBJECT help\" has more, seg6noref(8) all of it with examples.\n"
	      "Called by the name ip, it is ip(8) with one more encap.\n", file);
}

void usage_route(FILE *file)
{
	fputs("Usage: seg6noref route { add | change | append | prepend | replace | test }\n"
	      "           PREFIX ENCAP [ dev DEV ] [ via ADDRESS ] [ onlink ] [ METRICS ]\n"
	      "           [ table TABLE | vrf NAME ] [ metric NUMBER ] [ proto PROTO ]\n"
	      "           [ src ADDRESS ] [ from PREFIX ] [ expires SECONDS ]\n"
	      "           [ pref { low | medium | high } ]\n"
	      "       seg6noref route { add | ... } PREFIX ... nexthop HOP [ nexthop HOP ]...\n"
	      "       seg6noref route { add | ... } PREFIX nhid ID ...\n"
	      "       seg6noref route del PREFIX [ ENCAP ] [ dev DEV ] [ table TABLE ] ...\n"
	      "       seg6noref route { show | flush } [ [ root | match | exact ] PREFIX ]\n"
	      "           [ from PREFIX ] [ table { TABLE | all } | vrf NAME ] [ dev DEV ]\n"
	      "           [ via PREFIX ] [ src PREFIX ] [ proto PROTO ] [ metric NUMBER ]\n"
	      "           [ type TYPE ] [ scope SCOPE ]\n"
	      "       seg6noref route get ADDRESS [ from ADDRESS ] [ iif DEV ] [ oif DEV ]\n"
	      "           [ vrf NAME ] [ mark NUMBER ] [ uid NUMBER ] [ ipproto PROTOCOL ]\n"
	      "           [ sport NUMBER ] [ dport NUMBER ] [ fibmatch ]\n"
	      "METRICS := { mtu | hoplimit | rtt | rttvar | ... } [ lock ] VALUE\n"
	      "\n", file);
	usage_encap(file);
}

void usage_nexthop(FILE *file)
{
	fputs("Usage: seg6noref nexthop { add | replace } id ID ENCAP [ dev DEV ]\n"
	      "           [ via ADDRESS ] [ onlink ] [ proto PROTO ]\n"
	      "       seg6noref nexthop del id ID\n"
	      "       seg6noref nexthop { show | list | get } [ id ID ] [ dev DEV ]\n"
	      "\n", file);
	usage_encap(file);
}

void usage_encap(FILE *file)
{
	fputs("HOP := [ via ADDRESS ] [ dev DEV ] [ weight NUMBER ] [ onlink ] [ ENCAP ]\n"
	      "ENCAP := encap seg6local_noref action ACTION [ OPTIONS ] [ count ]\n"
	      "ACTION := { End | End.X | End.T | End.DX2 | End.DX6 | End.DX4 | End.DT6 |\n"
	      "            End.DT4 | End.DT46 | End.B6 | End.B6.Encaps | End.BM | End.S |\n"
	      "            End.AS | End.AM | End.BPF }\n"
	      "OPTIONS := [ nh4 ADDRESS ] [ nh6 ADDRESS ] [ table TABLE ]\n"
	      "           [ vrftable TABLE ] [ iif DEV ] [ oif DEV ]\n"
	      "           [ srh segs ADDRESS[,ADDRESS...] [ hmac KEY ] ]\n"
	      "           [ flavors FLAVOR[,FLAVOR...] [ lblen BITS ] [ nflen BITS ] ]\n"
	      "           [ endpoint { pinned PATH | obj FILE [ section NAME ] } ]\n"
	      "FLAVOR := { psp | usp | usd | next-csid | replace-csid }\n", file);
}

void usage_convert(FILE *file)
{
	fputs("Usage: seg6noref convert [ --to { noref | stock } ] [ --dry-run ]\n"
	      "           [ --rate ROUTES ] [ SELECTION ]\n"
	      "SELECTION := [ [ root | match | exact ] PREFIX ] [ table TABLE | vrf NAME ]\n"
	      "             [ dev DEV ] [ proto PROTO ] [ metric NUMBER ]\n", file);
}

void usage_monitor(FILE *file)
{
	fputs("Usage: seg6noref monitor [ all | route | nexthop ]... [ label ]\n",
	      file);
}

void usage_stats(FILE *file)
{
	fputs("Usage: seg6noref stats [ SELECTION ]\n"
	      "SELECTION := as of \"seg6noref convert help\"\n", file);
}

void usage_check(FILE *file)
{
	fputs("Usage: seg6noref check\n"
	      "Exit status 0 if this machine is ready for its SIDs, 1 if it is not.\n",
	      file);
}

void usage_restore(FILE *file)
{
	fputs("Usage: seg6noref restore [ --stock ] FILE\n"
	      "FILE holds commands as for -batch.  Without the module, or with --stock, its\n"
	      "routes are installed with the encap seg6local of the kernel.\n", file);
}
