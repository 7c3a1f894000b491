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

// Bounds of the output of a child, in bytes.
const (
	maxAnswer   = 1 << 20
	maxPictures = 96 << 20
)

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
	resident int64  // the most resident memory, in bytes, that was seen of it
	pictures []byte // the files of the pictures that it wrote
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
	cmd, err := c.command(limited, childproto.Name)
	if err != nil {
		return result{}, err
	}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), out
	if part != nil {
		cmd.ExtraFiles = []*os.File{part}
	}
	pictures := func() []byte { return nil }
	if job.Pictures {
		if pictures, err = takePictures(cmd, func() { kill(errAnswer) }); err != nil {
			return result{}, err
		}
	}
	r, err := c.run(cmd, func() { kill(errMemory) })
	r.pictures, r.cause = pictures(), context.Cause(limited)
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	if errors.Is(err, errStart) {
		return result{}, err
	}
	r.report, err = classify(r, err, out.Bytes(), timeout)
	return r, err
}

var errStart = errors.New("start child")

// run starts a process and waits for its end. It calls kill when the process has more memory than
// it may.
func (c *Checker) run(cmd *exec.Cmd, kill func()) (result, error) {
	// On Linux a child dies with the thread that started it: this one must live as long as the
	// child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return result{}, fmt.Errorf("%w: %w", errStart, err)
	}
	watched := make(chan int64, 1)
	done := make(chan struct{})
	go func() { watched <- watch(done, cmd.Process.Pid, c.cfg.MaxMemory, kill) }()
	err := cmd.Wait()
	close(done)
	return result{resident: <-watched,
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, err
}

// takePictures gives a process that has its part a file for pictures. The function that it returns
// is called at the end of the process, and returns them.
func takePictures(cmd *exec.Cmd, over func()) (func() []byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	taken := &limitedBuffer{limit: maxPictures, over: over}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(taken, r) // what is missing shows in the lengths of the report
		_ = r.Close()            // a child that writes more ends
	}()
	return func() []byte {
		_ = w.Close() // the child's own end is closed with it
		<-done
		return taken.Bytes()
	}, nil
}

// command prepares a process that does what childproto says of its name: without an environment, in
// the root folder.
func (c *Checker) command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	executable := c.cfg.Executable
	if executable == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find own binary: %w", err)
		}
		executable = own
	}
	cmd := exec.CommandContext(ctx, executable)
	cmd.Args = append([]string{name}, args...)
	cmd.Env, cmd.Dir = environment, "/"
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
