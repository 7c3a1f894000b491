package childproto

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/go-json-experiment/json"
)

// maxJob bounds the text of a Job, in bytes. The recognized text of a part is the most of it.
const maxJob = 32 << 20

// ErrTooLong is the error of a message that is longer than it may be.
var ErrTooLong = errors.New("the message is too long")

// Conn is one end of the socket between a Checker and a child. Each message is the length of a
// JSON text, four bytes with the highest first, and the text.
type Conn struct {
	socket *net.UnixConn
}

// NewConn returns the end that an open file is. It closes the file.
func NewConn(f *os.File) (*Conn, error) {
	defer func() { _ = f.Close() }() // NewConn has a copy
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a %T is no Unix socket", c), c.Close())
	}
	return &Conn{socket}, nil
}

// Close closes the end.
func (c *Conn) Close() error { return c.socket.Close() }

// SendJob sends a job and its open files, which stay open.
func (c *Conn) SendJob(job Job, files ...*os.File) error {
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("encode job: %w", err)
	}
	if len(text) > maxJob {
		return fmt.Errorf("encode job: %w", ErrTooLong)
	}
	var rights []byte
	if len(files) > 0 {
		descriptors := make([]int, len(files))
		for n, f := range files {
			descriptors[n] = int(f.Fd())
		}
		rights = syscall.UnixRights(descriptors...)
	}
	length := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	if _, _, err := c.socket.WriteMsgUnix(length, rights, nil); err != nil {
		return err
	}
	_, err = c.socket.Write(text)
	return err
}

// ReceiveJob returns the next job and its open files. The error is io.EOF when there will be none.
func (c *Conn) ReceiveJob() (Job, []*os.File, error) {
	var job Job
	length, rights := make([]byte, 4), make([]byte, 64)
	n, held, _, _, err := c.socket.ReadMsgUnix(length, rights)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return job, nil, err
	}
	if _, err := io.ReadFull(c.socket, length[n:]); err != nil {
		return job, nil, err
	}
	files, err := opened(rights[:held])
	if err != nil {
		return job, nil, err
	}
	return job, files, c.receive(length, maxJob, &job)
}

// opened returns the open files that came with a message.
func opened(rights []byte) (files []*os.File, err error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	for n := range messages {
		descriptors, failed := syscall.ParseUnixRights(&messages[n])
		err = errors.Join(err, failed)
		for _, d := range descriptors {
			files = append(files, os.NewFile(uintptr(d), "part"))
		}
	}
	return files, err
}

// receive reads a text of a length, which is the limit in bytes at most.
func (c *Conn) receive(length []byte, limit uint32, into any) error {
	bytes := binary.BigEndian.Uint32(length)
	if bytes > limit {
		return ErrTooLong
	}
	text := make([]byte, bytes)
	if _, err := io.ReadFull(c.socket, text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Begin sends Ready.
func (c *Conn) Begin() error {
	_, err := c.socket.Write([]byte{Ready})
	return err
}

// AwaitBegin returns once Ready was received.
func (c *Conn) AwaitBegin() error {
	begin := make([]byte, 1)
	if _, err := io.ReadFull(c.socket, begin); err != nil {
		return err
	}
	if begin[0] != Ready {
		return errors.New("the child answered something else")
	}
	return nil
}

// SendReport sends a report.
func (c *Conn) SendReport(r Report) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	length := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	_, err = c.socket.Write(append(length, text...))
	return err
}

// ReceiveReport returns a report, whose text has at most the limit of bytes.
func (c *Conn) ReceiveReport(limit uint32) (r Report, err error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(c.socket, length); err != nil {
		return r, err
	}
	return r, c.receive(length, limit, &r)
}
