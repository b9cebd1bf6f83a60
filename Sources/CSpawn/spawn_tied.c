#define _GNU_SOURCE
#include "spawn_tied.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Locks the log file. The program of a parent that was killed has the lock until its data are saved: 100 looks, 20 ms apart.
static int lock(int file) {
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int look = 0; look < 100; look++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
        nanosleep(&pause, NULL);
    }
    return EWOULDBLOCK;
}

// Only what may be called between fork and exec of a process with threads (signal-safety(7)).
static int become(char *const *arguments, const char *log_file, pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return errno;
    // A parent that has ended already sends nothing any more.
    if (getppid() != parent) return ECHILD;
    if (setpgid(0, 0) != 0) return errno;
    int input = open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, STDIN_FILENO) < 0) return errno;
    int output = open(log_file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (output < 0) return errno;
    int failure = lock(output);
    if (failure != 0) return failure;
    if (ftruncate(output, 0) != 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0) return errno;
    if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0) return errno;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    // Those that there are not, and those that cannot be changed, refuse it.
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
    execve(arguments[0], arguments, environ);
    return errno;
}

int stridebus_spawn_tied(char *const *arguments, const char *log_file, pid_t *pid) {
    // The child writes why it could not start; an exec that succeeds closes the pipe.
    int failures[2];
    if (pipe2(failures, O_CLOEXEC) != 0) return errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        int reason = become(arguments, log_file, parent);
        ssize_t written = write(failures[1], &reason, sizeof reason);
        _exit(written == sizeof reason ? 126 : 127);
    }
    int failure = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(failures[1]);
    if (child > 0) {
        ssize_t count;
        do count = read(failures[0], &failure, sizeof failure);
        while (count < 0 && errno == EINTR);
        if (count != sizeof failure) failure = 0;
        if (failure != 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(failures[0]);
    *pid = child;
    return failure;
}
