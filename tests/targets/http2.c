/* SPDX-License-Identifier: MIT */
#include "http2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Frame types and flags of RFC 9113, section 6. */
enum {
	FRAME_DATA = 0,
	FRAME_HEADERS = 1,
	FRAME_SETTINGS = 4,
	END_STREAM = 1,
	END_HEADERS = 4,
	FRAME_HEADER = 9
};
enum { MOST_FRAMES = 64 * 1024, MESSAGE = 48 * 1024 };

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static size_t put(unsigned char *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return size;
}

/** Nine bytes: length, type, flags, stream. */
static size_t put_frame_header(unsigned char *at, size_t length, unsigned type, unsigned flags,
                               uint32_t stream)
{
	for (int i = 0; i < 3; i++)
		at[i] = (unsigned char)(length >> (16 - 8 * i));

	at[3] = (unsigned char)type;
	at[4] = (unsigned char)flags;
	for (int i = 0; i < 4; i++)
		at[5 + i] = (unsigned char)(stream >> (24 - 8 * i));
	return FRAME_HEADER;
}

/** A string of HPACK (RFC 7541, section 5.2) without Huffman code: length below 127, bytes. */
static size_t put_text(unsigned char *at, const char *text)
{
	size_t length = strlen(text);
	at[0] = (unsigned char)length;
	return 1 + put(at + 1, text, length);
}

/** A header field that is not in the table: literal name and value. */
static size_t put_field(unsigned char *at, const char *name, const char *value)
{
	at[0] = 0x40;
	size_t length = 1;
	length += put_text(at + length, name);
	return length + put_text(at + length, value);
}

/** Writes the token of call `number`, which looks like a signed JSON web token. */
static void make_token(uint32_t number, char *text, size_t size)
{
	uint64_t signature = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	snprintf(text, size, "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyJTA%06u.%016llx", number,
	         (unsigned long long)signature);
}

static size_t put_headers(unsigned char *at, uint32_t call)
{
	char token[128];
	make_token(call, token, sizeof token);

	size_t length = FRAME_HEADER;
	at[length++] = 0x83; /* :method POST, from the static table */
	at[length++] = 0x86; /* :scheme http */
	length += put_field(at + length, ":path", "/shop.Orders/Place");
	length += put_field(at + length, ":authority", "localhost:50051");
	length += put_field(at + length, "content-type", "application/grpc");
	length += put_field(at + length, "user-agent",
	                    "grpc-node/1.24.2 grpc-c/8.0.0 (linux; chttp2; ganges)");

	length += put_field(at + length, "te", "trailers");
	length += put_field(at + length, "authorization", token);
	put_frame_header(at, length - FRAME_HEADER, FRAME_HEADERS, END_HEADERS, 2 * call + 1);

	return length;
}

/**
 * A message of gRPC: a flag, four bytes of length, and bytes without structure, like compressed
 * ones.
 */
static size_t put_data(unsigned char *at, uint32_t call, uint64_t *noise)
{
	size_t length = put_frame_header(at, 5 + MESSAGE, FRAME_DATA, END_STREAM, 2 * call + 1);
	const unsigned char prefix[5] = { 1, 0, 0, MESSAGE >> 8, MESSAGE & 0xff };
	length += put(at + length, prefix, sizeof prefix);

	for (size_t i = 0; i < MESSAGE; i += sizeof *noise) {
		/* xorshift64 */
		*noise ^= *noise << 13;
		*noise ^= *noise >> 7;
		*noise ^= *noise << 17;
		length += put(at + length, noise, sizeof *noise);
	}

	return length;
}

void http2_connect(struct http2_stream *stream)
{
	if (!stream->piece) {
		stream->piece = malloc(MOST_FRAMES);
		target_check(stream->piece ? 0 : -1, "malloc");
		stream->noise = UINT64_C(0x2545f4914f6cdd1d);
	}

	stream->taken = 0;
	stream->length = put(stream->piece, preface, sizeof preface - 1);
	stream->length += put_frame_header(stream->piece + stream->length, 0, FRAME_SETTINGS, 0, 0);
}

void http2_receive(struct http2_stream *stream, unsigned char *buffer, size_t size)
{
	while (size > 0) {
		if (stream->taken == stream->length) {
			stream->taken = 0;
			stream->length = put_headers(stream->piece, stream->calls);
			stream->length += put_data(stream->piece + stream->length, stream->calls,
			                           &stream->noise);
			stream->calls++;
		}
		size_t rest = stream->length - stream->taken, some = size < rest ? size : rest;
		buffer += put(buffer, stream->piece + stream->taken, some);
		stream->taken += some;
		size -= some;
	}
}
