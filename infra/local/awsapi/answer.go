package awsapi

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strings"
)

// Error is an error of an API. Clients tell errors apart by Type.
type Error struct {
	Status        int
	Type, Message string
}

// Unknown is the error of a request that an API doesn't serve here.
func Unknown(r *http.Request) *Error {
	return &Error{http.StatusNotFound, "UnknownOperationException", r.Method + " " + r.URL.Path}
}

// Refuse writes an error as clients of a service expect it. A HEAD is answered without a body by net/http itself.
func Refuse(w http.ResponseWriter, service string, e *Error) {
	w.Header().Set("X-Amzn-Errortype", e.Type)
	switch service {
	case "dynamodb", "kms": // which answer every error of a caller with 400
		Send(w, service, http.StatusBadRequest, map[string]string{"__type": "com.amazon.coral.service#" + e.Type, "message": e.Message})
	case "sqs":
		Send(w, service, e.Status, map[string]string{"__type": "com.amazonaws.sqs#" + e.Type, "message": e.Message})
	case "sns":
		type cause struct{ Type, Code, Message string }
		Send(w, service, e.Status, struct {
			XMLName struct{} `xml:"http://sns.amazonaws.com/doc/2010-03-31/ ErrorResponse"`
			Error   cause
		}{Error: cause{"Sender", e.Type, e.Message}})
	case "s3":
		Send(w, service, e.Status, struct {
			XMLName       struct{} `xml:"Error"`
			Code, Message string
		}{Code: e.Type, Message: e.Message})
	default:
		Send(w, service, e.Status, map[string]string{"Type": "User", "message": e.Message})
	}
}

// Send writes an answer as a service writes it. Whoever has gone needs none.
func Send(w http.ResponseWriter, service string, status int, body any) {
	media := map[string]string{
		"dynamodb": "application/x-amz-json-1.0", "sqs": "application/x-amz-json-1.0", "kms": "application/x-amz-json-1.1",
		"sns": "text/xml", "s3": "application/xml",
	}[service]
	if media == "" {
		media = "application/json"
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	if strings.HasSuffix(media, "/xml") {
		_ = xml.NewEncoder(w).Encode(body)
		return
	}
	_ = json.NewEncoder(w).Encode(body)
}
