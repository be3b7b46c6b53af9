// SPDX-License-Identifier: GPL-2.0-only
/* inject.c - packets into ports and out of them, many with one call */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "soak.h"

#define ROOM_IN		(1 << 20)
#define ROOM_OUT	(4 << 20)

static int fd;
static uint8_t *in, *out;
static size_t in_len;

void inject_init(void)
{
	fd = open(INJ_PATH, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(INJ_PATH);
	in = calloc(1, ROOM_IN);
	out = malloc(ROOM_OUT);
}

size_t put_frame(uint8_t *to, int port, const uint8_t *frame, int len)
{
	struct inj_send *send = (struct inj_send *)to;

	send->port = port;
	send->len = len;
	memcpy(to + INJ_ALIGN(sizeof(*send)), frame, len);
	return INJ_ALIGN(sizeof(*send)) + INJ_ALIGN(len);
}

void send_frame(int port, const uint8_t *frame, int len)
{
	if (in_len + INJ_ALIGN(sizeof(struct inj_send)) + INJ_ALIGN(len) >
	    ROOM_IN)
		send_all(NULL);
	in_len += put_frame(in + in_len, port, frame, len);
}

/* Without looking at what comes out; of any thread. */
int inject_some(const uint8_t *frames, size_t len)
{
	struct inj_batch batch = { .in = (uintptr_t)frames, .in_len = len };

	return ioctl(fd, INJ_SEND, &batch);
}

/* Returns when all is through; @left is told what came out, all the time. */
void send_all(void (*left)(int port, const uint8_t *data, int len))
{
	struct inj_batch batch = {
		.in = (uintptr_t)in, .out = (uintptr_t)out,
		.in_len = in_len, .out_len = ROOM_OUT,
	};
	const struct inj_frame *f;
	size_t at = 0;

	if (ioctl(fd, INJ_SEND, &batch))
		die("INJ_SEND");
	in_len = 0;
	while (left && at < batch.used) {
		f = (struct inj_frame *)(out + at);
		at += INJ_ALIGN(sizeof(*f));
		left(f->place, out + at, f->len);
		at += INJ_ALIGN(f->len);
	}
}
