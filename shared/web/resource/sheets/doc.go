// Package sheets imports records from sheets and exports them to sheets. It makes the imports,
// the export and the template of a resource from one list of columns declared beside it.
//
//	of := sheets.Of(points, "points.import", []sheets.Column[*point]{
//		{Field: "name", Title: say.ColumnItemName, Example: "Airport", Value: func(p *point) string { return p.Name }},
//		sheets.ID[*point](),
//	})
//	operations = append(operations, of.Operations(env)...)
//
// Titles, choices and examples are messages, so that a sheet is in the language of who asks for it, and is read in each.
// A column is the same in a template, an import and an export, so that an exported sheet can
// be imported. Custom fields become columns by themselves. An import takes the rows of a file,
// or of JSON, and applies each with the resource's own Apply. It can show what would happen (a
// dry run), reports what is wrong with each row and each cell, and makes all records or none.
// Its rows are bodies of a create, or have a form that the group declares (Import).
//
// What never goes in here: the file formats (shared/sheet), how many records are made at once
// (shared/record, shared/record/bulk), and the meaning of the columns of any one kind.
package sheets
