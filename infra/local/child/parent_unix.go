//go:build unix && !linux

package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// attributes keep a terminal's Ctrl-C from reaching it before this process has finished its work.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// watch ends the process when this process dies without having stopped it. A shell reads a pipe whose other end only
// this process holds; when the pipe closes, the shell ends the process. Without a shell nobody watches.
func watch(pid int) (end func()) {
	nothing := func() {}
	read, write, err := os.Pipe()
	if err != nil {
		return nothing
	}
	defer read.Close()
	guard := exec.Command("/bin/sh", "-c", `read -r _; kill "$1" 2>/dev/null`, "parent-guard", strconv.Itoa(pid))
	guard.Stdin = read
	guard.SysProcAttr = attributes()
	if guard.Start() != nil {
		_ = write.Close()
		return nothing
	}
	return func() {
		_ = guard.Process.Kill()
		_ = guard.Wait()
		_ = write.Close()
	}
}
