// Package app wires a Lambda function of an endpoint group. It reads the function's
// configuration from the environment, and makes from it the table, files and keys that the
// group is given. The local platform makes its own Env and wires the same groups.
//
// Lambda starts a new process whenever a request finds no idle one. Making an Env therefore
// makes no calls: the clients of S3 and KMS are made when they are first needed, and
// credentials are read from the environment, where Lambda puts them.
//
// What never goes in here: anything that differs between groups.
package app

import (
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// Env is what a group is made from.
type Env struct {
	Table  *table.Conn
	Files  *files.Store
	Keys   keys.Keys
	Notify notify.Sender // only functions that carry out messages have one; nil elsewhere
	// Render and Seal call the functions of these names. Only groups have them whose group.yaml says
	// so (calls, worker_calls), and functions that carry out messages; nil elsewhere.
	Render, Seal invoke.Function
	// Pack calls the function of this name, which makes segments. Only functions that carry out messages have it; nil elsewhere.
	Pack invoke.Function
	// Show calls the function of this name, which tells what records look like. Only the function deliver has it; nil elsewhere.
	Show invoke.Function
	// SealSigner returns the key that seals documents. Only the function seal has it; nil elsewhere.
	SealSigner keys.Sealer
	Now        func() time.Time
	NewUUID    func() uuid.UUID
	// NewSecret returns 43 letters that nobody can guess; nil draws random ones.
	NewSecret func() string
	// LookupTXT reads the TXT records of a name; nil asks the public DNS.
	LookupTXT func(ctx context.Context, name string) ([]string, error)
	// AWS returns the configuration of the function's own role, for a client that only one
	// function has, whose API is at the variable of Endpoints; nil if there is no such role.
	AWS func(endpoint string) aws.Config
	Log io.Writer
	// Refused is told each refusal before it is said in a language, for tests; nil if nobody is.
	Refused func(*fault.Error)
	Config  Config
}

// Config holds the values that the template sets.
type Config struct {
	Stage           string
	PlatformDomain  string         // the companies' subdomains are below it
	Origins         []string       // that CORS allows besides the companies' own, as principal.Origin writes them
	Languages       []say.Language // in which answers speak, the default one first
	LoopbackHooks   bool           // webhooks may reach the caller's own machine: for the local platform only
	AnyLoopback     bool           // CORS allows every origin of the caller's own machine too: for the local platform only
	Scheme          string         // of absolute URLs
	AccessLifetime  time.Duration  // of an access token
	RefreshLifetime time.Duration  // of a token family
	MailFrom        string
	WebClient       WebClient
	OIDC            OIDC          // of the function identity only
	Queues          Queues        // of the function dispatch
	SMS             SMS           // of functions that carry out messages, and of those by which SMS leave
	MailDaily       int64         // how many e-mails strangers may cause in a day, and how many companies; 0 is no limit
	Seal            Seal          // of the function seal; functions that carry out messages know the TimeStampURL
	NCA             NCA           // of functions that verify signatures of eGov
	LinkLife        time.Duration // of a link to sign, of the functions that such links reach only: without it each has expired
	Viewers         web.Viewers
	ServerTiming    bool             // send the Server-Timing header
	Allowance       allowance.Limits // of read units
	CompanyRate     tokenbucket.Rate // of a company's requests; of the authorizer only
	CallerRate      tokenbucket.Rate // of a user's or a feed's
	SearchMemory    int64            // bytes in which an instance keeps what it has read of segments
}

// OIDC is how the platform is known to the OpenID Connect issuer with whose identities people can
// sign in. Where no issuer is configured, ClientID is empty.
type OIDC struct {
	Issuer       string // exactly as its ID tokens name it
	ClientID     string
	ClientSecret string
	RedirectURL  string // the page of the web client to which the issuer sends people back
}

// Queues are the addresses of the queues in which messages of a lane wait.
type Queues struct{ Normal, Bulk, Hooks string }

// SMS is how the platform sends SMS, and what they cost.
type SMS struct {
	Provider string         // one of the Providers; empty if there is none
	Price    money.Amount   // of a segment
	Rates    smsrates.Rates // where SMS are sent, and what they cost there
	// Free is how many links and codes of a company the host pays in a day; Daily how many SMS all companies together may send in one.
	Free, Daily int64
	TopUp       bool // owners book themselves what their companies have paid; otherwise the operator alone does
	// CallbackSecret is shared with the provider, which signs its reports with it. Without one, no
	// reports are taken.
	CallbackSecret string
	// URL and Token are where messages reach a provider over HTTP, CallbackURL where that
	// provider sends its reports.
	URL, Token, CallbackURL string
}

// Seal is what documents are sealed with, besides the key.
type Seal struct {
	Chain        string // certificates as PEM: that of the seal's key first, then each one's issuer; empty if there is none
	TimeStampURL string // of a time-stamp service (RFC 3161); empty if there is none, and seals have no time stamp
	// TimeStampRoots are SHA-256 sums in hex, separated by commas, of certificates of which one has to be in the
	// chain of each time stamp; empty takes whatever the service has signed.
	TimeStampRoots string
}

// NCA is how signatures that people make with NCALayer are verified.
type NCA struct {
	Roots string   // whom to trust, as functions/documents/egov reads it; empty: no signature is accepted
	OCSP  []string // the addresses that tell whether a certificate was revoked
}

// The providers of SMS.
const (
	ProviderSNS  = "sns"
	ProviderHTTP = "http"
	ProviderLog  = "log" // the local platform's, which only shows them
)

// Group is one endpoint group: its operations, and the handlers of its messages.
type Group struct {
	web.Group
	Work outbox.Work
}

// Language is the one in which the stage writes to people who have chosen none: the first of its languages.
func (c Config) Language() say.Language {
	if len(c.Languages) > 0 {
		return c.Languages[0]
	}
	return say.English
}

// New makes a group from an environment.
type New func(Env) Group

// NewFunction makes a function that others call and that serves no operations.
type NewFunction func(Env) invoke.Function

// Callee returns the field for the function of a name that groups call; nil if none does.
func (e *Env) Callee(name string) *invoke.Function {
	switch name {
	case "render":
		return &e.Render
	case "seal":
		return &e.Seal
	case "pack":
		return &e.Pack
	case "show":
		return &e.Show
	default:
		return nil
	}
}

// Server returns the server of a group: the handler of its Lambda function, and of the local
// platform.
func (e Env) Server(g Group) *web.Server {
	var large idempotency.Large
	var memory *search.Memory
	if e.Files != nil {
		large, memory = e.Files, search.NewMemory(e.Files, e.Now, e.Config.SearchMemory)
	}
	return web.NewServer(g.Group, web.Config{
		Table:          e.Table,
		Domains:        Domains(e.Table),
		PlatformDomain: e.Config.PlatformDomain,
		Origins:        e.Config.Origins,
		Languages:      e.Config.Languages,
		AnyLoopback:    e.Config.AnyLoopback,
		Scheme:         e.Config.Scheme,
		Stage:          e.Config.Stage,
		Now:            e.Now,
		Log:            e.Log,
		ServerTiming:   e.Config.ServerTiming,
		Refused:        e.Refused,
		Viewers:        e.Config.Viewers,
		Allowance:      e.Config.Allowance,
		Large:          large,
		Search:         memory,
	})
}
