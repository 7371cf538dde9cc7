// Package sheets imports records from sheets and exports them to sheets. It makes the imports,
// the export and the template of a resource from one list of columns declared beside it.
//
//	of := sheets.Of(points, "points.import", []sheets.Column[*point]{
//		{Field: "name", English: "Name", Russian: "Название", Example: "Airport", Value: func(p *point) string { return p.Name }},
//		sheets.ID[*point](),
//	})
//	operations = append(operations, of.Operations(env)...)
//
// A column is the same in a template, an import and an export, so that an exported sheet can
// be imported. Custom fields become columns by themselves. An import takes the rows of a file,
// or of JSON, and applies each with the resource's own Apply. It can show what would happen (a
// dry run), reports what is wrong with each row and each cell, and makes all records or none.
// Its rows are bodies of a create, or have a form that the group declares (Import).
//
// What never goes in here: the file formats (shared/sheet), how many records are made at once
// (shared/record, shared/record/bulk), and the meaning of the columns of any one kind.
package sheets
