//go:build !unix

package child

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }

// watch has nothing to do: there the process ends by Stop only.
func watch(int) (end func()) { return func() {} }
