package rotate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// retire is the statement of a key's policy that lets the operator's role have it deleted.
const retire = "Retire"

// withRetire returns the policy of a key that is made: that of the key with this ARN, and the right to have the new one deleted, for the
// operator's role alone, which it names by its path and how it is called in infra/operator.yaml. The role's own policy doesn't have the
// right: there it could only be one to delete any key of the account that leaves it to IAM.
func withRetire(policy, arn, stack string) (string, error) {
	parts := strings.Split(arn, ":") // arn:aws:kms:eu-central-1:123456789012:key/…
	if len(parts) != 6 {
		return "", fmt.Errorf("%q is no ARN of a key", arn)
	}
	var document map[string]any
	if err := json.Unmarshal([]byte(policy), &document); err != nil {
		return "", fmt.Errorf("the policy of %s: %w", arn, err)
	}
	statements, ok := document["Statement"].([]any)
	if !ok {
		return "", fmt.Errorf("the policy of %s has no list of statements", arn)
	}
	statements = slices.DeleteFunc(statements, func(s any) bool {
		of, _ := s.(map[string]any)
		return of["Sid"] == retire
	})
	document["Statement"] = append(statements, map[string]any{
		"Sid": retire, "Effect": "Allow", "Action": "kms:ScheduleKeyDeletion", "Resource": "*",
		"Principal": map[string]any{"AWS": "*"},
		"Condition": map[string]any{"ArnLike": map[string]any{
			"aws:PrincipalArn": fmt.Sprintf("arn:%s:iam::%s:role/operator/%s/*-OperatorRole-*", parts[1], parts[4], stack),
		}},
	})
	text, err := json.Marshal(document)
	return string(text), err
}
