package main

import (
	"fmt"
	"os"
	"regexp"
)

// priceDate is the year in which AWS published the prices here.
const priceDate = "2025"

// rates are on-demand list prices of a region in US dollars. Each is for a million units, in the first tier, and free tiers
// are ignored.
type rates struct {
	name            string  // of the region
	gatewayRequest  float64 // HTTP API, per 512 KB or part of it
	lambdaRequest   float64
	lambdaGBSeconds float64 // arm64
	readUnit        float64 // on-demand capacity
	writeUnit       float64
	kmsSign         float64 // asymmetric, not RSA 2048
	kmsMAC          float64
	s3Write         float64 // PUT, COPY
	s3Read          float64 // GET, HEAD
	logGigabyte     float64 // CloudWatch Logs, standard class, for a single gigabyte
}

// prices are the prices by region. The report takes those of the region in which the stages are: see stageRegion.
var prices = map[string]rates{
	"eu-central-1": {
		name: "Frankfurt", gatewayRequest: 1.20, lambdaRequest: 0.20, lambdaGBSeconds: 13.3334, readUnit: 0.1525, writeUnit: 0.7625,
		kmsSign: 15.00, kmsMAC: 3.00, s3Write: 5.40, s3Read: 0.43, logGigabyte: 0.63,
	},
}

var regions = regexp.MustCompile(`(?m)^region = "([a-z0-9-]+)"$`)

// stageRegion returns the region of the stages. They are all in one, as the prices of the documents are those of one region.
func stageRegion(samconfig string) (region string, err error) {
	text, err := os.ReadFile(samconfig)
	if err != nil {
		return "", err
	}
	for _, found := range regions.FindAllStringSubmatch(string(text), -1) {
		if region != "" && region != found[1] {
			return "", fmt.Errorf("prices: samconfig.toml has stages in %s and in %s", region, found[1])
		}
		region = found[1]
	}
	if prices[region].name == "" {
		return "", fmt.Errorf("prices: %q, the region of the stages in samconfig.toml, has no prices here", region)
	}
	return region, nil
}
