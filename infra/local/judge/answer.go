package judge

import (
	"fmt"
	"net/http"
	"strings"
)

// refuse answers as the service does where a role may not do something: clients tell these answers from others by status and type.
func refuse(w http.ResponseWriter, r *http.Request, of, action string) {
	message := "User is not authorized to perform: " + action
	xml := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(message)
	header := w.Header()
	switch of {
	case "dynamodb", "kms":
		header.Set("Content-Type", "application/x-amz-json-1.0")
		if of == "kms" {
			header.Set("Content-Type", "application/x-amz-json-1.1")
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":%q}`, message)
	case "s3":
		header.Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		if r.Method != http.MethodHead {
			_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>`+
				`<Error><Code>AccessDenied</Code><Message>%s</Message></Error>`, xml)
		}
	case "sns":
		header.Set("Content-Type", "text/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type>`+
			`<Code>AuthorizationError</Code><Message>%s</Message></Error></ErrorResponse>`, xml)
	default:
		header.Set("Content-Type", "application/json")
		header.Set("X-Amzn-ErrorType", "AccessDeniedException")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"message":%q}`, message)
	}
}
