package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/tenantry/tenantry/infra/command"
)

// deployed returns the release that was deployed last. The name of a release begins with its minute, so the greatest name
// is the latest.
func deployed(all []function) string {
	return slices.MaxFunc(all, func(a, b function) int { return cmp.Compare(a.latest.release, b.latest.release) }).latest.release
}

// releases returns those that there are versions of, each with the functions that have none, by name, the oldest first.
func releases(all []function) (names []string, without map[string][]string) {
	without = map[string][]string{}
	for _, f := range all {
		for _, v := range f.versions {
			if v.release != "" {
				without[v.release] = nil
			}
		}
	}
	for name := range without {
		for _, f := range all {
			if _, has := f.of(name); !has {
				without[name] = append(without[name], f.id)
			}
		}
	}
	return slices.Sorted(maps.Keys(without)), without
}

// drift says what isn't as one deployment leaves it.
func drift(all []function) (found []string) {
	last, standing := deployed(all), map[string][]string{}
	for _, f := range all {
		add := func(format string, values ...any) { found = append(found, f.id+": "+fmt.Sprintf(format, values...)) }
		switch v, has := f.of(last); {
		case f.latest.release != last:
			add("was deployed last as %s, and others as %s", named(f.latest.release), named(last))
		case !has:
			add("has no version of %s, which was deployed last", named(last))
		case v.code != f.latest.code:
			add("has other code than its version of %s: it was deployed without a release, and nobody calls it", named(last))
		case len(differing(v, f.latest)) > 0:
			add("is set otherwise than its version of %s, in %s: it was changed by other means, and nobody calls it",
				named(last), few(differing(v, f.latest)))
		}
		if f.shared {
			add("its alias gives some of the calls to another version")
		}
		is := f.live()
		switch own, _ := f.of(is.release); {
		case f.at == "":
			add("has no alias %s", live)
			continue
		case is.number == "": // of no release, then
			add("is at version %s, which is gone", f.at)
			continue
		case own.number != f.at:
			add("is at version %s, and version %s is the last of %s%s", f.at, own.number, named(own.release), otherwise(is, own))
		}
		standing[is.release] = append(standing[is.release], f.id)
	}
	if len(standing) > 1 {
		for _, name := range slices.Sorted(maps.Keys(standing)) {
			ids := standing[name]
			found = append(found, fmt.Sprintf("%d of %d functions are at %s: %s", len(ids), len(all), named(name), few(ids)))
		}
	}
	return found
}

// otherwise says in what two versions of one release differ.
func otherwise(a, b version) string {
	names := differing(a, b)
	if a.code != b.code {
		names = append([]string{"code"}, names...)
	}
	if len(names) == 0 {
		return ""
	}
	return ", which differs in " + few(names)
}

// named is what a release is called where it has no name: it was published by other means.
func named(release string) string { return cmp.Or(release, "a version without a release") }

// few are some of many names.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// tell says where everything stands.
func tell(say *printer, all []function) error {
	names, without := releases(all)
	for _, name := range names {
		at := 0
		for _, f := range all {
			if f.live().release == name {
				at++
			}
		}
		say.line("%s: %d functions have it, %d are at it", name, len(all)-len(without[name]), at)
	}
	say.line("%s was deployed last", named(deployed(all)))
	found := drift(all)
	for _, line := range found {
		say.line("%s", line)
	}
	if len(found) > 0 {
		return command.ErrFound
	}
	say.line("all %d functions are at %s", len(all), all[0].live().release)
	return nil
}

// target returns the release to go to: the one that is named, or else the last that all have before the one that was deployed last. That
// doesn't depend on where the aliases are, so the same command ends in the same place however often it is run.
func target(all []function, named string) (string, error) {
	names, without := releases(all)
	if named != "" {
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, named) })
		switch i := slices.Index(found, named); {
		case i >= 0:
			return named, nil
		case len(found) != 1:
			return "", fmt.Errorf("%d releases begin with %q; there are %s", len(found), named, strings.Join(names, ", "))
		}
		return found[0], nil
	}
	last, before := deployed(all), ""
	for _, name := range slices.Backward(names) {
		if name >= last {
			continue
		}
		if len(without[name]) == 0 {
			return name, nil
		}
		before = cmp.Or(before, name)
	}
	if before == "" {
		return "", fmt.Errorf("there is no release before %s, which was deployed last", cmp.Or(last, "this one"))
	}
	return "", fmt.Errorf("no release before %s is one of all functions: of %s there is none of %s; if that release had none of them, "+
		"name it by -release and them by -keep", last, before, few(without[before]))
}

// move is where the alias of a function goes.
type move struct {
	function

	to version
}

// plan returns the moves to a release. It refuses if any function can't follow.
func plan(all []function, release string, keep []string) (moves []move, err error) {
	var missing, aliasless []string
	for _, f := range all {
		v, has := f.of(release)
		switch {
		case slices.Contains(keep, f.id):
			if has {
				return nil, fmt.Errorf("%s has a version of %s, and would stay behind: don't keep it", f.id, release)
			}
		case !has:
			missing = append(missing, f.id)
		case f.at == "":
			aliasless = append(aliasless, f.id)
		case f.at != v.number || f.shared:
			moves = append(moves, move{f, v})
		}
	}
	for _, name := range keep {
		if !slices.ContainsFunc(all, func(f function) bool { return f.id == name }) {
			return nil, fmt.Errorf("the stack has no function %s to keep", name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("nothing was moved: there is no version of %s of %s; if that release had none of them, name them by -keep",
			release, few(missing))
	}
	if len(aliasless) > 0 {
		return nil, fmt.Errorf("nothing was moved: there is no alias %s of %s; deploy a release first", live, few(aliasless))
	}
	return moves, nil
}

func back(ctx context.Context, to api, all []function, o options, say *printer, ask func() error) error {
	release, err := target(all, o.release)
	if err != nil {
		return err
	}
	moves, err := plan(all, release, o.keep)
	if err != nil {
		return err
	}
	for _, line := range drift(all) {
		say.line("%s", line)
	}
	if len(moves) == 0 {
		say.line("All functions are at %s already. Name another by -release.", release)
		return nil
	}
	say.line("%d of %d functions of %s go to %s; %s was deployed last.", len(moves), len(all), o.stage.Stack, release, named(deployed(all)))
	if err := ask(); err != nil {
		return err
	}
	for i, m := range moves {
		// By the revision that was read, so that what somebody else has moved meanwhile is not moved again.
		_, err := to.lambdas.UpdateAlias(ctx, &lambda.UpdateAliasInput{
			FunctionName: &m.name, Name: new(live), FunctionVersion: &m.to.number, RevisionId: &m.revision,
			RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}},
		})
		if err != nil {
			return fmt.Errorf("%d of %d were moved, and not %s; run it again to go on: %w", i, len(moves), m.id, err)
		}
		say.line("%s: version %s", m.id, m.to.number)
	}
	say.line("All functions are at %s. The next deployment moves them on.", release)
	return nil
}

// kept is how many versions of a function -prune leaves, besides those that an alias has.
const kept = 5

func prune(ctx context.Context, to api, all []function, say *printer, ask func() error) error {
	old := map[string][]version{}
	count := 0
	for _, f := range all {
		for _, v := range f.versions[:max(0, len(f.versions)-kept)] {
			if !slices.Contains(f.aliased, v.number) {
				old[f.name] = append(old[f.name], v)
				count++
			}
		}
	}
	say.line("%d versions of %d functions are older than the last %d of theirs.", count, len(old), kept)
	if count == 0 {
		return nil
	}
	if err := ask(); err != nil {
		return err
	}
	done := 0
	for _, name := range slices.Sorted(maps.Keys(old)) {
		for _, v := range old[name] {
			_, err := to.lambdas.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: &name, Qualifier: &v.number})
			if err != nil {
				return fmt.Errorf("%d of %d were deleted, and not %s:%s; run it again to go on: %w", done, count, name, v.number, err)
			}
			done++
		}
	}
	say.line("%d versions were deleted.", done)
	return nil
}
