// Package protocol is what the bucket's process and its starter agree on.
package protocol

const (
	// Listening is the line that the process prints on its standard error when it serves.
	Listening = "bucket: listening"
	// PortTaken is in its last words when it could not have the port.
	PortTaken = "address already in use"
	// AccessVariable names the environment variable with the only account's key.
	AccessVariable = "BUCKET_ACCESS_KEY"
	// SecretVariable names the one with its secret.
	SecretVariable = "BUCKET_SECRET_KEY"
	// Region is what clients sign for.
	Region = "us-east-1"
)
