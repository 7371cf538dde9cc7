package awsapi

import "regexp"

// called matches how a function is named in a call: by its name or its ARN, each with an alias or a version behind it or without.
var called = regexp.MustCompile(`^(?:arn:aws:lambda:[a-z0-9-]+:[0-9]{12}:function:)?([A-Za-z0-9_-]+)(?::([A-Za-z0-9_-]+|\$LATEST))?$`)

// Function returns the name of the function that a call of Lambda's API names, and its alias or version if it names one.
func Function(named string) (name, qualifier string, ok bool) {
	parts := called.FindStringSubmatch(named)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}
