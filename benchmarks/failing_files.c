/* A file layer that fails on purpose: every change of a file or a name below one folder is counted, and the Nth fails.

   Preloaded into a program, it lets the kernel stop each system call that changes files (seccomp, SECCOMP_RET_TRAP) and
   makes the call itself. So it sees the calls of Python, of SQLite, of C's own streams and of Rust alike, also those
   that a wrapped symbol of the C library would miss. Writing through a shared mapping is not seen.

   FAILING_FOLDER  the folder, without symbolic links
   FAILING_AT      the number of the change that fails, from 1; 0 for none
   FAILING_HOW     kill: the process is killed, in the middle of a write; cut: killed before the change;
                   full: no space from here on; once: no space this time; sync: the next sync fails
   FAILING_LOG     where to note every change that was made, for `power.py`; a line at its end gives the count

   Linux on x86-64 only. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define OURS 0x6d656467 /* the sixth argument of a call that is let through; none of the calls here has six */
#define LONGEST 4096

typedef long Word;
typedef struct {
  Word number, a, b, c, d, e;
} Call;

static const int trapped[] = {SYS_write,    SYS_pwrite64,  SYS_writev,  SYS_pwritev,         SYS_pwritev2,
                              SYS_sendfile, SYS_ftruncate, SYS_fsync,   SYS_copy_file_range, SYS_fallocate,
                              SYS_truncate, SYS_fdatasync, SYS_rename,  SYS_renameat,        SYS_renameat2,
                              SYS_link,     SYS_linkat,    SYS_unlink,  SYS_unlinkat,        SYS_mkdir,
                              SYS_mkdirat,  SYS_rmdir,     SYS_symlink, SYS_symlinkat,       SYS_creat,
                              SYS_openat2};

static char folder[LONGEST], how[8];
static size_t folder_length;
static long fails_at, counted;
static int log_to = -1, is_full, sync_fails;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static char first[2 * LONGEST], second[2 * LONGEST];

static Word call(Word number, Word a, Word b, Word c, Word d, Word e) {
  Word result;
  register Word r10 __asm__("r10") = d;
  register Word r8 __asm__("r8") = e;
  register Word r9 __asm__("r9") = OURS;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static Word made(const Call *one) { return call(one->number, one->a, one->b, one->c, one->d, one->e); }

static void die(void) {
  call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0);
  for (;;) call(SYS_pause, 0, 0, 0, 0, 0);
}

/* The path of an open file or folder; empty if it has none. */
static void path_of(int handle, char *path) {
  char link[40];
  snprintf(link, sizeof link, handle == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", handle);
  Word length = call(SYS_readlink, (Word)link, (Word)path, LONGEST - 1, 0, 0);
  path[length > 0 ? length : 0] = 0;
}

static void absolute(int handle, const char *name, char *path) {
  if (name[0] == '/') {
    snprintf(path, 2 * LONGEST, "%s", name);
    return;
  }
  path_of(handle, path);
  size_t length = strlen(path);
  snprintf(path + length, 2 * LONGEST - length, "/%s", name);
}

static int is_below(const char *path) {
  return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

static int status(const char *path, struct stat *found) {
  return (int)call(SYS_newfstatat, AT_FDCWD, (Word)path, (Word)found, AT_SYMLINK_NOFOLLOW, 0);
}

static unsigned long inode(int handle, int *is_folder) {
  struct stat found = {0};
  call(SYS_fstat, handle, (Word)&found, 0, 0, 0);
  if (is_folder) *is_folder = S_ISDIR(found.st_mode);
  return found.st_ino;
}

static void note_bytes(const void *bytes, size_t length) {
  for (const char *at = bytes; length;) {
    Word written = call(SYS_write, log_to, (Word)at, (Word)length, 0, 0);
    if (written <= 0) die();
    at += written, length -= (size_t)written;
  }
}

/* A line of the log: what, an inode, two numbers and two paths; the bytes of a write follow it. */
static void note(char what, unsigned long node, long at, long length, const char *one, const char *other) {
  static char line[5 * LONGEST];
  if (log_to < 0) return;
  int size = snprintf(line, sizeof line, "%c\t%lu\t%ld\t%ld\t%s\t%s\n", what, node, at, length, one, other);
  note_bytes(line, (size_t)size);
}

/* Count a change; the error with which it fails, or 0. `bytes` is what a write would write. */
static int fault(int is_sync, int takes_space, const Call *one, size_t bytes) {
  counted++;
  if (is_sync && sync_fails) {
    sync_fails = 0;
    return EIO;
  }
  if (counted == fails_at) {
    if (!strcmp(how, "kill") && bytes > 1) call(SYS_write, one->a, one->b, (Word)(bytes / 2), 0, 0);
    if (!strcmp(how, "kill") || !strcmp(how, "cut")) die();
    if (!strcmp(how, "full")) is_full = 1;
    if (!strcmp(how, "once") && takes_space) return ENOSPC;
    if (!strcmp(how, "once")) fails_at++;
    if (!strcmp(how, "sync")) {
      if (is_sync) return EIO;
      sync_fails = 1;
    }
  }
  return is_full && takes_space ? ENOSPC : 0;
}

static Word writing(const Call *one) {
  int handle = (int)one->a, places = one->number == SYS_pwrite64 || one->number == SYS_pwritev;
  path_of(handle, first);
  if (!is_below(first)) return made(one);
  int error = fault(0, 1, one, one->number == SYS_write ? (size_t)one->c : 0);
  if (error) return -error;
  Word written = made(one);
  if (written <= 0 || log_to < 0) return written;
  Word at = places ? one->d : call(SYS_lseek, handle, 0, SEEK_CUR, 0, 0) - written;
  note('W', inode(handle, NULL), at, written, "", "");
  if (one->number == SYS_write || one->number == SYS_pwrite64) {
    note_bytes((const void *)one->b, (size_t)written);
    return written;
  }
  size_t left = (size_t)written;
  for (const struct iovec *part = (const struct iovec *)one->b; left; part++) {
    size_t length = part->iov_len < left ? part->iov_len : left;
    note_bytes(part->iov_base, length);
    left -= length;
  }
  return written;
}

static Word cutting(const Call *one) {
  path_of((int)one->a, first);
  if (!is_below(first)) return made(one);
  int error = fault(0, 0, one, 0);
  Word result = error ? -error : made(one);
  if (!result) note('T', inode((int)one->a, NULL), one->b, 0, "", "");
  return result;
}

static Word syncing(const Call *one) {
  int is_folder;
  path_of((int)one->a, first);
  if (!is_below(first)) return made(one);
  int error = fault(1, 0, one, 0);
  Word result = error ? -error : made(one);
  unsigned long node = inode((int)one->a, &is_folder);
  if (!result) note(is_folder ? 'D' : 'S', node, 0, 0, is_folder ? first : "", "");
  return result;
}

static Word opening(const Call *one, int at, const char *name, int flags) {
  struct stat before;
  absolute(at, name, first);
  if (!is_below(first)) return made(one);
  int is_there = !status(first, &before);
  if (is_there && !((flags & O_TRUNC) && before.st_size)) return made(one);
  int error = fault(0, !is_there, one, 0);
  if (error) return -error;
  Word handle = made(one);
  if (handle >= 0) note(is_there ? 'T' : 'C', inode((int)handle, NULL), 0, 0, first, "");
  return handle;
}

static Word naming(const Call *one, char what, int takes_space, int at, const char *name, int at2, const char *name2) {
  absolute(at, name, first);
  second[0] = 0;
  if (name2) absolute(at2, name2, second);
  if (!is_below(name2 ? second : first)) return made(one);
  int error = fault(0, takes_space, one, 0);
  Word result = error ? -error : made(one);
  if (!result) note(what, 0, 0, 0, first, second);
  return result;
}

static Word changed(const Call *one) {
  const char *a = (const char *)one->a, *b = (const char *)one->b, *d = (const char *)one->d;
  switch (one->number) {
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: return writing(one);
    case SYS_ftruncate: return cutting(one);
    case SYS_fsync: case SYS_fdatasync: return syncing(one);
    case SYS_open: return opening(one, AT_FDCWD, a, (int)one->b);
    case SYS_creat: return opening(one, AT_FDCWD, a, O_CREAT | O_TRUNC);
    case SYS_openat: return opening(one, (int)one->a, b, (int)one->c);
    case SYS_rename: return naming(one, 'N', 0, AT_FDCWD, a, AT_FDCWD, b);
    case SYS_renameat: case SYS_renameat2: return naming(one, 'N', 0, (int)one->a, b, (int)one->c, d);
    case SYS_link: return naming(one, 'L', 1, AT_FDCWD, a, AT_FDCWD, b);
    case SYS_linkat: return naming(one, 'L', 1, (int)one->a, b, (int)one->c, d);
    case SYS_unlink: return naming(one, 'U', 0, AT_FDCWD, a, 0, NULL);
    case SYS_rmdir: return naming(one, 'R', 0, AT_FDCWD, a, 0, NULL);
    case SYS_unlinkat: return naming(one, one->c & AT_REMOVEDIR ? 'R' : 'U', 0, (int)one->a, b, 0, NULL);
    case SYS_mkdir: return naming(one, 'M', 1, AT_FDCWD, a, 0, NULL);
    case SYS_mkdirat: return naming(one, 'M', 1, (int)one->a, b, 0, NULL);
    case SYS_symlink: case SYS_symlinkat: case SYS_truncate: die(); return 0; /* nothing here makes these */
    default: return -ENOSYS; /* callers then copy with `write` */
  }
  return -ENOSYS;
}

static void on_trap(int number, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  Call one = {info->si_syscall,    registers[REG_RDI], registers[REG_RSI],
              registers[REG_RDX], registers[REG_R10], registers[REG_R8]};
  (void)number;
  while (atomic_flag_test_and_set(&busy)) call(SYS_sched_yield, 0, 0, 0, 0, 0);
  registers[REG_RAX] = changed(&one);
  atomic_flag_clear(&busy);
}

static void let_the_kernel_stop(void) {
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, what)
  enum { CALLS = sizeof trapped / sizeof trapped[0] };
  struct sock_filter filter[2 * CALLS + 20], *at = filter;
  *at++ = (struct sock_filter)LOAD(args[5]);
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OURS, 0, 1);
  *at++ = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
  *at++ = (struct sock_filter)LOAD(nr);
  for (int i = 0; i < CALLS; i++) {
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)trapped[i], 0, 1);
    *at++ = (struct sock_filter)GIVE(SECCOMP_RET_TRAP);
  }
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3);
  *at++ = (struct sock_filter)LOAD(args[2]);
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 4, 0);
  *at++ = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 3);
  *at++ = (struct sock_filter)LOAD(args[1]);
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1);
  *at++ = (struct sock_filter)GIVE(SECCOMP_RET_TRAP);
  *at++ = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)(at - filter), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("failing_files: the kernel does not filter system calls");
    _exit(77);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *below = getenv("FAILING_FOLDER"), *at = getenv("FAILING_AT"), *kind = getenv("FAILING_HOW"),
             *noted = getenv("FAILING_LOG");
  if (!below) return;
  snprintf(folder, sizeof folder, "%s", below);
  folder_length = strlen(folder);
  fails_at = at ? atol(at) : 0;
  snprintf(how, sizeof how, "%s", kind ? kind : "");
  if (noted && (log_to = open(noted, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0) _exit(77);
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  sigfillset(&action.sa_mask); /* another handler could wait for the lock of this one */
  if (sigaction(SIGSYS, &action, NULL)) _exit(77);
  let_the_kernel_stop();
}

__attribute__((destructor)) static void end(void) {
  if (log_to >= 0) note('#', 0, counted, 0, "", "");
}
