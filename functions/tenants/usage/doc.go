// Package usage is what a company has and uses, by day, for bills and for its plan (company.Plan).
//
// Two kinds of items say it. What no log and no list would tell afterwards, segments of SMS and sealed documents, is counted for a
// month and its days in the very transaction that uses it (Spend), which so keeps to the plan exactly. All of a day is written once,
// by the operator's collector, when the day is over (Day). Days and months begin in the company's time zone.
//
// What never goes in here: HTTP, how a day is collected (infra/operator/usage), and what anything costs.
package usage
