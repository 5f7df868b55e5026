/* SPDX-License-Identifier: MIT */
#include "stack/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/** Memory for a descriptor that is sent with a message. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

bool pm_stack_send(int socket, const struct pm_stack_message *message, int fd)
{
	struct iovec part = { (void *)(uintptr_t)message, sizeof *message };
	union control control;
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memset(&control, 0, sizeof control);
		header.msg_control = &control;
		header.msg_controllen = sizeof control;

		struct cmsghdr *item = CMSG_FIRSTHDR(&header);
		item->cmsg_level = SOL_SOCKET;
		item->cmsg_type = SCM_RIGHTS;
		item->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(item), &fd, sizeof fd);
	}

	ssize_t sent;
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);

	return sent == (ssize_t)sizeof *message;
}

/** Returns the descriptor that came with a message, or -1. */
static int descriptor_of(struct msghdr *header)
{
	int fd = -1;
	struct cmsghdr *item = CMSG_FIRSTHDR(header);

	if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS &&
	    item->cmsg_len == CMSG_LEN(sizeof fd))
		memcpy(&fd, CMSG_DATA(item), sizeof fd);
	return fd;
}

bool pm_stack_receive(int socket, struct pm_stack_message *message, int *fd)
{
	struct iovec part = { message, sizeof *message };
	union control control;
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	/* Without memory for it, the kernel closes a descriptor that was sent. */
	if (fd) {
		header.msg_control = &control;
		header.msg_controllen = sizeof control;
		*fd = -1;
	}

	ssize_t received;
	do
		received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);

	if (received >= 0 && fd)
		*fd = descriptor_of(&header);
	if (received != (ssize_t)sizeof *message) {
		if (fd && *fd >= 0)
			close(*fd);
		return false;
	}

	message->name[sizeof message->name - 1] = '\0';
	return true;
}
