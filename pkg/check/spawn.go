package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// maxAnswer bounds what a child may write.
const maxAnswer = 1 << 20

// environment is all that a child has of one. Only a binary built with the race detector reads the second line: it
// would wait a second before it ends.
var environment = []string{
	childproto.Variable + "=1",
	"GORACE=atexit_sleep_ms=0",
}

// Why a child was ended, told to whoever uploaded the file.
var (
	errTime   = errors.New("reading it takes too long")
	errMemory = errors.New("reading it takes too much memory")
	errAnswer = errors.New("it holds more than can be read")
)

// child parses one file in a process of its own, and gives the most resident memory, in bytes, that was seen of it. A
// process that can't be started is an error; one that ends before its answer makes the file unreadable.
func (c *Checker) child(ctx context.Context, timeout time.Duration, r childproto.Request) (childproto.Answer, int64, error) {
	in, err := json.Marshal(childproto.Order{Request: r, MaxMemory: c.cfg.MaxMemory, Seconds: int(timeout/time.Second) + 1})
	if err != nil {
		return childproto.Answer{}, 0, fmt.Errorf("encode order: %w", err)
	}
	executable := c.cfg.Executable
	if executable == "" {
		if executable, err = os.Executable(); err != nil {
			return childproto.Answer{}, 0, fmt.Errorf("find own binary: %w", err)
		}
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	limited, kill := context.WithCancelCause(timed)
	defer kill(nil)

	cmd := exec.CommandContext(limited, executable)
	out := &bounded{limit: maxAnswer, over: func() { kill(errAnswer) }}
	cmd.Stdin, cmd.Stdout, cmd.Env, cmd.Dir = bytes.NewReader(in), out, environment, "/"
	isolate(cmd)
	cmd.WaitDelay = time.Second

	// On Linux a child dies with the thread that started it: this one must live as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return childproto.Answer{}, 0, fmt.Errorf("start child: %w", err)
	}
	watched := make(chan int64, 1)
	done := make(chan struct{})
	go func() { watched <- watch(done, cmd.Process.Pid, c.cfg.MaxMemory, func() { kill(errMemory) }) }()
	err = cmd.Wait()
	close(done)
	a, err := judge(ctx, context.Cause(limited), err, cmd.ProcessState, out.Bytes(), timeout)
	return a, <-watched, err
}

// judge tells the fault of the file from that of the machine.
func judge(ctx context.Context, cause, ended error, state *os.ProcessState, out []byte, timeout time.Duration) (childproto.Answer, error) {
	switch {
	case ctx.Err() != nil:
		return childproto.Answer{}, context.Cause(ctx)
	case len(out) == 0 || out[0] != childproto.Ready:
		return childproto.Answer{}, fmt.Errorf("child did not start: %w", errors.Join(ended, cause))
	case errors.Is(cause, errTime) && state.UserTime()+state.SystemTime() < timeout/4:
		return childproto.Answer{}, errors.New("child got too little of the machine")
	case cause != nil:
		return childproto.Answer{Unreadable: cause.Error()}, nil
	case ended != nil:
		return childproto.Answer{Unreadable: "reading it failed"}, nil
	}
	var r childproto.Report
	if err := json.Unmarshal(out[1:], &r); err != nil {
		return childproto.Answer{Unreadable: "reading it failed"}, nil
	}
	if r.Error != "" {
		return childproto.Answer{}, errors.New(r.Error)
	}
	return r.Answer, nil
}

// bounded keeps what is written, and calls over once it would be more than the limit.
type bounded struct {
	bytes.Buffer
	limit int
	done  atomic.Bool
	over  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		if !b.done.Swap(true) {
			b.over()
		}
		return 0, errAnswer
	}
	return b.Buffer.Write(p)
}

// ReadFrom hides the one of Buffer, which knows no limit.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}

// watch ends a child whose resident memory grows over the limit, and gives the most that it saw, in bytes.
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

// verify compares the local file with what was pinned when the part was uploaded. A difference is the storage's fault.
func verify(p Part) error {
	if p.SHA256 == "" {
		return nil
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if n != p.Size || hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
		return errors.New("the stored bytes are not those that were uploaded")
	}
	return nil
}
