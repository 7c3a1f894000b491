package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// A child reads the parts of one company one after the other, because its start costs more than
// most parts do. It ends for good after a failure, a part that it could not read, or one of these.
const (
	childParts    = 100              // parts that it has read
	childResident = 64 << 20         // bytes of memory that it has
	childCPU      = 10 * time.Second // that it has used
	childIdle     = 30 * time.Second // without a part
	idleChildren  = 8                // that wait, of all companies
)

// child is a process that parses. One check has it at a time.
type child struct {
	company string
	pid     int
	conn    *childproto.Conn
	kill    context.CancelFunc
	ended   chan struct{}        // closed once the process has ended
	err     error                // of the end; read it after ended only
	cpu     func() time.Duration // of the whole process; call it after ended only
	before  time.Duration        // CPU of the parts before this one
	parts   int
	timer   *time.Timer // ends it when it waits too long
}

// end kills the process and waits for its end.
func (c *child) end() {
	c.kill()
	<-c.ended
	_ = c.conn.Close()
}

// children are those that wait for a part.
type children struct {
	wait     time.Duration // of each
	resident int64         // bytes that each has at most

	mu   sync.Mutex
	idle []*child // the one that waits longest first
}

// spent reports whether a child should read no other part.
func (p *children) spent(c *child) bool {
	return c.company == "" || c.parts >= childParts || c.before > childCPU ||
		resident(c.pid) > p.resident
}

// take returns a child that has read parts of a company, nil if none waits.
func (p *children) take(company string) *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, c := range slices.Backward(p.idle) {
		if company != "" && c.company == company {
			c.timer.Stop()
			p.idle = slices.Delete(p.idle, n, n+1)
			return c
		}
	}
	return nil
}

// put lets a child wait for the next part of its company.
func (p *children) put(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.timer = time.AfterFunc(p.wait, func() { p.drop(c) })
	p.idle = append(p.idle, c)
	if len(p.idle) > idleChildren {
		p.idle[0].timer.Stop()
		go p.idle[0].end()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

// drop ends a child that still waits.
func (p *children) drop(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := slices.Index(p.idle, c); n >= 0 {
		p.idle = slices.Delete(p.idle, n, n+1)
		go c.end()
	}
}

// starter starts processes in one thread that never ends: on Linux a child dies with the thread
// that started it.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range work {
			start()
		}
	}()
	return work
})

// child returns a child for a part, and whether it has read others.
func (c *Checker) child(company string, timeout time.Duration) (*child, bool, error) {
	if waiting := c.children.take(company); waiting != nil {
		return waiting, true, nil
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errStart, err)
	}
	conn, err := childproto.NewConn(ours)
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("%w: %w", errStart, err), theirs.Close())
	}
	ctx, kill := context.WithCancel(context.Background())
	seconds := int((max(timeout, c.cfg.Timeout)+childCPU)/time.Second) + 1
	cmd, err := c.command(ctx, childproto.Name, strconv.FormatInt(c.cfg.MaxMemory, 10),
		strconv.Itoa(seconds))
	if err == nil {
		cmd.ExtraFiles = []*os.File{theirs}
		err = start(cmd)
	}
	if err = errors.Join(err, theirs.Close()); err != nil {
		kill()
		return nil, false, errors.Join(fmt.Errorf("%w: %w", errStart, err), conn.Close())
	}
	made := &child{company: company, pid: cmd.Process.Pid, conn: conn, kill: kill,
		ended: make(chan struct{})}
	made.cpu = func() time.Duration {
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	go func() {
		made.err = cmd.Wait()
		kill()
		close(made.ended)
	}()
	return made, false, nil
}

// start starts a process in the thread of starter.
func start(cmd *exec.Cmd) error {
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}

// socketPair returns the two ends of a Unix socket, of which other processes get none.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, end := range ends {
		unix.CloseOnExec(end)
	}
	return os.NewFile(uintptr(ends[0]), "checker"), os.NewFile(uintptr(ends[1]), "child"), nil
}
