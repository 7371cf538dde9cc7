package documents

import (
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
)

// Document is a document as callers see it. These types only describe the answer;
// Append writes it, and a test ensures that the two agree.
type Document struct {
	ID          int64           `json:"id"`
	UUID        uuid.UUID       `json:"uuid" format:"uuid"`
	Name        string          `json:"name"`
	Source      document.Source `json:"source" doc:"{values}"`
	CreatedBy   *int64          `json:"created_by" nullable:"true"`
	Template    *int64          `json:"template" nullable:"true"`
	Signed      bool            `json:"signed"`
	CreatedAt   string          `json:"created_at" format:"date-time"`
	UpdatedAt   string          `json:"updated_at" format:"date-time"`
	ContentType *Model          `json:"content_type" nullable:"true" doc:"Class name of the linked record"`
	ObjectID    *int64          `json:"object_id" nullable:"true" doc:"Id of the linked record"`
	Files       []DocumentFile  `json:"files"`
	Signs       []DocumentSign  `json:"signs"`
	Links       []DocumentLink  `json:"links"`
}

// Model is the class name of a kind of records that documents can be linked to.
type Model string

// Values are the class names of all such kinds.
func (Model) Values() []enum.Value {
	var list []Model
	for _, k := range kinds.All() {
		if k.Model != "" {
			list = append(list, Model(k.Model))
		}
	}
	return enum.Named(list...)
}

// DocumentFile is one file of a document.
type DocumentFile struct {
	ID    int64             `json:"id"`
	File  string            `json:"file" format:"uri" doc:"Answers with the file; see documents-file."`
	Type  document.FileType `json:"type" doc:"{values}"`
	Extra FileFacts         `json:"extra"`
}

// FileFacts describes a file's bytes.
type FileFacts struct {
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256" doc:"In hexadecimal"`
}

// DocumentSign is one signature that a document waits for or has.
type DocumentSign struct {
	ID            int64               `json:"id"`
	UUID          *uuid.UUID          `json:"uuid" format:"uuid" nullable:"true" doc:"The signer's link holds it, and it is all that the signer shows. null for readers who may not change documents."`
	Method        document.Method     `json:"method" doc:"{values}"`
	MethodAllowed []document.Method   `json:"method_allowed" open:"true"`
	Signer        Signer              `json:"signer"`
	Status        document.Status     `json:"status" doc:"{values}"`
	CreatedAt     string              `json:"created_at" format:"date-time"`
	UpdatedAt     string              `json:"updated_at" format:"date-time"`
	Stages        []DocumentSignStage `json:"stages"`
}

// Signer is who signs.
type Signer struct {
	ID      int64               `json:"id"`
	Name    string              `json:"name" maxLength:"255"`
	Phone   *string             `json:"phone" nullable:"true" maxLength:"32"`
	Email   *string             `json:"email" nullable:"true" format:"email" maxLength:"254"`
	Type    document.SignerType `json:"type"`
	OuterID *int64              `json:"outer_id" nullable:"true"`
}

// DocumentSignStage is one change of a sign's status.
type DocumentSignStage struct {
	ID         int64           `json:"id" doc:"Its place among the stages of the sign, from 1"`
	StatusFrom document.Status `json:"status_from"`
	StatusTo   document.Status `json:"status_to"`
	CreatedAt  string          `json:"created_at" format:"date-time"`
	Meta       StageMeta       `json:"meta"`
}

// StageMeta is what is known about a change of a sign's status.
type StageMeta struct {
	IP       *string          `json:"ip" nullable:"true" doc:"The address of whoever did it"`
	Method   *document.Method `json:"method" nullable:"true" doc:"How it was signed, or is about to be: {values}"`
	User     *int64           `json:"user" nullable:"true" doc:"The user of staff who did it; null: the signer"`
	SHA256   string           `json:"sha256" doc:"Of the original as it was then, in hexadecimal"`
	Evidence *string          `json:"evidence" nullable:"true" doc:"SHA-256 of what is kept about it: browser, reason, certificate, text that was agreed to"`
}

// DocumentLink is a record that a document belongs to.
type DocumentLink struct {
	ContentType      Model  `json:"content_type"`
	ContentTypeLabel string `json:"content_type_label"`
	ObjectID         int64  `json:"object_id" minimum:"0"`
	Role             string `json:"role" enum:"main,secondary"`
	RoleLabel        string `json:"role_label"`
	Label            string `json:"label"`
	URL              string `json:"url" format:"uri"`
}
