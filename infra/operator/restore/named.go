package restore

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// fileAt is where an item names a file: a map, or a list of maps, with the file's uuid and version.
type fileAt struct {
	name        string
	list        bool
	id, version string
}

// filesOf is where an item of a partition names files.
func filesOf(p keyspace.Partition, item table.Attributes) []fileAt {
	image := func(name string) []fileAt { return []fileAt{{name, false, "i", "v"}} }
	switch p.Name {
	case "company":
		return image("l")
	case "live", "gone":
	default:
		return nil
	}
	switch kinds.Code(estate.KindOf(item.Text("pk"))) {
	case kinds.Client:
		return image("av")
	case kinds.InventoryGroup, kinds.Inventory:
		return image("ig")
	case kinds.Service:
		return image("i")
	case kinds.Template:
		return []fileAt{{"tx", false, "o", "e"}}
	case kinds.Document:
		return []fileAt{{"h", false, "o", "e"}, {"k", false, "o", "e"}, {"p", false, "o", "e"}, {"f", true, "o", "e"}}
	}
	return nil
}

// rename gives files in an item the versions of their copies.
func (f fileAt) rename(item table.Attributes, versions map[string]string) {
	change := func(file table.Attributes) {
		if version, is := versions[file.Text(f.version)]; is {
			file.SetText(f.version, version)
		}
	}
	if f.list {
		inside(item, f.name, change)
	} else if file := item.Map(f.name); file != nil {
		file = clone(file)
		change(file)
		item.SetMap(f.name, file)
	}
}

// Named is a version of a file that an item names.
type Named struct{ Name, Version string }

// Files are the versions of files that an item of a company names.
func Files(p keyspace.Partition, item table.Attributes) (list []Named, err error) {
	for _, f := range filesOf(p, item) {
		files := item.List(f.name)
		if file := item.Map(f.name); file != nil {
			files = []table.Attributes{file}
		}
		for _, file := range files {
			named := Named{file.Text(f.id), file.Text(f.version)}
			if id := file.Bytes(f.id); id != nil {
				is, err := uuid.FromBytes(id)
				if err != nil {
					return nil, fmt.Errorf("%s %s: %s: %w", item.Text("pk"), item.Text("sk"), f.name, err)
				}
				named.Name = is.String()
			}
			if named.Version != "" { // an image of elsewhere has none
				list = append(list, named)
			}
		}
	}
	return list, nil
}
