/* SPDX-License-Identifier: MIT */
/**
 * @file HTTP/2 frames (RFC 9113) with gRPC calls, as in the network buffers of a server. They are
 *   the same in every run.
 */
#ifndef TARGETS_HTTP2_H
#define TARGETS_HTTP2_H

#include <stddef.h>
#include <stdint.h>

/** A connection that is being received. Zero it first. */
struct http2_stream {
	uint32_t calls;       /**< calls so far */
	uint64_t noise;       /**< state of the generator of message bytes */
	unsigned char *piece; /**< frame that is not yet written completely */
	size_t length;        /**< its bytes */
	size_t taken;         /**< number of its bytes that were written */
};

/** Starts a new connection: its preface comes next. */
void http2_connect(struct http2_stream *stream);

/** Writes the next bytes of the connection. */
void http2_receive(struct http2_stream *stream, unsigned char *buffer, size_t size);

#endif
