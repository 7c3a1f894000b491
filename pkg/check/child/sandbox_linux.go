package child

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// confine takes from the process, for good, what parsing does not need: privileges, files, signals
// to other processes (Landlock) and every other system call but those of allowedCalls (seccomp). A
// kernel may lack Landlock or seccomp; a probe tells what holds.
func confine() error {
	runtime.LockOSThread() // no_new_privs is of a thread; the filter spreads it to the others
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := landlock.V6.BestEffort().Restrict(); err != nil && !unsupported(err) {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := filter(allowOnly(allowedCalls)); err != nil && !unsupported(err) {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// confineProgram takes from the process what a program that recognizes text does not need. It may
// read and run what is in the folders of programs, so that it finds its libraries and its data; it
// writes nothing, and reaches no network and no other process. Without Landlock, which Lambda's
// kernel may lack, it can read the files of its user; without seccomp it is not started.
func confineProgram(program string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	folders := []string{"/usr", "/bin", "/lib", "/lib64", "/nix/store"}
	if own := filepath.Dir(filepath.Dir(program)); own != "/" { // that of /bin is everything
		folders = append(folders, own)
	}
	if err := landlock.V6.BestEffort().Restrict(
		landlock.RODirs(folders...).IgnoreIfMissing(),
		landlock.ROFiles("/etc/ld.so.cache", program).IgnoreIfMissing(),
	); err != nil && !unsupported(err) {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := filter(allowAllBut(forbiddenCalls)); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// unsupported reports whether an error says that the kernel lacks a call or forbids it here.
func unsupported(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL)
}

// The offsets of struct seccomp_data.
const (
	offsetCall = 0
	offsetArch = 4
)

// allowOnly and allowAllBut decide on the system call that was loaded. A call that is not allowed
// is answered EPERM.
func allowOnly(calls []uint32) []bpf.Instruction {
	return append(onCalls(calls, unix.SECCOMP_RET_ALLOW), refused)
}

func allowAllBut(calls []uint32) []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: otherTable, SkipTrue: 1},
		refused,
	}
	program = append(program, onCalls(calls, refused.Val)...)
	return append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

// otherTable is the first number of the system calls of x32: the same under other numbers.
const otherTable = 1 << 30

var refused = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}

// onCalls ends with a result for each of the calls, and goes on for every other.
func onCalls(calls []uint32, result uint32) (program []bpf.Instruction) {
	for _, call := range calls {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
			bpf.RetConstant{Val: result})
	}
	return program
}

// filter has the kernel decide on every system call of any thread.
func filter(decision []bpf.Instruction) error {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
	}
	raw, err := bpf.Assemble(append(program, decision...))
	if err != nil {
		return err
	}
	filters := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filters[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filters)
	switch {
	case errno != 0:
		return errno
	case thread != 0:
		return fmt.Errorf("thread %d can't be filtered", thread)
	}
	return nil
}

// allowedCalls are those of the Go runtime, of reading an open file, and of taking the next one
// from the socket that the process has. A process that is made by clone stays in the sandbox and in
// the process group, which its parent kills as a whole.
var allowedCalls = append([]uint32{
	unix.SYS_RECVMSG, unix.SYS_GETRUSAGE, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_WRITEV,
	unix.SYS_PREAD64, unix.SYS_LSEEK,
	unix.SYS_CLOSE,
	unix.SYS_FSTAT, unix.SYS_FCNTL, unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP,
	unix.SYS_MREMAP,
	unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK, unix.SYS_RT_SIGACTION,
	unix.SYS_RT_SIGPROCMASK,
	unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL, unix.SYS_GETPID, unix.SYS_GETTID,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_CLONE, unix.SYS_CLONE3,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM, unix.SYS_MEMBARRIER,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_PIPE2,
	unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}, archCalls...)

// forbiddenCalls are those by which a program could reach the network, other processes or the
// machine. A list of allowed ones would differ from version to version of its libraries.
var forbiddenCalls = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KILL,
	unix.SYS_TKILL, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_SETPGID, unix.SYS_SETSID, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT,
	unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MEMFD_CREATE, unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET,
}

// tried tries what a sandboxed process can't do.
func tried() childproto.Sandbox {
	var s childproto.Sandbox
	_, err := os.Open("/")
	s.NoFiles = denied(err)
	_, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	s.NoNetwork = denied(err)
	s.NoPrograms = denied(unix.Exec("/nothing", nil, nil)) // without a sandbox it is not found
	held, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	s.NoPrivileges = err == nil && held == 1 || denied(err)
	return s
}

func denied(err error) bool { return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) }
