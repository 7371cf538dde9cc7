package main

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	for name, row := range map[string]struct {
		bridge, args, listen, host string
	}{
		"a bridge":            {"172.18.0.1", "", "172.18.0.1", "172.18.0.1"},
		"Docker Desktop":      {"127.0.0.1", "", "127.0.0.1", "host.docker.internal"},
		"another bridge":      {"172.18.0.1", "-listen 172.17.0.1", "172.17.0.1", "172.17.0.1"},
		"another name":        {"127.0.0.1", "-host gateway.docker.internal", "127.0.0.1", "gateway.docker.internal"},
		"a bridge and a name": {"172.18.0.1", "-listen 127.0.0.1 -host a", "127.0.0.1", "a"},
	} {
		o, err := parse(strings.Fields(row.args), row.bridge, io.Discard)
		if err != nil || o.Listen != row.listen || o.Host != row.host || o.file != "env.json" || o.World {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	for args, want := range map[string]int{"-h": 0, "-unknown": 2, "something": 2, "-world -listen 0.0.0.0": 1, "-world -listen docker0": 1} {
		var problems bytes.Buffer
		if status := run(strings.Fields(args), strings.NewReader(""), io.Discard, &problems); status != want || problems.Len() == 0 {
			t.Errorf("%s: %d, %s", args, status, &problems)
		}
	}
	if net.ParseIP(bridge()) == nil {
		t.Errorf("the bridge is %s", bridge())
	}
}
