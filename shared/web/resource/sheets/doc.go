// Package sheets is how records come from sheets and go to them: the imports, the
// export and the template of a resource, out of one list of columns beside it.
//
//	of := sheets.Of(points, "points.import", []sheets.Column[point]{
//		{Field: "name", English: "Name", Russian: "Название", Example: "Airport", Value: func(p *point) string { return p.Name }},
//		sheets.ID[point](),
//	})
//	operations = append(operations, of.Operations(env)...)
//
// A column is the same in a template, an import and an export, so that what was
// exported can be imported. Custom fields are columns by themselves. An import takes
// the rows of a file, or of JSON, by the resource's own Apply; it shows what would
// happen (a dry run), tells what is wrong with each row and each cell, and makes all
// records or none. Its rows are bodies of a create, or a form of the group's own
// (Import).
//
// What never goes in here: what a file looks like inside (shared/sheet), how many
// records are made at once (shared/record, shared/record/bulk), and what the columns
// of any one kind mean.
package sheets
