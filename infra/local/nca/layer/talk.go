package layer

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"

	"golang.org/x/net/websocket"

	"github.com/tenantry/tenantry/infra/local/nca"
)

const (
	mostMessage = 64 << 20 // a document of 25 MB as base64, and more
	heartbeat   = "--heartbeat--"
	module      = "kz.gov.pki.knca.basics"
)

// yes is a boolean that pages send as one, or as a text.
type yes bool

func (y *yes) UnmarshalJSON(b []byte) error {
	*y = string(b) == "true" || string(b) == `"true"`
	return nil
}

// texts is a text, or several.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	var several []string
	err := json.Unmarshal(b, &several)
	*t = several
	return err
}

// request is what pages ask.
type request struct {
	Module string `json:"module"`
	Method string `json:"method"`
	Args   struct {
		Format        string `json:"format"`
		Data          texts  `json:"data"`
		SigningParams struct {
			Decode      yes `json:"decode"`
			Encapsulate yes `json:"encapsulate"`
			Digested    yes `json:"digested"`
		} `json:"signingParams"`
	} `json:"args"`
}

// answer is what they get: a body, empty if the question was closed, or why there is none.
type answer struct {
	Status  bool           `json:"status"`
	Code    string         `json:"code,omitempty"`
	Message string         `json:"message,omitempty"`
	Body    map[string]any `json:"body,omitempty"`
}

// closed is the answer where the question was closed. Its body is there, but has nothing in it.
type closed struct {
	Status bool     `json:"status"`
	Body   struct{} `json:"body"`
}

// talk answers on one websocket until the page leaves.
func (s *Layer) talk(ws *websocket.Conn) {
	ws.MaxPayloadBytes = mostMessage
	if websocket.JSON.Send(ws, map[string]any{"result": map[string]string{"version": "1.4"}}) != nil {
		return
	}
	for {
		var message string
		if websocket.Message.Receive(ws, &message) != nil {
			return
		}
		var err error
		if message == heartbeat {
			err = websocket.Message.Send(ws, heartbeat)
		} else {
			err = websocket.JSON.Send(ws, s.reply(message))
		}
		if err != nil {
			return
		}
	}
}

func (s *Layer) reply(message string) any {
	var r request
	err := json.Unmarshal([]byte(message), &r)
	params := r.Args.SigningParams
	switch {
	case err != nil:
		return answer{Code: "GENERAL_ERROR", Message: err.Error()}
	case r.Module != module:
		return map[string]any{"success": false, "errorCode": "MODULE_NOT_FOUND"}
	case r.Method != "sign":
		return answer{Code: "INVOCATION_ERROR", Message: "this stand-in only signs"}
	case r.Args.Format != "cms" || bool(params.Digested) || len(r.Args.Data) == 0:
		return answer{Code: "INVALID_SIGNING_PARAMS", Message: "this stand-in makes a CMS of the data itself"}
	}
	holder, form := s.chosen()
	if holder == nil {
		return closed{Status: true}
	}
	result := []string{}
	for _, data := range r.Args.Data {
		cms, err := s.sign(holder, data, bool(params.Decode), bool(params.Encapsulate))
		if err != nil {
			return answer{Code: "SIGNING_FAILURE", Message: err.Error()}
		}
		text := base64.StdEncoding.EncodeToString(cms)
		if form == PEM {
			text = string(pem.EncodeToMemory(&pem.Block{Type: "CMS", Bytes: cms}))
		}
		result = append(result, text)
	}
	if form == Text {
		return answer{Status: true, Body: map[string]any{"result": result[0]}}
	}
	return answer{Status: true, Body: map[string]any{"result": result}}
}

func (s *Layer) sign(h *nca.Holder, data string, decode, encapsulate bool) ([]byte, error) {
	content := []byte(data)
	if decode {
		var err error
		if content, err = base64.StdEncoding.DecodeString(data); err != nil {
			return nil, errors.New("the data is no base64")
		}
	}
	return h.Make(nca.Message{Content: content, At: s.now(), Attached: encapsulate})
}
