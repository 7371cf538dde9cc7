// Package awskms makes the calls of keys.KMS to AWS KMS. It is apart from
// package keys so that only functions that need keys carry the client.
//
// What never goes in here: anything but the three calls.
package awskms

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"github.com/tenantry/tenantry/shared/keys"
)

type client struct{ api *kms.Client }

// New makes the client of a configuration, when keys.FromKMS first calls it.
func New(config aws.Config) func() keys.KMS {
	return func() keys.KMS { return client{kms.NewFromConfig(config)} }
}

// PublicKey is GetPublicKey.
func (c client) PublicKey(ctx context.Context, key string) ([]byte, error) {
	out, err := c.api.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: aws.String(key)})
	if err != nil {
		return nil, err
	}
	return out.PublicKey, nil
}

// Sign is Sign of a digest with ECDSA_SHA_256.
func (c client) Sign(ctx context.Context, key string, digest []byte) ([]byte, error) {
	out, err := c.api.Sign(ctx, &kms.SignInput{
		KeyId: aws.String(key), Message: digest,
		MessageType: types.MessageTypeDigest, SigningAlgorithm: types.SigningAlgorithmSpecEcdsaSha256,
	})
	if err != nil {
		return nil, err
	}
	return out.Signature, nil
}

// MAC is GenerateMac with HMAC_SHA_256.
func (c client) MAC(ctx context.Context, key string, message []byte) ([]byte, error) {
	out, err := c.api.GenerateMac(ctx, &kms.GenerateMacInput{
		KeyId: aws.String(key), Message: message, MacAlgorithm: types.MacAlgorithmSpecHmacSha256,
	})
	if err != nil {
		return nil, err
	}
	return out.Mac, nil
}
