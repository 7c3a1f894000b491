// Package purego stands in for the module of that name, which loads libraries of the system into
// the process. The HEIC decoder prefers such a library where it finds one; with this package it
// finds none, and decodes with the WebAssembly that it brings. go.mod names it.
package purego

import "errors"

// The modes of Dlopen.
const (
	RTLD_NOW    = 2
	RTLD_GLOBAL = 0x100
)

// Dlopen loads no library.
func Dlopen(string, int) (uintptr, error) {
	return 0, errors.New("libraries of the system are not loaded")
}

// RegisterLibFunc does nothing: there is no library.
func RegisterLibFunc(any, uintptr, string) {}
