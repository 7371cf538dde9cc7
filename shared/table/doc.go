// Package table is the platform's one DynamoDB table: its keys, the handle
// that is bound to a company, and transactions.
//
// What never goes in here: what a record means. A store keeps its own struct
// and says its own access patterns with the handle it is given.
//
// # Keys
//
// Everything of a company lies in partitions that begin with T#<tenant>#, and
// every kind of partition is registered in shared/table/keyspace with how those of
// one company are found, so a company can be exported or deleted by its keys.
// docs/keys.md lists them. A key that is not registered is refused before it is
// sent.
//
// What belongs to no company (users, e-mail addresses, domains, challenges)
// has its keys in shared/table/crosstenant.
//
// # Consistency
//
// Get is consistent. Lists and the indexes may lag by about a second; no rule
// is decided on them.
package table
