package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// settings returns what a version is configured with, by the words in which drift is told. The state of the version and its description
// are left out, because Lambda and SAM write them by themselves.
func settings(of types.FunctionConfiguration) (map[string]string, error) {
	if of.Environment != nil && of.Environment.Error != nil {
		return nil, fmt.Errorf("its variables can't be read: %s: %s",
			aws.ToString(of.Environment.Error.ErrorCode), aws.ToString(of.Environment.Error.Message))
	}
	all := map[string]any{
		"architectures": of.Architectures, "dead letters": of.DeadLetterConfig, "file systems": of.FileSystemConfigs, "handler": of.Handler,
		"layers": layers(of.Layers), "logging": of.LoggingConfig, "memory": of.MemorySize, "network": of.VpcConfig, "role": of.Role,
		"runtime": of.Runtime, "key of the variables": of.KMSKeyArn, "image": image(of.ImageConfigResponse),
		"snapshots": snapshots(of.SnapStart), "storage": of.EphemeralStorage, "timeout": of.Timeout, "tracing": of.TracingConfig,
	}
	if of.Environment != nil {
		for name, value := range of.Environment.Variables {
			all["variable "+name] = value
		}
	}
	texts := map[string]string{}
	for name, value := range all {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		texts[name] = string(text)
	}
	return texts, nil
}

// image returns the command with which Lambda starts a container image, or nil for a function whose code is a zip.
func image(of *types.ImageConfigResponse) *types.ImageConfig {
	if of == nil {
		return nil
	}
	return of.ImageConfig
}

// snapshots returns whether Lambda is told to start a function from a snapshot. It leaves out whether a snapshot exists, because
// Lambda makes none of $LATEST, and each comparison with a version would differ.
func snapshots(of *types.SnapStartResponse) types.SnapStartApplyOn {
	if of == nil {
		return types.SnapStartApplyOnNone
	}
	return of.ApplyOn
}

// layers returns the layers of a version without their sizes, because Lambda leaves these out at times.
func layers(of []types.Layer) (arns []string) {
	for _, l := range of {
		if l.Arn != nil {
			arns = append(arns, *l.Arn)
		}
	}
	return arns
}

// differing are the names of the settings in which two versions differ, sorted. Their values stay unsaid: some are secret.
func differing(a, b version) (names []string) {
	all := maps.Clone(a.settings)
	maps.Copy(all, b.settings)
	for name := range all {
		was, had := a.settings[name]
		is, has := b.settings[name]
		if was != is || had != has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
