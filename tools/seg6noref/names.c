// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - the name files of iproute2, read when first needed
 *
 * Per kind: /etc/iproute2/FILE, or the one under /usr/share where the
 * administrator has none, and then FILE.d/<name>.conf of both.  A later line
 * beats an earlier one, any line beats the names built in.
 */
#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmdline.h"
#include "names.h"

#define SHARE_DIR	"/usr/share/iproute2"
#define ETC_DIR		"/etc/iproute2"

struct name {
	struct name *next;
	uint32_t number;
	char text[NAME_SIZE];
};

struct builtin {
	uint32_t number;
	const char *text;
};

struct name_list {
	const char *file;
	uint32_t max;
	const struct builtin *builtin;
	struct name *names;	/* last line first */
	bool loaded;
};

static const struct builtin tables[] = {
	{ 255, "local" }, { 254, "main" }, { 253, "default" }, { 0, NULL },
};

static const struct builtin protocols[] = {
	{ 1, "redirect" }, { 2, "kernel" }, { 3, "boot" }, { 4, "static" },
	{ 8, "gated" }, { 9, "ra" }, { 10, "mrt" }, { 11, "zebra" },
	{ 12, "bird" }, { 13, "dnrouted" }, { 14, "xorp" }, { 15, "ntk" },
	{ 16, "dhcp" }, { 18, "keepalived" }, { 42, "babel" },
	{ 99, "openr" }, { 186, "bgp" }, { 187, "isis" }, { 188, "ospf" },
	{ 189, "rip" }, { 192, "eigrp" }, { 0, NULL },
};

static const struct builtin scopes[] = {
	{ 0, "global" }, { 200, "site" }, { 253, "link" }, { 254, "host" },
	{ 255, "nowhere" }, { 0, NULL },
};

/* Read once per process, like the files behind them. */
static struct name_list name_lists[] = {
	[NAME_TABLE] = { .file = "rt_tables", .max = UINT32_MAX,
			 .builtin = tables },
	[NAME_PROTO] = { .file = "rt_protos", .max = 255,
			 .builtin = protocols },
	[NAME_SCOPE] = { .file = "rt_scopes", .max = 255,
			 .builtin = scopes },
};

static char etc_dir[256] = ETC_DIR;

/*
 * One for all questions about devices: a batch asks in every line, and never
 * from a list, for lines may make and rename devices.  It belongs to the
 * namespace in which it was made.
 */
static int device_socket = -1;

static void device_socket_close(void)
{
	if (device_socket >= 0)
		close(device_socket);
	device_socket = -1;
}

/* The files of a namespace replace those of the host, as under ip netns. */
void names_netns(const char *netns)
{
	char dir[sizeof(etc_dir)];

	device_socket_close();
	snprintf(dir, sizeof(dir), "/etc/netns/%s/iproute2", netns);
	if (!access(dir, X_OK))
		strcpy(etc_dir, dir);
}

static void name_add(struct name_list *list, uint32_t number, const char *text)
{
	struct name *name = calloc(1, sizeof(*name));

	if (!name)
		return;
	name->number = number;
	snprintf(name->text, sizeof(name->text), "%s", text);
	name->next = list->names;
	list->names = name;
}

static void line_read(struct name_list *list, char *line)
{
	char number[16], text[NAME_SIZE], *comment;
	uint64_t value;

	comment = strchr(line, '#');
	if (comment)
		*comment = '\0';
	if (sscanf(line, "%15s %63s", number, text) != 2)
		return;
	if (word_number(number, list->max, &value))
		name_add(list, value, text);
}

static bool file_read(struct name_list *list, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512];

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		line_read(list, line);
	fclose(file);
	return true;
}

static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 &&
	       !strcmp(entry->d_name + len - 5, ".conf");
}

static void dir_read(struct name_list *list, const char *dir)
{
	struct dirent **entries;
	char path[1024];
	int i, count;

	snprintf(path, sizeof(path), "%s/%s.d", dir, list->file);
	count = scandir(path, &entries, is_conf, alphasort);
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s.d/%s", dir, list->file,
			 entries[i]->d_name);
		file_read(list, path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static struct name_list *names_load(enum name_kind kind)
{
	struct name_list *list = &name_lists[kind];
	char path[512];

	if (list->loaded)
		return list;
	list->loaded = true;
	snprintf(path, sizeof(path), "%s/%s", etc_dir, list->file);
	if (!file_read(list, path)) {
		snprintf(path, sizeof(path), "%s/%s", SHARE_DIR, list->file);
		file_read(list, path);
	}
	dir_read(list, SHARE_DIR);
	dir_read(list, etc_dir);
	return list;
}

void names_free(void)
{
	struct name_list *list = name_lists;
	struct name *name;

	for (; list < name_lists + sizeof(name_lists) / sizeof(*list); list++) {
		while (list->names) {
			name = list->names;
			list->names = name->next;
			free(name);
		}
		list->loaded = false;
	}
	device_socket_close();
}

/* A name, or else a number within the range of its kind. */
bool name_to_number(enum name_kind kind, const char *name, uint32_t *number)
{
	const struct name_list *list = names_load(kind);
	const struct builtin *builtin;
	const struct name *entry;
	uint64_t value;

	for (entry = list->names; entry; entry = entry->next) {
		if (!strcmp(entry->text, name)) {
			*number = entry->number;
			return true;
		}
	}
	for (builtin = list->builtin; builtin->text; builtin++) {
		if (!strcmp(builtin->text, name)) {
			*number = builtin->number;
			return true;
		}
	}
	if (!word_number(name, list->max, &value))
		return false;
	*number = value;
	return true;
}

const char *number_to_name(enum name_kind kind, uint32_t number, bool numeric,
			   char buf[NAME_SIZE])
{
	const struct name_list *list = names_load(kind);
	const struct builtin *builtin;
	const struct name *entry;

	for (entry = list->names; entry && !numeric; entry = entry->next) {
		if (entry->number == number) {
			snprintf(buf, NAME_SIZE, "%s", entry->text);
			return buf;
		}
	}
	for (builtin = list->builtin; builtin->text && !numeric; builtin++) {
		if (builtin->number == number) {
			snprintf(buf, NAME_SIZE, "%s", builtin->text);
			return buf;
		}
	}
	snprintf(buf, NAME_SIZE, "%u", number);
	return buf;
}

static uint32_t index_of(const char *name)
{
	struct ifreq request = { 0 };

	if (strlen(name) >= sizeof(request.ifr_name))
		return 0;
	strcpy(request.ifr_name, name);
	if (device_socket < 0)
		device_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (device_socket < 0 || ioctl(device_socket, SIOCGIFINDEX, &request))
		return 0;
	return request.ifr_ifindex;
}

/* Index of a device of the current namespace, of "ifN" as N; 0 for none. */
uint32_t device_index(const char *name)
{
	uint32_t index = index_of(name);
	uint64_t value;

	if (!index && !strncmp(name, "if", 2) &&
	    word_number(name + 2, INT32_MAX, &value))
		index = value;
	return index;
}

/* Names that a listing has asked for already, by index. */
static struct {
	uint32_t index;
	char name[IF_NAMESIZE];
} devices[256];

/* Devices are renamed: a listing begins with asking anew. */
void device_names_forget(void)
{
	memset(devices, 0, sizeof(devices));
}

const char *device_name(uint32_t index, char buf[NAME_SIZE])
{
	const size_t slot = index % (sizeof(devices) / sizeof(devices[0]));

	if (index && devices[slot].index != index) {
		devices[slot].index = index;
		if (!if_indextoname(index, devices[slot].name))
			snprintf(devices[slot].name, IF_NAMESIZE, "if%u",
				 index);
	}
	snprintf(buf, NAME_SIZE, "%s", index ? devices[slot].name : "*");
	return buf;
}
