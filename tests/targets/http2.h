/* SPDX-License-Identifier: MIT */
/**
 * @file Frames of HTTP/2 (RFC 9113) with gRPC calls in them, as they stand in the network buffers
 * of a server. Deterministic.
 */
#ifndef TARGETS_HTTP2_H
#define TARGETS_HTTP2_H

#include <stddef.h>
#include <stdint.h>

/** A connection that is being received. Start with zeroes. */
struct http2_stream {
	uint32_t calls;       /**< calls so far */
	uint64_t noise;       /**< state of the generator of message bytes */
	unsigned char *piece; /**< frame that is not yet handed out as a whole */
	size_t length;        /**< its bytes */
	size_t taken;         /**< how many of them were handed out */
};

/** Begins a new connection: its preface comes next. */
void http2_connect(struct http2_stream *stream);

/** Writes the next bytes of the connection. */
void http2_receive(struct http2_stream *stream, unsigned char *buffer, size_t size);

#endif
