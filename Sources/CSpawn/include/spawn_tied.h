#pragma once

#include <sys/types.h>

/// Starts a program that the kernel sends SIGTERM when the calling *thread* ends (prctl(2), PR_SET_PDEATHSIG), which
/// posix_spawn(3) cannot ask for: it saves what it has, as it would without us. Its input is empty and its output goes to a
/// file, which is emptied, and which one program writes at a time. It has default signals and a process group of its own, so
/// that Ctrl-C at a terminal reaches us first, and none of our descriptors.
///
/// `arguments` ends with a null pointer; its first one is the program's path. Returns 0, or the number of an
/// error: EWOULDBLOCK while another program writes the file.
int stridebus_spawn_tied(char *const *arguments, const char *log_file, pid_t *pid);
