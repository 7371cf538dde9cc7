package judge

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// s3 reads a request in path style, presigned or not: GET and HEAD of an object, PUT of bytes or of a copy, DELETE, lists. A query or a
// header that asks for something else, such as tags or an ACL, needs other rights and is not known here.
func (n names) s3(r *http.Request) ([]policy.Request, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	query := r.URL.Query()
	if bucket != "" && key == "" && r.Method == http.MethodGet {
		return n.lists(bucket, query)
	}
	if bucket != "" && key == "" && r.Method == http.MethodPost && query.Has("delete") {
		return deletions(bucket, r)
	}
	for name := range query {
		lower := strings.ToLower(name)
		if lower != "versionid" && lower != "x-id" && !strings.HasPrefix(lower, "x-amz-") && !strings.HasPrefix(lower, "response-") {
			return nil, fmt.Errorf("the query %s is not known here", name)
		}
	}
	for _, header := range []string{"X-Amz-Acl", "X-Amz-Tagging", "X-Amz-Tagging-Directive", "X-Amz-Object-Lock-Mode"} {
		if r.Header.Get(header) != "" || query.Get(header) != "" {
			return nil, fmt.Errorf("the header %s is not known here", header)
		}
	}
	if bucket == "" || key == "" {
		return nil, fmt.Errorf("%s %s is not about an object", r.Method, r.URL.Path)
	}
	object := objectARN(bucket, key)
	version := query.Has("versionId")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return []policy.Request{ask(reading(version), object)}, nil
	case http.MethodPut:
		source := r.Header.Get("X-Amz-Copy-Source")
		if source == "" {
			return []policy.Request{ask("s3:PutObject", object)}, nil
		}
		from, parameters, _ := strings.Cut(source, "?")
		from, err := url.PathUnescape(strings.TrimPrefix(from, "/"))
		if err != nil {
			return nil, fmt.Errorf("the source %s: %w", source, err)
		}
		bucket, key, _ := strings.Cut(from, "/")
		return []policy.Request{
			ask(reading(strings.HasPrefix(parameters, "versionId=")), objectARN(bucket, key)),
			ask("s3:PutObject", object),
		}, nil
	case http.MethodDelete:
		if version {
			return []policy.Request{ask("s3:DeleteObjectVersion", object)}, nil
		}
		return []policy.Request{ask("s3:DeleteObject", object)}, nil
	}
	return nil, fmt.Errorf("%s of an object is not known here", r.Method)
}

// deletions reads a request that deletes many objects, each of which has to be allowed.
func deletions(bucket string, r *http.Request) (list []policy.Request, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var named struct {
		Object []struct {
			Key, VersionId string
		}
	}
	if err := xml.Unmarshal(body, &named); err != nil {
		return nil, fmt.Errorf("what is to be deleted: %w", err)
	}
	for _, o := range named.Object {
		action := "s3:DeleteObject"
		if o.VersionId != "" {
			action = "s3:DeleteObjectVersion"
		}
		list = append(list, ask(action, objectARN(bucket, o.Key)))
	}
	if len(list) == 0 {
		return nil, errors.New("nothing is to be deleted")
	}
	return list, nil
}

// lists reads a request for the keys of a bucket, or for all their versions.
func (n names) lists(bucket string, query url.Values) ([]policy.Request, error) {
	for name := range query {
		switch name {
		case "list-type", "versions", "prefix", "delimiter", "continuation-token", "key-marker", "version-id-marker", "max-keys", "x-id":
		default:
			return nil, fmt.Errorf("the query %s is not known here", name)
		}
	}
	action := map[[2]bool]string{{true, false}: "s3:ListBucket", {false, true}: "s3:ListBucketVersions"}[[2]bool{
		query.Get("list-type") == "2", query.Has("versions"),
	}]
	if action == "" {
		return nil, fmt.Errorf("a list of %v is not known here", query)
	}
	return []policy.Request{ask(action, "arn:aws:s3:::"+bucket)}, nil
}

// reading is the action that reads an object: one that names a version is another.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html and API_CopyObject.html
func reading(version bool) string {
	if version {
		return "s3:GetObjectVersion"
	}
	return "s3:GetObject"
}

func objectARN(bucket, key string) string { return "arn:aws:s3:::" + bucket + "/" + key }

// missing is what has to be allowed so that S3 says of an object that it isn't there. To others it says 403.
func (n names) missing() policy.Request { return ask("s3:ListBucket", "arn:aws:s3:::"+n.bucket) }
