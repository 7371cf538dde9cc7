package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// standIn answers as CloudFormation and Lambda do, as far as the command asks them. It stands in for AWS, of which none is here.
type standIn struct {
	t      *testing.T
	status string
	url    string

	mu        sync.Mutex
	functions map[string]*fake
	asked     map[string]bool // rights that the requests needed
	calls     int
	dies      int  // after so many calls; 0 is never
	late      bool // it dies once the call has had its effect, and not before
	changed   func(s *standIn)
}

// fake is a function. Its versions have the numbers 1, 2 and so on; one without a code is gone.
type fake struct {
	versions []published
	latest   published
	aliases  map[string]*alias
}

type published struct {
	release, code string
	memory        int
	role          string
	layers        []string
	variables     map[string]string // besides those that each has
}

type alias struct {
	version  string
	revision int
	weights  map[string]float64
}

func start(t *testing.T) (*standIn, aws.Config) {
	t.Helper()
	s := &standIn{t: t, status: "UPDATE_COMPLETE", functions: map[string]*fake{}, asked: map[string]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s, aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		BaseEndpoint: &server.URL, HTTPClient: server.Client(), RetryMaxAttempts: 1,
	}
}

// deploy publishes a release of some functions, as a deployment does, and moves their aliases.
func (s *standIn) deploy(release string, ids ...string) {
	for _, id := range ids {
		f := s.functions[id]
		if f == nil {
			f = &fake{aliases: map[string]*alias{live: {}}}
			s.functions[id] = f
		}
		f.latest = published{release: release, code: "code of " + release + id, memory: 512, role: "role of " + id}
		f.versions = append(f.versions, f.latest)
		f.aliases[live].version, f.aliases[live].revision = strconv.Itoa(len(f.versions)), f.aliases[live].revision+1
	}
}

// at returns the releases that the aliases are at, by the functions.
func (s *standIn) at() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for id, f := range s.functions {
		n, _ := strconv.Atoi(f.aliases[live].version)
		all[id] = f.versions[n-1].release
	}
	return all
}

// mortal has it die after so many calls from now on, before the next one has its effect or, late, after; 0 is never. What was sent before
// may still be on its way.
func (s *standIn) mortal(calls int, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.dies, s.late = 0, calls, late
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	dead := s.dies > 0 && s.calls > s.dies
	if dead && (!s.late || s.calls > s.dies+1) {
		panic(http.ErrAbortHandler)
	}
	body, _ := io.ReadAll(r.Body)
	answer := httptest.NewRecorder()
	if r.URL.Path == "/" {
		s.stacks(answer, string(body))
	} else {
		s.lambda(answer, r, body)
	}
	if dead {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
	if s.changed != nil {
		s.changed(s)
	}
}

// stacks answers in two pages.
func (s *standIn) stacks(w http.ResponseWriter, form string) {
	w.Header().Set("Content-Type", "text/xml")
	_, action, _ := strings.Cut(form, "Action=")
	action, _, _ = strings.Cut(action, "&")
	s.asked["cloudformation:"+action] = true
	if action == "DescribeStacks" {
		_, _ = fmt.Fprintf(w, `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>s</StackName><StackStatus>%s</StackStatus>`+
			`<CreationTime>2026-11-27T00:00:00Z</CreationTime></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`, s.status)
		return
	}
	type summary struct {
		Logical  string `xml:"LogicalResourceId"`
		Physical string `xml:"PhysicalResourceId"`
		Type     string `xml:"ResourceType"`
	}
	page := struct {
		XMLName xml.Name  `xml:"ListStackResourcesResponse"`
		List    []summary `xml:"ListStackResourcesResult>StackResourceSummaries>member"`
		Next    string    `xml:"ListStackResourcesResult>NextToken,omitempty"`
	}{List: []summary{{"Table", "s-Table-1", "AWS::DynamoDB::Table"}}, Next: "more"}
	if strings.Contains(form, "NextToken=more") {
		page.List, page.Next = nil, ""
		for id := range s.functions {
			page.List = append(page.List, summary{id, "s-" + id + "-1", "AWS::Lambda::Function"})
		}
	}
	_ = xml.NewEncoder(w).Encode(page)
}

func (s *standIn) lambda(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/2015-03-31/functions/"), "/")
	f := s.functions[strings.TrimSuffix(strings.TrimPrefix(parts[0], "s-"), "-1")]
	switch what := r.Method + " " + strings.Join(parts[1:], " "); {
	case f == nil:
		s.t.Errorf("no function %s", parts[0])
	case what == "GET aliases":
		s.asked["lambda:ListAliases"] = true
		type configuration struct{ AdditionalVersionWeights map[string]float64 }
		type one struct {
			Name, FunctionVersion, RevisionId string
			RoutingConfig                     *configuration `json:",omitempty"`
		}
		var all []one
		for name, a := range f.aliases {
			as := one{Name: name, FunctionVersion: a.version, RevisionId: strconv.Itoa(a.revision)}
			if a.weights != nil {
				as.RoutingConfig = &configuration{a.weights}
			}
			all = append(all, as)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"Aliases": all})
	case what == "GET versions":
		s.asked["lambda:ListVersionsByFunction"] = true
		s.versions(w, f, r.URL.Query().Get("Marker"))
	case r.Method == http.MethodPut && parts[1] == "aliases":
		s.asked["lambda:UpdateAlias"] = true
		var in struct {
			FunctionVersion, RevisionId string
			RoutingConfig               struct{ AdditionalVersionWeights map[string]float64 }
		}
		a := f.aliases[parts[2]]
		if json.Unmarshal(body, &in) != nil || in.RevisionId != strconv.Itoa(a.revision) {
			w.Header().Set("X-Amzn-Errortype", "PreconditionFailedException")
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		a.version, a.revision, a.weights = in.FunctionVersion, a.revision+1, nil
		_ = json.NewEncoder(w).Encode(map[string]string{"FunctionVersion": a.version})
	case what == "DELETE ":
		s.asked["lambda:DeleteFunction"] = true
		n, err := strconv.Atoi(r.URL.Query().Get("Qualifier"))
		if err != nil {
			s.t.Errorf("a whole function would be deleted: %s", r.URL)
			return
		}
		for name, a := range f.aliases {
			if _, weighed := a.weights[strconv.Itoa(n)]; a.version == strconv.Itoa(n) || weighed {
				s.t.Errorf("version %d is deleted, which %s has", n, name)
			}
		}
		f.versions[n-1] = published{}
		w.WriteHeader(http.StatusNoContent)
	default:
		s.t.Errorf("%s is not known here", what)
	}
}

// versions answers two to a page, what was deployed last among them.
func (s *standIn) versions(w http.ResponseWriter, f *fake, marker string) {
	type layer struct{ Arn string }
	type one struct {
		Version, CodeSha256, Role string
		MemorySize                int
		Layers                    []layer
		Environment               map[string]map[string]string
	}
	of := func(number string, p published) one {
		variables := map[string]string{variable: p.release, "STAGE": "test"}
		maps.Copy(variables, p.variables)
		v := one{Version: number, CodeSha256: p.code, Role: p.role, MemorySize: p.memory, Environment: map[string]map[string]string{"Variables": variables}}
		for _, arn := range p.layers {
			v.Layers = append(v.Layers, layer{arn})
		}
		return v
	}
	all := []one{of(latest, f.latest)}
	for i, p := range f.versions {
		if p.code != "" {
			all = append(all, of(strconv.Itoa(i+1), p))
		}
	}
	from, _ := strconv.Atoi(marker)
	page := map[string]any{"Versions": all[from:min(from+2, len(all))]}
	if from+2 < len(all) {
		page["NextMarker"] = strconv.Itoa(from + 2)
	}
	_ = json.NewEncoder(w).Encode(page)
}

// left are the numbers of a function's versions.
func (f *fake) left() (numbers []int) {
	for i, p := range f.versions {
		if p.code != "" {
			numbers = append(numbers, i+1)
		}
	}
	return slices.Clip(numbers)
}
