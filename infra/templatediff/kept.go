package main

import (
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// fixed are the kinds of resources that hold what can't be made anew, with the properties that can't change without another resource
// in their place. Of tables, buckets and queues they are `createOnlyProperties` and `conditionalCreateOnlyProperties` of CloudFormation's
// registry; of keys they are what KMS can't change.
func fixed() map[string][]string {
	return map[string][]string{
		tables:            {"TableName", "ImportSourceSpecification", "KeySchema"},
		"AWS::S3::Bucket": {"BucketName", "BucketNamePrefix", "BucketNamespace"},
		"AWS::KMS::Key":   {"KeySpec", "KeyUsage", "MultiRegion", "Origin"},
		"AWS::SQS::Queue": {"QueueName", "FifoQueue"},
	}
}

// kept finds tables, buckets, keys and queues that are gone or would be replaced.
func kept(from, to map[string]any) []refusal {
	var all []refusal
	for kind, properties := range fixed() {
		for _, id := range named(from, kind) {
			before, after := tree.Object(tree.At(from, "Resources", id)), tree.Object(tree.At(to, "Resources", id))
			lost := func(change, why string) {
				all = append(all, refusal{
					change: change, why: why,
					first:  "Add another one beside it, and release the code that writes to the new one and reads from either.",
					second: "When nothing is left in the old one: " + secondStep,
				})
			}
			switch {
			case after == nil:
				lost("removed "+id, "The stack would let go of it, and the code of before has nothing else.")
				continue
			case tree.Text(after["Type"]) != kind:
				lost("type of "+id, "CloudFormation replaces what has another type.")
				continue
			case tree.Text(after["Condition"]) != tree.Text(before["Condition"]) && after["Condition"] != nil:
				lost("condition of "+id, "It would be gone wherever the condition doesn't hold.")
			}
			for _, property := range properties {
				if written(tree.At(before, "Properties", property)) != written(tree.At(after, "Properties", property)) {
					lost(property+" of "+id, "CloudFormation would make another "+id+", an empty one, in its place.")
				}
			}
			all = append(all, attributes(id, before, after)...)
		}
	}
	return all
}

// attributes finds key attributes of a table that have another type. What no index needs may go.
func attributes(id string, before, after map[string]any) []refusal {
	var all []refusal
	types := map[string]string{}
	for _, a := range tree.List(tree.At(after, "Properties", "AttributeDefinitions")) {
		types[tree.Text(tree.At(a, "AttributeName"))] = tree.Text(tree.At(a, "AttributeType"))
	}
	for _, a := range tree.List(tree.At(before, "Properties", "AttributeDefinitions")) {
		name := tree.Text(tree.At(a, "AttributeName"))
		if now, there := types[name]; there && now != tree.Text(tree.At(a, "AttributeType")) {
			all = append(all, refusal{
				change: fmt.Sprintf("attribute %s of %s", name, id),
				why:    "CloudFormation would make another " + id + ", an empty one, in its place.",
				first:  "Add an attribute of another name, and release the code that writes both.",
				second: "Read the new one in the release after, when the records are written anew.",
			})
		}
	}
	return all
}

// index is one index of a table, and under which condition it is there.
type index struct{ schema, projection, when string }

// indexes finds indexes of tables that are gone or differ, and more changes than DynamoDB makes at once.
func indexes(from, to map[string]any) []refusal {
	var all []refusal
	for _, id := range named(from, tables) {
		if tree.At(to, "Resources", id) == nil {
			continue
		}
		changes := 0
		for _, of := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
			before, after := indexesOf(from, id, of), indexesOf(to, id, of)
			for name, was := range before {
				now, there := after[name]
				if there && now == was || there && now.when == "" && now.schema == was.schema && now.projection == was.projection {
					continue
				}
				if was.when == "" {
					changes++
				}
				all = append(all, refusal{
					change: fmt.Sprintf("index %s of %s", name, id),
					why:    "Queries of the release before name it, with its keys and what it projects; DynamoDB can't change an index.",
					first:  "Add one of another name beside it, and release the code that reads it: docs/operations.md, Changing an index.",
					second: secondStep,
				})
			}
			for name, now := range after {
				if _, there := before[name]; !there && now.when == "" {
					changes++
				}
			}
		}
		if changes > 1 {
			all = append(all, refusal{
				change: fmt.Sprintf("%d indexes of %s at once", changes, id),
				why:    "DynamoDB adds or removes one index in one update, and the deployment would be rolled back.",
				first:  "Release one of them, the others under a parameter that is off.",
				second: "Release the next one.",
			})
		}
	}
	return all
}

// indexesOf are the indexes of a table by their names, those under a condition too.
func indexesOf(template map[string]any, table, property string) map[string]index {
	found := map[string]index{}
	var add func(v any, when string)
	add = func(v any, when string) {
		if choice := tree.List(tree.At(v, "Fn::If")); len(choice) == 3 {
			condition := tree.Text(choice[0])
			add(choice[1], when+"if "+condition+" "+written(tree.At(template, "Conditions", condition)))
			add(choice[2], when+"unless "+condition+" "+written(tree.At(template, "Conditions", condition)))
			return
		}
		if name := tree.Text(tree.At(v, "IndexName")); name != "" {
			found[name] = index{schema: written(tree.At(v, "KeySchema")), projection: projection(v), when: when}
		}
	}
	for _, v := range tree.List(tree.At(template, "Resources", table, "Properties", property)) {
		add(v, "")
	}
	return found
}

// projection is what an index holds besides its keys; the order of the attributes doesn't matter.
func projection(index any) string {
	var attributes []string
	for _, a := range tree.List(tree.At(index, "Projection", "NonKeyAttributes")) {
		attributes = append(attributes, tree.Text(a))
	}
	slices.Sort(attributes)
	return fmt.Sprint(tree.Text(tree.At(index, "Projection", "ProjectionType")), attributes)
}
