// Package protocol is what the bucket's process and the package that starts it agree on: lines of output and names of
// environment variables. It holds constants only.
package protocol

const (
	// Listening is the line that the process prints on its standard error once it serves.
	Listening = "bucket: listening"
	// PortTaken is part of what the process prints before it ends because another process has its port.
	PortTaken = "address already in use"
	// AccessVariable is the environment variable that holds the access key of the only account.
	AccessVariable = "BUCKET_ACCESS_KEY"
	// SecretVariable is the environment variable that holds the secret key of that account.
	SecretVariable = "BUCKET_SECRET_KEY"
	// Region is the region that clients have to sign for.
	Region = "us-east-1"
)
