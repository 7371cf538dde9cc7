// Package table is the platform's one DynamoDB table: its keys, the handle that is bound to a
// company, and transactions.
//
// What never goes in here: what a record means. A store has its own struct and its own access
// patterns, and uses the handle that it is given.
//
// # Keys
//
// All data of a company is in partitions that begin with T#<tenant>#. Every kind of partition
// is registered in shared/table/keyspace, together with how a company's partitions of that kind
// are found. So a company can be exported or deleted by its keys. docs/keys.md lists them. A
// key that is not registered is refused before it is sent.
//
// Data that belongs to no company (users, e-mail addresses, domains, challenges) has its keys
// in shared/table/crosstenant.
//
// # Consistency
//
// Get is consistent. Lists and the indexes may lag by about a second; no rule may depend on
// them.
package table
