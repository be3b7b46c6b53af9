// SPDX-License-Identifier: GPL-2.0-only
/*
 * batch.c - read a file of commands line by line and run them in order
 *
 * A file may be a pipe that someone types into: before waiting for more, all
 * that has come is run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "cmdline.h"

#define BLANKS		" \t\r\n"
#define READ_SIZE	65536
/* Foreign lines are handed on at the latest when they are that many octets. */
#define FOREIGN_SIZE	(1 << 20)

struct reader {
	int fd;
	char *data;
	size_t start;		/* of what has not been taken */
	size_t end;
	size_t room;
	bool eof;
	unsigned int line;	/* lines taken */
};

struct batch_state {
	const struct batch *batch;
	struct reader reader;
	struct batch_lines foreign;	/* not yet handed on */
	bool failed;
};

int batch_open(const char *name, int *fd)
{
	if (!strcmp(name, "-")) {
		*fd = STDIN_FILENO;
		return EXIT_OK;
	}
	*fd = open(name, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return EXIT_OK;
	complain("Cannot open file \"%s\" for reading: %s", name,
		 strerror(errno));
	return EXIT_ADDRESS;
}

/* Words of @text, which is cut up; NULL if a quote is not closed. */
char **batch_split(char *text)
{
	char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));
	size_t count = 0;
	char quote;

	if (!words)
		return NULL;
	for (text += strspn(text, BLANKS); *text;
	     text += strspn(text, BLANKS)) {
		quote = *text == '"' || *text == '\'' ? *text++ : '\0';
		words[count++] = text;
		if (quote) {
			text = strchr(text, quote);
			if (!text) {
				free(words);
				return NULL;
			}
		} else {
			text += strcspn(text, BLANKS);
		}
		if (*text)
			*text++ = '\0';
	}
	return words;
}

/* Where the line at @at ends, behind its newline; NULL if more must come. */
static char *line_end(const struct reader *reader, char *at)
{
	char *end = reader->data + reader->end;
	char *newline = memchr(at, '\n', end - at);

	if (newline)
		return newline + 1;
	return reader->eof ? end : NULL;
}

/* A backslash before the newline continues a line, but not a comment. */
static bool line_continues(const char *at, const char *end)
{
	return end - at >= 2 && end[-1] == '\n' && end[-2] == '\\' &&
	       !memchr(at, '#', end - at);
}

/*
 * The end of the command at the start, behind all lines that continue it, and
 * the number of these lines.
 */
static char *command_end(const struct reader *reader, unsigned int *lines)
{
	char *at = reader->data + reader->start;
	char *end;

	for (*lines = 1;; ++*lines, at = end) {
		end = line_end(reader, at);
		if (!end || !line_continues(at, end))
			return end;
		if (reader->eof && end == reader->data + reader->end)
			return end;
	}
}

/* Without comments and continuations, which are spliced without a blank. */
static char *command_text(const char *at, const char *end)
{
	char *text = malloc(end - at + 1);
	char *to = text;

	while (text && at < end) {
		if (*at == '#') {
			at = memchr(at, '\n', end - at);
			if (!at)
				break;
		}
		if (*at == '\\' && end - at >= 2 && at[1] == '\n') {
			at += 2;
			continue;
		}
		*to++ = *at++;
	}
	if (text)
		*to = '\0';
	return text;
}

static bool lines_add(struct batch_lines *lines, const char *at, size_t len)
{
	char *grown;
	size_t room;

	if (lines->len + len > lines->room) {
		room = (lines->len + len) * 2;
		grown = realloc(lines->data, room);
		if (!grown)
			return false;
		lines->data = grown;
		lines->room = room;
	}
	memcpy(lines->data + lines->len, at, len);
	lines->len += len;
	return true;
}

static int out_of_memory(void)
{
	complain("Error: out of memory.");
	return EXIT_KERNEL;
}

/*
 * Hand on what has been collected.  A batch of the real ip that ended with
 * another status than 1 has not seen all of its lines, forced or not.
 */
static int foreign_flush(struct batch_state *state)
{
	struct batch_lines *lines = &state->foreign;
	int status = EXIT_OK;

	if (lines->words)
		status = state->batch->foreign(state->batch, lines);
	lines->len = 0;
	lines->words = false;
	if (status != EXIT_ADDRESS)
		return status;
	state->failed = true;
	return state->batch->force ? EXIT_OK : status;
}

static int foreign_add(struct batch_state *state, const char *at, size_t len,
		       unsigned int first, bool words)
{
	struct batch_lines *lines = &state->foreign;

	if (!lines->len)
		lines->first = first;
	if (!lines_add(lines, at, len))
		return out_of_memory();
	lines->words |= words;
	return lines->len >= FOREIGN_SIZE ? foreign_flush(state) : EXIT_OK;
}

/* As with ip, what the kernel refused makes the status 1. */
static int command_failed(struct batch_state *state, int status)
{
	complain("Command failed %s:%u", state->batch->name,
		 state->reader.line);
	state->failed = true;
	if (state->batch->force)
		return EXIT_OK;
	return status == EXIT_PARSE ? status : EXIT_ADDRESS;
}

/* A command of ours, behind all foreign ones that stand before it. */
static int own_run(struct batch_state *state, char **words)
{
	int err = foreign_flush(state);

	if (err)
		return err;
	err = state->batch->run(state->batch, words);
	return err ? command_failed(state, err) : EXIT_OK;
}

/* The command of @len octets at @at, a line or more. */
static int command_run(struct batch_state *state, const char *at, size_t len,
		       unsigned int first)
{
	const struct batch *batch = state->batch;
	char *text = command_text(at, at + len);
	char **words;
	int err = EXIT_OK;

	if (!text)
		return out_of_memory();
	words = batch_split(text);
	if (batch->foreign && !(words && *words && batch->ours(batch, words))) {
		err = foreign_add(state, at, len, first, !words || *words);
	} else if (!words) {
		complain("Unterminated quoted string");
		err = command_failed(state, EXIT_ADDRESS);
	} else if (*words) {
		err = own_run(state, words);
	}
	free(words);
	free(text);
	return err;
}

/* All commands that are there in full. */
static int commands_run(struct batch_state *state)
{
	struct reader *reader = &state->reader;
	unsigned int lines;
	int err = EXIT_OK;
	char *at, *end;

	while (!err && reader->start < reader->end) {
		at = reader->data + reader->start;
		end = command_end(reader, &lines);
		if (!end)
			break;
		reader->start = end - reader->data;
		reader->line += lines;
		err = command_run(state, at, end - at,
				  reader->line - lines + 1);
	}
	return err;
}

static bool would_wait(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return !poll(&pfd, 1, 0);
}

/* Read some more, behind what is left. */
static int reader_fill(struct reader *reader)
{
	size_t left = reader->end - reader->start;
	ssize_t len;
	char *grown;

	if (left && reader->start)
		memmove(reader->data, reader->data + reader->start, left);
	reader->start = 0;
	reader->end = left;
	if (reader->room - left < READ_SIZE) {
		grown = realloc(reader->data, left * 2 + READ_SIZE);
		if (!grown)
			return out_of_memory();
		reader->data = grown;
		reader->room = left * 2 + READ_SIZE;
	}
	do {
		len = read(reader->fd, reader->data + left,
			   reader->room - left);
	} while (len < 0 && errno == EINTR);
	if (len < 0) {
		complain("Cannot read the batch file: %s", strerror(errno));
		return EXIT_ADDRESS;
	}
	reader->eof = !len;
	reader->end += len;
	return EXIT_OK;
}

int batch_run(const struct batch *batch, int fd)
{
	struct batch_state state = { .batch = batch, .reader.fd = fd };
	int err = EXIT_OK;

	while (!err && !state.reader.eof) {
		if (would_wait(fd)) {
			err = foreign_flush(&state);
			fflush(stdout);
		}
		if (!err)
			err = reader_fill(&state.reader);
		if (!err)
			err = commands_run(&state);
	}
	if (!err)
		err = foreign_flush(&state);
	free(state.reader.data);
	free(state.foreign.data);
	if (!err && state.failed)
		err = EXIT_ADDRESS;
	return err;
}
