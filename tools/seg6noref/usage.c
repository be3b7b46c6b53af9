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

void usage_print(FILE *file)
{
	fputs("Usage: seg6noref [ OPTIONS ] { route | nexthop } COMMAND ...\n"
	      "       seg6noref [ -force ] -batch FILE\n"
	      "       seg6noref { -V | --version | --help }\n"
	      "\n"
	      "OPTIONS := { -6 | -n[etns] NETNS | -s[tatistics] | -d[etails] |\n"
	      "             -N[umeric] | -o[neline] | -j[son] | -p[retty] |\n"
	      "             -h[uman-readable] | -iec }\n"
	      "\n"
	      "\"seg6noref route help\" and \"seg6noref nexthop help\" list the commands.\n"
	      "Called by the name ip, it is ip with one more encap.  See seg6noref(8).\n", file);
}

void usage_route(FILE *file)
{
	fputs("Usage: seg6noref route { add | change | append | prepend | replace | test }\n"
	      "           PREFIX ENCAP [ dev DEV ] [ via ADDRESS ] [ onlink ]\n"
	      "           [ table TABLE | vrf NAME ] [ metric NUMBER ] [ proto PROTO ]\n"
	      "           [ src ADDRESS ] [ from PREFIX ] [ mtu [ lock ] NUMBER ]\n"
	      "           [ pref { low | medium | high } ] [ expires SECONDS ]\n"
	      "       seg6noref route { add | ... } PREFIX ... nexthop HOP [ nexthop HOP ]...\n"
	      "       seg6noref route { add | ... } PREFIX nhid ID ...\n"
	      "       seg6noref route del PREFIX [ ENCAP ] [ dev DEV ] [ table TABLE ] ...\n"
	      "       seg6noref route { show | list } [ [ root | match | exact ] PREFIX ]\n"
	      "           [ table { TABLE | all } | vrf NAME ] [ dev DEV ]\n"
	      "           [ proto PROTO ] [ metric NUMBER ]\n"
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
	      "           [ endpoint pinned PATH ]\n"
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
