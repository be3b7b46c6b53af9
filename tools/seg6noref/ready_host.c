// SPDX-License-Identifier: GPL-2.0-only
/*
 * ready_host.c - the module, and the settings that decide what becomes of
 * packets behind a SID
 */
#include <stdio.h>
#include <string.h>

#include "../../module/uapi.h"
#include "convert.h"
#include "exec.h"
#include "module_state.h"
#include "ready.h"

/* Names of devices for a sentence. */
struct names {
	char text[512];
	size_t len;
	unsigned int count;
};

static void names_add(struct names *names, const char *name)
{
	if (names->len < sizeof(names->text))
		names->len += snprintf(names->text + names->len,
				       sizeof(names->text) - names->len,
				       "%s%s", names->count ? ", " : "", name);
	names->count++;
}

static bool is_ipv4_action(uint32_t action)
{
	return action == SEG6NR_ACT_END_DX4 || action == SEG6NR_ACT_END_DT4 ||
	       action == SEG6NR_ACT_END_DT46;
}

static bool any_sid(const struct ready *ready, bool (*is)(uint32_t action))
{
	size_t i;

	for (i = 0; i < ready->sid_count; i++)
		if (is(ready->sids[i].action))
			return true;
	return false;
}

/* Devices by which packets come: up, and not the loopback one. */
static bool is_port(const struct device *device)
{
	return device->up && !device->loopback;
}

static void check_loaded(struct ready *ready)
{
	char version[64];

	if (!module_text("version", version, sizeof(version)))
		strcpy(version, "of unknown version");
	if (ready->abi != SEG6NR_ABI_VERSION) {
		ready_say(ready, "module", READY_PROBLEM,
			  "install module and program from the same release, then unload and load the module",
			  "%s %s is loaded and speaks ABI version %d, this program speaks version %d",
			  SEG6NR_MODULE_NAME, version, ready->abi,
			  SEG6NR_ABI_VERSION);
		return;
	}
	ready_say(ready, "module", READY_OK, NULL,
		  "%s %s is loaded, ABI version %d, slot %u",
		  SEG6NR_MODULE_NAME, version, ready->abi, ready->slot);
	if (strcmp(version, SEG6NR_VERSION))
		ready_say(ready, "module", READY_NOTE,
			  "seg6noref convert --to stock; rmmod seg6local_noref; seg6noref convert",
			  "this program is of version %s", SEG6NR_VERSION);
}

static void check_loadable(struct ready *ready)
{
	char *argv[] = {
		"modprobe", "-n", "-q", SEG6NR_MODULE_NAME, NULL
	};

	if (!exec_wait("/sbin/modprobe", argv))
		ready_say(ready, "module", READY_OK, NULL,
			  "%s is not loaded, and will be when a route needs it",
			  SEG6NR_MODULE_NAME);
	else
		ready_say(ready, "module", READY_PROBLEM,
			  "dkms status seg6local_noref, and install the headers of this kernel",
			  "%s is not there for this kernel",
			  SEG6NR_MODULE_NAME);
}

/* Routes that the kernel's own encap still serves. */
static void check_stock(struct ready *ready)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < ready->sid_count; i++)
		count += !ready->sids[i].ours;
	if (count)
		ready_say(ready, "routes", READY_NOTE,
			  "seg6noref convert --dry-run",
			  "%u of %zu SIDs go by the kernel's own %s", count,
			  ready->sid_count, STOCK_NAME);
	else
		ready_say(ready, "routes", READY_OK, NULL, "%zu SIDs",
			  ready->sid_count);
}

void check_module(struct ready *ready)
{
	if (ready->abi < 0)
		check_loadable(ready);
	else
		check_loaded(ready);
	check_stock(ready);
}

/* Devices where conf/DEVICE/NAME is @value. */
static void devices_with(const struct ready *ready, const char *family,
			 const char *name, int value, struct names *names)
{
	const struct device *device = ready->devices;
	const struct device *end = device + ready->device_count;
	int got;

	memset(names, 0, sizeof(*names));
	for (; device < end; device++)
		if (is_port(device) &&
		    sysctl_number(&got, "net/%s/conf/%s/%s", family,
				  device->name, name) && got == value)
			names_add(names, device->name);
}

static void check_forwarding_of(struct ready *ready, const char *family,
				const char *name, const char *consequence)
{
	char remedy[128], check[32];
	struct names names;
	int all = 0;

	snprintf(check, sizeof(check), "forwarding %s", name);
	snprintf(remedy, sizeof(remedy), "sysctl -w net.%s.conf.all.forwarding=1",
		 family);
	sysctl_number(&all, "net/%s/conf/all/forwarding", family);
	if (!all) {
		ready_say(ready, check, READY_PROBLEM, remedy,
			  "%s packets are not forwarded: net.%s.conf.all.forwarding is 0",
			  name, family);
		return;
	}
	devices_with(ready, family, "forwarding", 0, &names);
	if (names.count)
		ready_say(ready, check, READY_NOTE, remedy,
			  "on, but not for %s: %s", names.text, consequence);
	else
		ready_say(ready, check, READY_OK, NULL, "on");
}

void check_forwarding(struct ready *ready)
{
	check_forwarding_of(ready, "ipv6", "IPv6",
			    "it acts as a host there, and takes routes from router advertisements");
	if (any_sid(ready, is_ipv4_action))
		check_forwarding_of(ready, "ipv4", "IPv4",
				    "what End.DX4, End.DT4 and End.DT46 take out of packets that come by it, or a VRF of that name, is dropped");
}

/* Reverse paths are looked up from the device, of DT4 and DT46 the VRF. */
void check_rp_filter(struct ready *ready)
{
	struct names strict = { 0 }, loose = { 0 };
	size_t i;
	int all = 0, own;

	if (!any_sid(ready, is_ipv4_action))
		return;
	sysctl_number(&all, "net/ipv4/conf/all/rp_filter");
	for (i = 0; i < ready->device_count; i++) {
		if (!is_port(&ready->devices[i]) ||
		    !sysctl_number(&own, "net/ipv4/conf/%s/rp_filter",
				   ready->devices[i].name))
			continue;
		own = own > all ? own : all;
		if (own)
			names_add(own == 1 ? &strict : &loose,
				  ready->devices[i].name);
	}
	if (strict.count)
		ready_say(ready, "rp_filter", READY_PROBLEM,
			  "sysctl -w net.ipv4.conf.all.rp_filter=0, and the same for these devices",
			  "strict on %s: IPv4 packets out of a SID are dropped unless their source is behind the device by which they came",
			  strict.text);
	if (loose.count)
		ready_say(ready, "rp_filter", READY_NOTE, NULL,
			  "loose on %s: IPv4 packets out of a SID are dropped if there is no route to their source",
			  loose.text);
	if (!strict.count && !loose.count)
		ready_say(ready, "rp_filter", READY_OK, NULL, "off");
}

/* Each table whose VRF is missing, once. */
static unsigned int check_vrf_devices(struct ready *ready)
{
	unsigned int missing = 0;
	uint32_t table, last = 0;
	size_t i;

	for (i = 0; i < ready->sid_count; i++) {
		table = ready->sids[i].vrftable;
		if (!table || table == last || ready_vrf(ready, table))
			continue;
		last = table;
		missing++;
		ready_say(ready, "vrf", READY_PROBLEM,
			  "ip link add NAME type vrf table TABLE, up, and the devices of that VRF into it",
			  "no VRF has table %u, which a SID names as its vrftable",
			  table);
	}
	return missing;
}

void check_vrf(struct ready *ready)
{
	int strict = 0;
	size_t i;

	for (i = 0; i < ready->sid_count; i++)
		if (ready->sids[i].vrftable)
			break;
	sysctl_number(&strict, "net/vrf/strict_mode");
	if (i == ready->sid_count) {
		ready_say(ready, "vrf", READY_OK, NULL,
			  "no SID has a vrftable%s", strict ? "" :
			  "; one that has will need net.vrf.strict_mode=1");
		return;
	}
	if (!strict)
		ready_say(ready, "vrf", READY_PROBLEM,
			  "sysctl -w net.vrf.strict_mode=1",
			  "SIDs have a vrftable, and net.vrf.strict_mode is not 1");
	if (!check_vrf_devices(ready) && strict)
		ready_say(ready, "vrf", READY_OK, NULL,
			  "each vrftable has its VRF, and net.vrf.strict_mode is 1");
}

void check_seg6(struct ready *ready)
{
	struct names names;
	int enabled = 0;

	devices_with(ready, "ipv6", "seg6_require_hmac", 1, &names);
	if (names.count)
		ready_say(ready, "hmac", READY_NOTE,
			  "sysctl net.ipv6.conf.DEVICE.seg6_require_hmac=0, unless that is meant",
			  "required on %s: packets with a segment list and no HMAC are dropped",
			  names.text);
	devices_with(ready, "ipv6", "seg6_require_hmac", -1, &names);
	if (names.count)
		ready_say(ready, "hmac", READY_NOTE, NULL,
			  "not verified on %s", names.text);
	sysctl_number(&enabled, "net/ipv6/conf/all/seg6_enabled");
	ready_say(ready, "seg6", READY_OK, NULL,
		  "SIDs do not need net.ipv6.conf.DEVICE.seg6_enabled; it is for segment lists through addresses of this machine (all: %d)",
		  enabled);
}
