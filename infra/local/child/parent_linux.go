package child

import "syscall"

// attributes make the kernel end the process with the thread that started it, however this process dies,
// and keep a terminal's Ctrl-C from reaching it before this process has finished its work.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// watch has nothing to do: the kernel watches.
func watch(int) (end func()) { return func() {} }
