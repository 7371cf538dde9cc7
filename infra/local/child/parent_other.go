//go:build !unix

package child

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }

// watch does nothing: on this system the process is ended by Stop only.
func watch(int) (end func()) { return func() {} }
