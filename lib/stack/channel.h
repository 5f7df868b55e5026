/* SPDX-License-Identifier: MIT */
/** @file Messages between the unwinder and its child process, with descriptors. Private. */
#ifndef PM_STACK_CHANNEL_H
#define PM_STACK_CHANNEL_H

#include <stdbool.h>

#include "stack/protocol.h"

/**
 * Sends a message. Does not wait: a peer that does not read its messages is an error.
 * @param socket   a socket of type SOCK_SEQPACKET
 * @param message  the message
 * @param fd       a descriptor to send, which remains open; -1: none
 * @return         whether the message was sent
 */
bool pm_stack_send(int socket, const struct pm_stack_message *message, int fd);

/**
 * Receives a message.
 * @param socket   as for pm_stack_send()
 * @param message  receives the message; its texts end with a NUL
 * @param fd       receives the descriptor, which the caller closes, or -1; NULL: descriptors are
 *                 not accepted
 * @return         false if the peer has ended, or has sent something else
 */
bool pm_stack_receive(int socket, struct pm_stack_message *message, int *fd);

#endif
