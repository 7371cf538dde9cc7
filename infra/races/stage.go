package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/child"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/program"
	"github.com/tenantry/tenantry/infra/races/clerks"
)

const (
	patience = 35 * time.Second // longer than the gateway's limit of 30 seconds
	starting = time.Minute
)

// stage is the platform that the clerks use.
type stage struct {
	url    string
	token  string
	tenant string

	folder, address string // of a platform that was started
	process         *child.Process

	up sync.RWMutex // held while the platform is down
}

// begin compiles and starts a platform.
func (s *stage) begin(ctx context.Context) error {
	root, err := engine.ModuleRoot()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "races-"); err != nil {
		return err
	}
	if err := program.Build(ctx, filepath.Join(s.folder, "tenantry"), program.Options{Root: root, Package: "infra/local"}); err != nil {
		return err
	}
	port, err := child.FreePort()
	if err != nil {
		return err
	}
	s.address = "127.0.0.1:" + strconv.Itoa(port)
	s.url = "http://" + s.address
	return s.start(ctx, "-demo")
}

// start starts the platform and returns when it answers.
func (s *stage) start(ctx context.Context, demo string) (err error) {
	s.process, err = child.Start(ctx, child.Options{
		Path: filepath.Join(s.folder, "tenantry"),
		Args: []string{"-addr", s.address, "-data", filepath.Join(s.folder, "data"), "-unlimited", demo},
	})
	if err != nil {
		return err
	}
	for end := time.Now().Add(starting); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		select {
		case <-s.process.Done():
			return errors.New(s.process.Log())
		default:
		}
		if strings.Contains(s.process.Log(), "ready http") {
			return nil
		}
	}
	return fmt.Errorf("the platform does not answer: %s", s.process.Log())
}

// end stops a platform that was started.
func (s *stage) end() {
	if s.process != nil {
		s.process.Stop()
	}
	_ = os.RemoveAll(s.folder)
}

// killOften kills the platform as often as is asked, while the clerks work, and starts it again. Before they go on it checks what is
// there, and tells what is wrong.
func (s *stage) killOften(ctx context.Context, of settings, office *clerks.Office) (killed int, wrong []string, err error) {
	for killed < of.kills {
		for office.Requests() < of.n*(killed+1)/(of.kills+1) {
			select {
			case <-ctx.Done():
				return killed, nil, ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		s.process.Kill() // while requests are under way
		s.up.Lock()
		if err = s.start(ctx, "-demo=false"); err == nil {
			_, wrong = office.Check(ctx, s.send)
		}
		s.up.Unlock()
		if killed++; err != nil || len(wrong) > 0 {
			return killed, wrong, err
		}
	}
	return killed, nil, nil
}

// company signs in, and makes a company for the race.
func (s *stage) company(ctx context.Context, getenv func(string) string) error {
	who := struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}{getenv("RACES_USERNAME"), getenv("RACES_PASSWORD")}
	if who.Username == "" {
		if status, err := s.plain(ctx, http.MethodGet, "/_local/demo/", "", &who); err != nil || status != http.StatusOK {
			return fmt.Errorf("no demo company; set RACES_USERNAME and RACES_PASSWORD: %d %w", status, err)
		}
	}
	body, err := json.Marshal(who)
	if err != nil {
		return err
	}
	var session struct{ Access string }
	if status, err := s.plain(ctx, http.MethodPost, "/v1/auth/login/", string(body), &session); err != nil || status != http.StatusOK {
		return fmt.Errorf("sign-in: %d %w", status, err)
	}
	s.token = "Bearer " + session.Access
	var made struct{ ID json.Number }
	status, err := s.plain(ctx, http.MethodPost, "/v1/tenant/", fmt.Sprintf(
		`{"name":"Races","domain":"races-%d","address":"","currency":"KZT","timezone":"Asia/Almaty"}`, time.Now().UnixNano()), &made)
	if err != nil || status != http.StatusCreated {
		return fmt.Errorf("a company: %d %w", status, err)
	}
	s.tenant = made.ID.String()
	return nil
}

// plain sends a request and reads its answer.
func (s *stage) plain(ctx context.Context, method, path, body string, into any) (int, error) {
	status, answer, err := s.send(ctx, method, path, "", body)
	if err == nil && status < http.StatusMultipleChoices {
		err = json.Unmarshal(answer, into)
	}
	return status, err
}

// call sends a request for a clerk. While the platform is down it waits.
func (s *stage) call(ctx context.Context, method, path, key, body string) (int, []byte, error) {
	s.up.RLock()
	s.up.RUnlock() //nolint:staticcheck // a request may be under way when the platform is killed
	return s.send(ctx, method, path, key, body)
}

func (s *stage) send(ctx context.Context, method, path, key, body string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range map[string]string{"Authorization": s.token, "X-Tenant-Id": s.tenant, "Idempotency-Key": key} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, content, err
}
