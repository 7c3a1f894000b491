package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// ErrTorn means that a file is not a whole table, such as a copy that was made while a process
// wrote to it.
var ErrTorn = errors.New("the file is torn, and holds no whole table")

// Verify reads every page of a table's file that its newest state reaches, and every item. It maps
// nothing into memory: bbolt itself follows a torn page into a fault that no program survives. A
// file that does not exist, or is empty, is a table that has yet to be made.
func Verify(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	// Reading takes the shared lock, and nothing but the two meta pages.
	db, err := bbolt.Open(path, 0o600,
		&bbolt.Options{Timeout: lockWait, ReadOnly: true, NoStatistics: true})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return errInUse
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTorn, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	v := verifier{file: file, size: info.Size(), pageSize: int64(db.Info().PageSize),
		seen: map[uint64]bool{}}
	if err = v.table(); err != nil {
		err = fmt.Errorf("%w: %w", ErrTorn, err)
	}
	return errors.Join(err, file.Close(), db.Close())
}

var errInUse = errors.New("another process has it open")

// The layout of a bbolt file (version 2), in the byte order of the machine that wrote it.
const (
	pageHeader  = 16 // id, flags, count, overflow
	elementSize = 16
	metaSize    = 64 // with its checksum
	magic       = 0xED0CDAED
	branchPage  = 0x01
	leafPage    = 0x02
	bucketEntry = 0x01
	maxPageSize = 1 << 20
)

var order = binary.NativeEndian

// verifier walks the pages of one file.
type verifier struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	high     uint64          // pages of the file that are in use
	seen     map[uint64]bool // pages that are reached already
	in       []byte          // the name of the bucket that the walk is in, nil at the root
}

func (v *verifier) table() error {
	if v.pageSize < metaSize || v.pageSize > maxPageSize {
		return fmt.Errorf("its pages have %d bytes", v.pageSize)
	}
	root, err := v.newestMeta()
	if err != nil {
		return err
	}
	if int64(v.high)*v.pageSize > v.size {
		return fmt.Errorf("it has %d bytes and needs %d", v.size, int64(v.high)*v.pageSize)
	}
	return v.walk(root, nil, nil)
}

// newestMeta returns the root page of the newest valid meta page.
func (v *verifier) newestMeta() (root uint64, err error) {
	var newest uint64
	found := false
	for slot := range int64(2) {
		page := make([]byte, pageHeader+metaSize)
		if _, err := v.file.ReadAt(page, slot*v.pageSize); err != nil {
			continue
		}
		meta := page[pageHeader:]
		sum := fnv.New64a()
		_, _ = sum.Write(meta[:metaSize-8]) // never fails
		if order.Uint32(meta) != magic || order.Uint64(meta[metaSize-8:]) != sum.Sum64() {
			continue
		}
		if tx := order.Uint64(meta[48:]); !found || tx > newest {
			found, newest = true, tx
			root, v.high = order.Uint64(meta[16:]), order.Uint64(meta[40:])
		}
	}
	if !found {
		return 0, errors.New("neither of its meta pages is valid")
	}
	return root, nil
}

// walk reads a page and what is below it. Its keys are from low on and before high, nil for any.
func (v *verifier) walk(id uint64, low, high []byte) error {
	if id < 2 || id >= v.high || v.seen[id] {
		return fmt.Errorf("page %d is out of place", id)
	}
	page := make([]byte, v.pageSize)
	if _, err := v.file.ReadAt(page, int64(id)*v.pageSize); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	overflow := uint64(order.Uint32(page[12:]))
	if order.Uint64(page) != id || id+overflow >= v.high {
		return fmt.Errorf("page %d is another page", id)
	}
	for n := range overflow + 1 {
		if v.seen[id+n] {
			return fmt.Errorf("page %d is in use twice", id+n)
		}
		v.seen[id+n] = true
	}
	if overflow > 0 {
		page = make([]byte, int64(overflow+1)*v.pageSize)
		if _, err := v.file.ReadAt(page, int64(id)*v.pageSize); err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
	}
	if err := v.elements(page, low, high); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// element is one element of a page: a branch's has a page and no value.
type element struct {
	key, value []byte
	flags      uint32
	page       uint64
}

func (v *verifier) elements(page, low, high []byte) error {
	flags := order.Uint16(page[8:])
	if flags != branchPage && flags != leafPage {
		return errors.New("it is neither a branch nor a leaf")
	}
	count := int(order.Uint16(page[10:]))
	read := make([]element, count)
	for n := range read {
		e, err := readElement(page, n, flags)
		if err != nil {
			return err
		}
		if n > 0 && bytes.Compare(read[n-1].key, e.key) >= 0 ||
			bytes.Compare(e.key, low) < 0 ||
			high != nil && bytes.Compare(e.key, high) >= 0 {
			return errors.New("its keys are out of order")
		}
		read[n] = e
	}
	for n, e := range read {
		below := high
		if n+1 < count {
			below = read[n+1].key
		}
		if err := v.element(e, flags, below); err != nil {
			return err
		}
	}
	return nil
}

func readElement(page []byte, n int, flags uint16) (element, error) {
	start := pageHeader + n*elementSize
	if start+elementSize > len(page) {
		return element{}, errors.New("it has more elements than room")
	}
	e := page[start:]
	if flags == branchPage {
		key, _, err := data(e, order.Uint32(e), order.Uint32(e[4:]), 0)
		return element{key: key, page: order.Uint64(e[8:])}, err
	}
	key, value, err := data(e, order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:]))
	return element{key: key, value: value, flags: order.Uint32(e)}, err
}

// data returns the key and the value that follow an element.
func data(from []byte, pos, keySize, valueSize uint32) (key, value []byte, err error) {
	end := uint64(pos) + uint64(keySize) + uint64(valueSize)
	if end > uint64(len(from)) {
		return nil, nil, errors.New("an element ends after its page")
	}
	return from[pos : pos+keySize], from[pos+keySize : end], nil
}

// element checks what an element holds: pages below it, a bucket, or an item.
func (v *verifier) element(e element, flags uint16, high []byte) error {
	switch {
	case flags == branchPage:
		return v.walk(e.page, e.key, high)
	case e.flags&bucketEntry != 0:
		return v.bucket(e)
	case v.in == nil:
		return errors.New("an item outside the buckets")
	case bytes.Equal(v.in, itemBucket):
		k, err := splitItemKey(e.key)
		if err == nil {
			_, err = decode(k, e.value)
		}
		if err != nil {
			return fmt.Errorf("an item: %w", err)
		}
	case slices.Contains(indexes, string(v.in)):
		if _, err := splitItemKey(e.value); err != nil {
			return fmt.Errorf("an index: %w", err)
		}
	}
	return nil
}

// known reports whether a bucket of this name is one of this package's.
func known(name []byte) bool {
	return bytes.Equal(name, itemBucket) || bytes.Equal(name, expiryBucket) ||
		bytes.Equal(name, erasureBucket) || slices.Contains(indexes, string(name))
}

// bucket walks the pages of a bucket; a small one is a page inside its entry.
func (v *verifier) bucket(e element) error {
	if v.in != nil {
		return errors.New("a bucket inside another: its page is the root of an older state")
	}
	if !known(e.key) {
		return fmt.Errorf("an unknown bucket %q", e.key)
	}
	if len(e.value) < pageHeader {
		return errors.New("a bucket without a root")
	}
	v.in = e.key
	defer func() { v.in = nil }()
	if root := order.Uint64(e.value); root != 0 {
		return v.walk(root, nil, nil)
	}
	if len(e.value) < 2*pageHeader {
		return errors.New("a bucket without its page")
	}
	return v.elements(e.value[pageHeader:], nil, nil)
}
