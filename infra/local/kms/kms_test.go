package kms_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	service "github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/smithy-go"
	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/keys/keystest"
)

// serve serves the keys of a file, and returns how to reach them and the file.
func serve(t *testing.T) (aws.Config, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	m, err := keys.MaterialFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names := kms.Keys(m, []string{"sign", "spare"}, "code", "refresh", "chain", "hook", "seal")
	ofFile, err := kms.OfFile(path)
	if err != nil || !reflect.DeepEqual(ofFile, kms.Keys(m, []string{"signing"}, "code", "refresh", "chain", "hook", "seal")) {
		t.Fatalf("%v, %v", ofFile, err)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	names["retired"] = kms.Key{Private: private}
	s, err := kms.Start(t.Context(), kms.Options{Options: awsapi.Options{Keys: map[string]string{"id": "secret"}}, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(s.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "a session"),
	}, path
}

// What functions get of this server is what they get of the file.
func TestKeysOfAFile(t *testing.T) {
	config, path := serve(t)
	open := func(*testing.T) keys.Keys {
		return keys.FromKMS(awskms.New(config), keys.Names{
			Signing: []string{"sign", "retired"}, Secrets: map[keys.Use][]string{
				keys.Codes: {"arn:aws:kms:eu-central-1:123456789012:key/code"}, keys.Refresh: {"refresh", "code"}, keys.Chains: {"chain"},
				keys.Hooks: {"hook"},
			},
		})
	}
	file, err := keys.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	retired := keys.FromKMS(awskms.New(config), keys.Names{Signing: []string{"retired"}})
	old, err := retired.Sign(t.Context(), jwt.MapClaims{"user": "u1"})
	if err != nil {
		t.Fatal(err)
	}
	keystest.Run(t, open, old)
	keystest.RunSealer(t, func(*testing.T) keys.Sealer { return keys.SealerFromKMS(awskms.New(config), "seal") })
	for _, use := range []keys.Use{keys.Codes, keys.Refresh, keys.Chains, keys.Hooks} {
		want, err1 := keys.Make(t.Context(), file, use, []byte("m"))
		if got, err2 := keys.Make(t.Context(), open(t), use, []byte("m")); err1 != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s: %x, %v; want %x, %v", use, got, err2, want, err1)
		}
	}
	sealer, err := keys.SealerFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	token, err := file.Sign(t.Context(), jwt.MapClaims{"user": "u1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keystest.Verify(open(t), token); err != nil {
		t.Errorf("a token of the file: %v", err)
	}
	want, err := sealer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := service.NewFromConfig(config).GetPublicKey(t.Context(), &service.GetPublicKeyInput{KeyId: aws.String("seal")})
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.ParsePKIXPublicKey(out.PublicKey)
	if p, ok := public.(*ecdsa.PublicKey); err != nil || !ok || !p.Equal(want.Public()) || !strings.HasSuffix(*out.KeyId, ":key/seal") {
		t.Errorf("%v, %v, %s", public, err, *out.KeyId)
	}
}

func TestWhatIsRefused(t *testing.T) {
	config, _ := serve(t)
	client, digest := service.NewFromConfig(config), make([]byte, 32)
	stranger := config.Copy()
	stranger.Credentials = credentials.NewStaticCredentialsProvider("id", "a guess", "")
	sign := func(c *service.Client, key string, message []byte, kind types.MessageType, with types.SigningAlgorithmSpec) error {
		_, err := c.Sign(t.Context(), &service.SignInput{KeyId: &key, Message: message, MessageType: kind, SigningAlgorithm: with})
		return err
	}
	mac := func(key string, message []byte, with types.MacAlgorithmSpec) error {
		_, err := client.GenerateMac(t.Context(), &service.GenerateMacInput{KeyId: &key, Message: message, MacAlgorithm: with})
		return err
	}
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"no such key":         {sign(client, "nobody", digest, types.MessageTypeDigest, ecdsaSpec), "NotFoundException"},
		"no such key in it":   {sign(client, "spare", digest, types.MessageTypeDigest, ecdsaSpec), "NotFoundException"},
		"no digest":           {sign(client, "sign", digest, types.MessageTypeRaw, ecdsaSpec), "ValidationException"},
		"a short digest":      {sign(client, "sign", digest[1:], types.MessageTypeDigest, ecdsaSpec), "ValidationException"},
		"another algorithm":   {sign(client, "sign", digest, types.MessageTypeDigest, types.SigningAlgorithmSpecEcdsaSha384), "InvalidKeyUsageException"},
		"a secret that signs": {sign(client, "code", digest, types.MessageTypeDigest, ecdsaSpec), "InvalidKeyUsageException"},
		"a wrong signature":   {sign(service.NewFromConfig(stranger), "sign", digest, types.MessageTypeDigest, ecdsaSpec), "InvalidSignatureException"},
		"a pair that MACs":    {mac("sign", digest, types.MacAlgorithmSpecHmacSha256), "InvalidKeyUsageException"},
		"another MAC":         {mac("code", digest, types.MacAlgorithmSpecHmacSha512), "InvalidKeyUsageException"},
		"nothing to MAC":      {mac("code", []byte{}, types.MacAlgorithmSpecHmacSha256), "ValidationException"},
		"too much to MAC":     {mac("code", make([]byte, 4097), types.MacAlgorithmSpecHmacSha256), "ValidationException"},
		"another operation": {func() error {
			_, err := client.Encrypt(t.Context(), &service.EncryptInput{KeyId: aws.String("code"), Plaintext: digest})
			return err
		}(), "UnknownOperationException"},
		"a public half of a secret": {func() error {
			_, err := client.GetPublicKey(t.Context(), &service.GetPublicKeyInput{KeyId: aws.String("code")})
			return err
		}(), "UnsupportedOperationException"},
	} {
		var api smithy.APIError
		if !errors.As(row.err, &api) || api.ErrorCode() != row.want {
			t.Errorf("%s: %v, want %s", name, row.err, row.want)
		}
	}
}

const ecdsaSpec = types.SigningAlgorithmSpecEcdsaSha256
