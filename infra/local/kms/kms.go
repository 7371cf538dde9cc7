// Package kms is operations of KMS's API on one machine: GetPublicKey, Sign and GenerateMac over given keys, and those by which keys are
// listed, described, made and deleted. It speaks KMS's JSON protocol, errors included. A request may name a key by its id or by its ARN.
//
// What never goes in here: what keys are for, and who may use them.
package kms

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/shared/keys"
)

const (
	digestLength = sha256.Size
	messageLimit = 4096 // of GenerateMac

	ecdsaSHA256 = "ECDSA_SHA_256"
	hmacSHA256  = "HMAC_SHA_256"
)

// Key is a key: a pair on P-256 that signs, or a secret that makes MACs.
type Key struct {
	Private *ecdsa.PrivateKey
	Secret  []byte
	About   About
}

// Options of Start.
type Options struct {
	awsapi.Options
	// Names are the ids of the keys.
	Names map[string]Key
	// ARN is the start of the keys' ARNs; empty is one of an account that doesn't exist. A key answers to every ARN that
	// ends in "key/" and its id, so that it need not be known who asks.
	ARN string
}

// Server serves the operations.
type Server struct {
	*awsapi.Server
	arn string
	now func() time.Time

	mu    sync.Mutex
	names map[string]Key
}

// Start listens.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	if o.ARN == "" {
		o.ARN = "arn:aws:kms:us-east-1:000000000000:key/"
	}
	s := &Server{names: maps.Clone(o.Names), arn: o.ARN, now: time.Now}
	if s.names == nil {
		s.names = map[string]Key{}
	}
	s.Server, err = awsapi.Start(ctx, o.Options, awsapi.API{Service: "kms", Serve: s.serve})
	return s, err
}

// Keys names the keys of a developer's file (shared/keys). signing are the names of the keys that sign tokens, of which
// the file may have fewer: a name without a key is not known.
func Keys(m keys.Material, signing []string, code, refresh, chain, hook, seal string) map[string]Key {
	names := map[string]Key{
		code: {Secret: m.Code}, refresh: {Secret: m.Refresh}, chain: {Secret: m.Chain}, hook: {Secret: m.Hook},
		seal: {Private: m.Seal},
	}
	for i, name := range signing {
		if i < len(m.Signing) {
			names[name] = Key{Private: m.Signing[i]}
		}
	}
	return names
}

// OfFile are the keys of a developer's file (shared/keys), by the ids that Resources gives them.
func OfFile(path string) (map[string]Key, error) {
	m, err := keys.MaterialFromFile(path)
	if err != nil {
		return nil, err
	}
	ids := Resources()
	return Keys(m, []string{ids["SigningKey"]}, ids["CodeKey"], ids["RefreshKey"], ids["ChainKey"], ids["HookKey"], ids["SealKey"]), nil
}

// Resources are the ids that the template's keys have on this machine, by their logical ids.
func Resources() map[string]string {
	return map[string]string{
		"SigningKey": "signing", "CodeKey": "code", "RefreshKey": "refresh", "ChainKey": "chain", "HookKey": "hook", "SealKey": "seal",
	}
}

// request holds the members of all three operations.
type request struct {
	KeyID            string `json:"KeyId"`
	Message          []byte
	MessageType      string
	SigningAlgorithm string
	MacAlgorithm     string
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) *awsapi.Error {
	var in request
	operation, ours := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	if !ours || r.Method != http.MethodPost {
		return problem("UnknownOperationException", "no operation of KMS: "+r.Header.Get("X-Amz-Target"))
	}
	if refused, known := s.administer(w, operation, body); known {
		return refused
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return problem("SerializationException", err.Error())
	}
	s.mu.Lock()
	id, known := s.find(in.KeyID)
	key := s.names[id]
	s.mu.Unlock()
	if !known {
		return problem("NotFoundException", fmt.Sprintf("Key '%s' does not exist", in.KeyID))
	}
	out, refused := key.do(operation, in)
	if refused != nil {
		return refused
	}
	out["KeyId"] = s.arn + id
	awsapi.Send(w, "kms", http.StatusOK, out)
	return nil
}

// find is the id of a key by its id or ARN. The lock has to be held.
func (s *Server) find(name string) (id string, known bool) {
	id = name
	if _, after, isARN := strings.Cut(id, ":key/"); isARN {
		id = after
	}
	_, known = s.names[id]
	return id, known
}

func (k Key) do(operation string, in request) (map[string]any, *awsapi.Error) {
	switch operation {
	case "GetPublicKey":
		if k.Private == nil {
			return nil, problem("UnsupportedOperationException", "the key has no public half")
		}
		public, err := x509.MarshalPKIXPublicKey(&k.Private.PublicKey)
		if err != nil {
			return nil, problem("KMSInternalException", err.Error())
		}
		return map[string]any{
			"PublicKey": public, "KeyUsage": "SIGN_VERIFY", "KeySpec": "ECC_NIST_P256", "SigningAlgorithms": []string{ecdsaSHA256},
		}, nil
	case "Sign":
		switch {
		case k.Private == nil || in.SigningAlgorithm != ecdsaSHA256:
			return nil, problem("InvalidKeyUsageException", fmt.Sprintf("the key does not sign with %q", in.SigningAlgorithm))
		case in.MessageType != "DIGEST" || len(in.Message) != digestLength:
			return nil, problem("ValidationException", "Digest is invalid length for algorithm "+ecdsaSHA256)
		}
		signature, err := k.Private.Sign(rand.Reader, in.Message, crypto.SHA256)
		if err != nil {
			return nil, problem("KMSInternalException", err.Error())
		}
		return map[string]any{"Signature": signature, "SigningAlgorithm": ecdsaSHA256}, nil
	case "GenerateMac":
		switch {
		case len(k.Secret) == 0 || in.MacAlgorithm != hmacSHA256:
			return nil, problem("InvalidKeyUsageException", fmt.Sprintf("the key makes no MACs with %q", in.MacAlgorithm))
		case len(in.Message) == 0 || len(in.Message) > messageLimit:
			return nil, problem("ValidationException", fmt.Sprintf("the message has to have 1 to %d bytes", messageLimit))
		}
		mac := hmac.New(sha256.New, k.Secret)
		mac.Write(in.Message)
		return map[string]any{"Mac": mac.Sum(nil), "MacAlgorithm": hmacSHA256}, nil
	default:
		return nil, problem("UnknownOperationException", "no operation that is served here: "+operation)
	}
}

// problem is an error of a caller. KMS answers all of them with 400.
func problem(kind, message string) *awsapi.Error {
	return &awsapi.Error{Status: http.StatusBadRequest, Type: kind, Message: message}
}
