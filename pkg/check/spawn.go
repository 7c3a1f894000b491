package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

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
	for {
		p, used, err := c.child(job.Company, timeout)
		if err != nil {
			return result{}, err
		}
		r, err := c.do(ctx, timeout, p, part, job)
		if err != nil || r.cause != nil || r.report.Answer.Unreadable != "" || c.children.spent(p) {
			p.end()
		} else {
			c.children.put(p)
		}
		if used && errors.Is(err, errNotBegun) && ctx.Err() == nil {
			continue // it ended while it waited
		}
		return r, err
	}
}

var (
	errStart    = errors.New("start child")
	errNotBegun = errors.New("child did not start")
)

// do has a child do a job within timeout.
func (c *Checker) do(ctx context.Context, timeout time.Duration, p *child, part *os.File,
	job childproto.Job) (result, error) {
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	limited, kill := context.WithCancelCause(timed)
	defer kill(nil)
	stop := context.AfterFunc(limited, p.kill)
	defer stop() // before kill(nil), which is of this job only
	var files []*os.File
	if part != nil {
		files = append(files, part)
	}
	taken := func() []byte { return nil }
	if job.Pictures {
		pictures, take, err := takePictures(func() { kill(errAnswer) })
		if err != nil {
			return result{}, err
		}
		files, taken = append(files, pictures), take
	}
	watched := make(chan int64, 1)
	done := make(chan struct{})
	go func() { watched <- watch(done, p.pid, c.cfg.MaxMemory, func() { kill(errMemory) }) }()
	report, began, err := converse(p.conn, job, files)
	if errors.Is(err, childproto.ErrTooLong) {
		kill(errAnswer)
	}
	cause := context.Cause(limited)
	all := time.Duration(report.CPU)
	if err != nil || cause != nil {
		p.end()
		all, err = p.cpu(), errors.Join(err, p.err)
		cause = context.Cause(limited)
	}
	close(done)
	r := result{report: report, cause: cause, resident: <-watched, cpu: all - p.before,
		pictures: taken()}
	p.before, p.parts = all, p.parts+1
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	r.report, err = classify(r, began, err, timeout)
	return r, err
}

// converse sends a job and awaits its report. It reports whether the child began.
func converse(conn *childproto.Conn, job childproto.Job,
	files []*os.File) (r childproto.Report, began bool, err error) {
	if err := conn.SendJob(job, files...); err != nil {
		return r, false, err
	}
	if err := conn.AwaitBegin(); err != nil {
		return r, false, err
	}
	r, err = conn.ReceiveReport(maxAnswer)
	return r, true, err
}

// run starts a process and waits for its end. It calls kill when the process has more memory than
// it may.
func (c *Checker) run(cmd *exec.Cmd, kill func()) error {
	if err := start(cmd); err != nil {
		return fmt.Errorf("%w: %w", errStart, err)
	}
	done := make(chan struct{})
	watched := make(chan int64, 1)
	go func() { watched <- watch(done, cmd.Process.Pid, c.cfg.MaxMemory, kill) }()
	err := cmd.Wait()
	close(done)
	<-watched
	return err
}

// takePictures returns a file that takes pictures, and a function that closes it and returns them.
// Call that once the child has closed its own end.
func takePictures(over func()) (*os.File, func() []byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make pipe: %w", err)
	}
	taken := &limitedBuffer{limit: maxPictures, over: over}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(taken, r) // what is missing shows in the lengths of the report
		_ = r.Close()            // a child that writes more ends
	}()
	return w, func() []byte {
		_ = w.Close()
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
func classify(r result, began bool, ended error, timeout time.Duration) (childproto.Report, error) {
	unreadable := func(why string) (childproto.Report, error) {
		return childproto.Report{Answer: childproto.Answer{Unreadable: why}}, nil
	}
	switch {
	case !began:
		return childproto.Report{}, fmt.Errorf("%w: %w", errNotBegun, errors.Join(ended, r.cause))
	case errors.Is(r.cause, errTime) && r.cpu < timeout/4:
		return childproto.Report{}, errors.New("child got too little of the machine")
	case r.cause != nil:
		return unreadable(r.cause.Error())
	case ended != nil:
		return unreadable("reading it failed")
	case r.report.Error != "":
		return childproto.Report{}, errors.New(r.report.Error)
	}
	return r.report, nil
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
