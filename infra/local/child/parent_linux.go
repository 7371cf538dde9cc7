package child

import "syscall"

// attributes make the kernel end the process when the thread that started it ends, however this process dies. They
// also keep a terminal's Ctrl-C from reaching the process before this process has finished its work.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// watch does nothing, because the kernel ends the process.
func watch(int) (end func()) { return func() {} }
