#ifndef SOCKET_BUFFER_H
#define SOCKET_BUFFER_H

#include <stddef.h>

// A buffer between libmosquitto and its socket.
//
// The library reads a message with four system calls, writes each packet with one, and for each PUBACK that it queues
// another one to a socket pair of its own. It has no hook for any of that, but it calls `read` and `write` by these names,
// and a program's own definition comes before the C library's (ld.so(8)). So they are defined here. While a thread uses a
// buffer they work on its memory; every other call goes to the system as it would without. Where a program is linked so
// that the library finds the C library's functions, all goes on unbuffered.
struct socket_buffer;

// NULL where there is no memory.
struct socket_buffer *_Nullable socket_buffer_new(void);
void socket_buffer_free(struct socket_buffer *_Nullable buffer);

// Until the end, this thread's reads and writes of the descriptor go through the buffer, and single bytes for other
// descriptors, with which the library wakes a thread that it does not have here, go nowhere.
void socket_buffer_begin(struct socket_buffer *_Nonnull buffer, int descriptor);
void socket_buffer_end(void);

// The bytes that were received and not read yet, and those that were written and not sent yet.
size_t socket_buffer_received(const struct socket_buffer *_Nonnull buffer);
size_t socket_buffer_unsent(const struct socket_buffer *_Nonnull buffer);

// Sends what was written. Returns 0, or the error of send(2): EAGAIN where the socket takes no more now.
int socket_buffer_send(struct socket_buffer *_Nonnull buffer);

#endif
