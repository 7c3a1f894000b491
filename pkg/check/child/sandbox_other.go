//go:build unix && !linux

package child

import "github.com/dossierhq/dossier/pkg/check/childproto"

// confine does nothing: only Linux has a sandbox that a process enters by itself without
// privileges.
func confine() error { return nil }

func tried() childproto.Sandbox { return childproto.Sandbox{} }

func confineProgram(string) error { return nil }
