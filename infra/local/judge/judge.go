// Package judge stands between functions and the engines of one machine, and decides by the policies of template.yaml whether
// each request may be made, as AWS would. Each function has a port of its own, which tells by whose role a request is made;
// what is asked for is read off the wire, so it doesn't matter which client made the request.
//
// A request that the role may not make gets AWS's own answer, and is kept for the test that runs the function. What was allowed is
// kept too, so that rights which nothing uses can be told. What policies mean never goes in here (package policy), nor how an
// engine answers.
package judge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/policy"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/serve"
)

// Options of Open.
type Options struct {
	Template *samtemplate.Template
	Region   string
	// Names are names of the template's resources by their logical ids, and values of its parameters.
	Names map[string]string
	// Engines are the URLs that take the requests of a service: dynamodb, s3, kms, ses, sns, sqs, lambda. A request of another service
	// is refused.
	Engines map[string]string
}

// Judge is open until Close. It is safe for concurrent use.
type Judge struct {
	names     names
	engines   map[string]*url.URL
	roles     map[string]role             // by group
	resources map[string]*policy.Document // by ARN

	mu      sync.Mutex
	event   string
	denials []Denial
	used    map[Right]bool
	ports   serve.Ends
}

type role struct {
	name     string // that of its resource in small letters, without "role": "worker" is of several functions
	arn      string
	policies []policy.Document
}

// names are what ARNs are made of, and what the template says of the table's keys.
type names struct {
	region, account, table, bucket string
	hashes                         map[string]string // the hash key's attribute, by the name of the index; "" is the table
}

// Denial is a request that its role may not make, or that isn't understood.
type Denial struct {
	Function, Event  string
	Action, Resource string
	Keys             []string // the first keys of the items
	Why              string
}

func (d Denial) String() string {
	text := fmt.Sprintf("%s may not %s on %s", d.Function, d.Action, d.Resource)
	if len(d.Keys) > 0 {
		text += " with the keys " + strings.Join(d.Keys, ", ")
	}
	return fmt.Sprintf("%s: %s (%s)", d.Event, text, d.Why)
}

// Open reads the template's policies.
func Open(o Options) (*Judge, error) {
	values := o.Template.ARNs(o.Region, o.Names)
	j := &Judge{
		engines: map[string]*url.URL{}, roles: map[string]role{}, resources: map[string]*policy.Document{}, used: map[Right]bool{},
		names: names{
			region: o.Region, account: values["AWS::AccountId"], table: values["Table"], bucket: values["Bucket"],
			hashes: map[string]string{},
		},
	}
	for service, address := range o.Engines {
		engine, err := url.Parse(address)
		if err != nil || engine.Host == "" {
			return nil, fmt.Errorf("judge: the address of %s: %q", service, address)
		}
		j.engines[service] = engine
	}
	table, err := o.Template.Table()
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	j.names.hashes[""] = aws.ToString(table.KeySchema[0].AttributeName)
	for _, index := range table.GlobalSecondaryIndexes {
		j.names.hashes[aws.ToString(index.IndexName)] = aws.ToString(index.KeySchema[0].AttributeName)
	}
	for id, f := range o.Template.Functions {
		own, err := o.Template.Role(id, values)
		if err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
		r := role{name: strings.ToLower(strings.TrimSuffix(own.Name, "Role")), arn: own.ARN}
		for _, name := range slices.Sorted(maps.Keys(own.Policies)) {
			d, err := policy.Parse(name, policy.OfRole, own.Policies[name])
			if err != nil {
				return nil, fmt.Errorf("judge: %s: %w", id, err)
			}
			r.policies = append(r.policies, d)
		}
		j.roles[f.Group()] = r
	}
	of, err := o.Template.ResourcePolicies(values)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	for arn, tree := range of {
		d, err := policy.Parse(arn[strings.LastIndexAny(arn, ":/")+1:], policy.OfResource, tree)
		if err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
		j.resources[arn] = &d
	}
	return j, nil
}

// Listen opens the port of a group's function and returns its URL, which is the endpoint of every service for that function.
func (j *Judge) Listen(ctx context.Context, group string) (string, error) {
	if _, ok := j.roles[group]; !ok {
		return "", fmt.Errorf("judge: the template has no function of %s", group)
	}
	server, err := serve.Start(ctx, j.door(group))
	if err != nil {
		return "", fmt.Errorf("judge: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ports.Add(server.Close)
	return server.URL, nil
}

// Close ends all ports.
func (j *Judge) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ports.Close()
}

// Event says what the requests that follow are made for, until the next call.
func (j *Judge) Event(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.event = name
}

// Denials returns what was denied since the last call.
func (j *Judge) Denials() []Denial {
	j.mu.Lock()
	defer j.mu.Unlock()
	denials := j.denials
	j.denials = nil
	return denials
}

// errDenied is the error of a request that may not be made, or isn't understood.
var errDenied = errors.New("denied")

// door is the handler of a group's port.
func (j *Judge) door(group string) http.Handler {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			engine := j.engines[service(p.In)]
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.URL.RawQuery = engine.Scheme, engine.Host, p.In.URL.RawQuery
			p.Out.Host = p.In.Host // which the client has signed
		},
		ModifyResponse: func(answer *http.Response) error {
			if err := j.made(answer); err != nil {
				return err
			}
			if service(answer.Request) != "s3" || answer.StatusCode != http.StatusNotFound || j.judge(group, j.names.missing()) == nil {
				return nil
			}
			return errDenied
		},
		// The function sees what it would see of an engine that is away.
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if errors.Is(err, errDenied) {
				refuse(w, service(r), j.names.missing().Action)
				return
			}
			panic(http.ErrAbortHandler)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := service(r)
		body, err := whole(r, of)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		asked, err := j.names.read(r, of, body)
		if err == nil && j.engines[of] == nil {
			err = fmt.Errorf("no engine takes requests of %q", of)
		}
		if err != nil {
			j.deny(Denial{Function: group, Action: "make a request of " + of, Resource: r.Method + " " + r.URL.Path, Why: err.Error()})
			refuse(w, of, "what isn't understood")
			return
		}
		for _, request := range asked {
			if j.judge(group, request) != nil {
				refuse(w, of, request.Action)
				return
			}
		}
		// Else an answer that is early closes the request's body, of which the proxy still reads the end, and breaks off.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, remember(r, body))
	})
}

// refuse answers as the service does where a role may not do something: clients tell these answers from others by status and type.
func refuse(w http.ResponseWriter, of, action string) {
	e := &awsapi.Error{
		Status: http.StatusForbidden, Type: "AccessDeniedException", Message: "User is not authorized to perform: " + action,
	}
	switch of {
	case "s3":
		e.Type = "AccessDenied"
	case "sns":
		e.Type = "AuthorizationError"
	}
	awsapi.Refuse(w, of, e)
}

// Presigned judges a presigned request, which can do what the role may do that signed it.
func (j *Judge) Presigned(ctx context.Context, group, method, address string) error {
	r, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	asked, err := j.names.read(r, service(r), nil)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	for _, request := range asked {
		if err := j.judge(group, request); err != nil {
			return err
		}
	}
	return nil
}

// judge decides one request of a group's function, and keeps what it has decided.
func (j *Judge) judge(group string, r policy.Request) error {
	own := j.roles[group]
	r.Principal = own.arn
	r.Context["aws:SecureTransport"] = []string{"true"} // AWS is reached over TLS only, whatever leads to the engines here
	d, err := policy.Decide(r, own.policies, j.policyOf(r.Resource))
	if err == nil && d.Allowed {
		j.use(own.name, d)
		return nil
	}
	denial := Denial{Function: group, Action: r.Action, Resource: r.Resource, Keys: r.Context[leadingKeys], Why: "no statement allows it"}
	if err != nil {
		denial.Why = err.Error()
	}
	for _, by := range d.By {
		denial.Why = "the statement " + by.Statement.Sid + " denies it"
	}
	j.deny(denial)
	return errDenied
}

// policyOf returns the policy of a resource, or of the bucket that an object is in; nil if it has none.
func (j *Judge) policyOf(resource string) *policy.Document {
	if bucket, _, ok := strings.Cut(resource, "/"); ok && strings.HasPrefix(resource, "arn:aws:s3:::") {
		resource = bucket
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.resources[resource]
}

func (j *Judge) deny(d Denial) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d.Event = j.event
	j.denials = append(j.denials, d)
}
