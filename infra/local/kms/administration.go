package kms

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

// About is what is known of a key besides its material.
type About struct {
	Description string
	Policy      string
	Created     time.Time
	Deleted     bool // it awaits its deletion
}

// administer carries out the operations that are about keys themselves; known is false for others.
func (s *Server) administer(w http.ResponseWriter, operation string, body []byte) (refused *awsapi.Error, known bool) {
	var in struct {
		KeyID       string `json:"KeyId"`
		Description string
		Policy      string
		KeySpec     string
		KeyUsage    string
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return problem("SerializationException", err.Error()), true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, there := s.find(in.KeyID)
	k := s.names[id]
	switch operation {
	case "ListKeys":
		list := []map[string]string{}
		for _, id := range slices.Sorted(maps.Keys(s.names)) {
			list = append(list, map[string]string{"KeyId": id, "KeyArn": s.arn + id})
		}
		awsapi.Send(w, "kms", http.StatusOK, map[string]any{"Keys": list, "Truncated": false})
		return nil, true
	case "CreateKey":
		made, refused := create(in.KeySpec, in.KeyUsage)
		if refused != nil {
			return refused, true
		}
		made.About = About{Description: in.Description, Policy: in.Policy, Created: s.now()}
		id = uuid.NewString()
		s.names[id] = made
		awsapi.Send(w, "kms", http.StatusOK, map[string]any{"KeyMetadata": s.metadata(id)})
		return nil, true
	case "DescribeKey", "GetKeyPolicy", "ScheduleKeyDeletion":
	default:
		return nil, false
	}
	out := map[string]any{"KeyMetadata": s.metadata(id)}
	switch {
	case !there:
		return problem("NotFoundException", fmt.Sprintf("Key '%s' does not exist", in.KeyID)), true
	case operation == "GetKeyPolicy":
		out = map[string]any{"Policy": k.About.Policy, "PolicyName": "default"}
	case operation == "ScheduleKeyDeletion" && k.About.Deleted:
		return problem("KMSInvalidStateException", s.arn+id+" is pending deletion."), true
	case operation == "ScheduleKeyDeletion":
		k.About.Deleted = true
		s.names[id] = k
		out = map[string]any{"KeyId": s.arn + id, "KeyState": "PendingDeletion"}
	}
	awsapi.Send(w, "kms", http.StatusOK, out)
	return nil, true
}

// create makes the material of a key.
func create(spec, usage string) (Key, *awsapi.Error) {
	switch {
	case spec == "ECC_NIST_P256" && usage == "SIGN_VERIFY":
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return Key{}, problem("KMSInternalException", err.Error())
		}
		return Key{Private: private}, nil
	case spec == "HMAC_256" && usage == "GENERATE_VERIFY_MAC":
		secret := make([]byte, digestLength)
		_, _ = rand.Read(secret) // it never fails
		return Key{Secret: secret}, nil
	}
	return Key{}, problem("ValidationException", fmt.Sprintf("a key of %q for %q is not made here", spec, usage))
}

// metadata is what DescribeKey tells of a key.
func (s *Server) metadata(id string) map[string]any {
	k := s.names[id]
	spec, usage, state := "HMAC_256", "GENERATE_VERIFY_MAC", "Enabled"
	if k.Private != nil {
		spec, usage = "ECC_NIST_P256", "SIGN_VERIFY"
	}
	if k.About.Deleted {
		state = "PendingDeletion"
	}
	return map[string]any{
		"KeyId": id, "Arn": s.arn + id, "Description": k.About.Description, "KeySpec": spec, "KeyUsage": usage, "KeyState": state,
		"CreationDate": float64(k.About.Created.UnixMilli()) / 1000, "Enabled": !k.About.Deleted,
	}
}
