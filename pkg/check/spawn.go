package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// maxAnswer bounds the bytes that a child may write.
const maxAnswer = 1 << 20

// The reasons for which a child was ended, as the sender of the file reads them.
var (
	errTime   = errors.New("reading it takes too long")
	errMemory = errors.New("reading it takes too much memory")
	errAnswer = errors.New("it has more content than can be read")
)

// A result is the end of one child.
type result struct {
	report   childproto.Report
	cause    error // why the child was ended: errTime, errMemory, errAnswer or nil
	cpu      time.Duration
	resident int64 // the most resident memory, in bytes, that was seen of it
}

// spawn does a job in a child process, which gets the part as an open file. A process that can't be
// started is an error; one that ends before its report makes the file unreadable.
func (c *Checker) spawn(ctx context.Context, timeout time.Duration, part *os.File,
	job childproto.Job) (result, error) {
	job.MaxMemory, job.Seconds = c.cfg.MaxMemory, int(timeout/time.Second)+1
	in, err := json.Marshal(job)
	if err != nil {
		return result{}, fmt.Errorf("encode job: %w", err)
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	limited, kill := context.WithCancelCause(timed)
	defer kill(nil)
	out := &limitedBuffer{limit: maxAnswer, over: func() { kill(errAnswer) }}
	cmd, err := c.command(limited, in, out, part)
	if err != nil {
		return result{}, err
	}
	// On Linux a child dies with the thread that started it: this one must live as long as the
	// child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return result{}, fmt.Errorf("start child: %w", err)
	}
	watched := make(chan int64, 1)
	done := make(chan struct{})
	go func() {
		watched <- watch(done, cmd.Process.Pid, c.cfg.MaxMemory, func() { kill(errMemory) })
	}()
	err = cmd.Wait()
	close(done)
	r := result{cause: context.Cause(limited), resident: <-watched,
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	r.report, err = classify(r, err, out.Bytes(), timeout)
	return r, err
}

// command prepares the process: without an environment, in the root folder, with the part as its
// only file beside the standard ones.
func (c *Checker) command(ctx context.Context, in []byte, out io.Writer,
	part *os.File) (*exec.Cmd, error) {
	executable := c.cfg.Executable
	if executable == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find own binary: %w", err)
		}
		executable = own
	}
	cmd := exec.CommandContext(ctx, executable)
	cmd.Args = []string{childproto.Name}
	cmd.Stdin, cmd.Stdout, cmd.Env, cmd.Dir = bytes.NewReader(in), out, environment, "/"
	if part != nil {
		cmd.ExtraFiles = []*os.File{part}
	}
	cmd.WaitDelay = time.Second
	isolate(cmd)
	return cmd, nil
}

// classify separates failures that the file caused from failures of the machine.
func classify(r result, ended error, out []byte, timeout time.Duration) (childproto.Report, error) {
	unreadable := func(why string) (childproto.Report, error) {
		return childproto.Report{Answer: childproto.Answer{Unreadable: why}}, nil
	}
	switch {
	case len(out) == 0 || out[0] != childproto.Ready:
		return childproto.Report{}, fmt.Errorf("child did not start: %w",
			errors.Join(ended, r.cause))
	case errors.Is(r.cause, errTime) && r.cpu < timeout/4:
		return childproto.Report{}, errors.New("child got too little of the machine")
	case r.cause != nil:
		return unreadable(r.cause.Error())
	case ended != nil:
		return unreadable("reading it failed")
	}
	var report childproto.Report
	if err := json.Unmarshal(out[1:], &report); err != nil {
		return unreadable("reading it failed")
	}
	if report.Error != "" {
		return childproto.Report{}, errors.New(report.Error)
	}
	return report, nil
}

// limitedBuffer keeps what is written, and calls over once it would exceed the limit.
type limitedBuffer struct {
	bytes.Buffer
	limit int
	done  atomic.Bool
	over  func()
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		if !b.done.Swap(true) {
			b.over()
		}
		return 0, errAnswer
	}
	return b.Buffer.Write(p)
}

// ReadFrom hides the one of Buffer, which knows no limit.
func (b *limitedBuffer) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}

// watch ends a child whose resident memory exceeds the limit, and returns the most that it saw, in
// bytes.
func watch(done <-chan struct{}, pid int, limit int64, kill func()) int64 {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	most := int64(0)
	for {
		select {
		case <-done:
			return most
		case <-tick.C:
			most = max(most, resident(pid))
			if most > limit {
				kill()
				return most
			}
		}
	}
}
