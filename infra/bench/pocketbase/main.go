// Command pocketbase serves records by PocketBase: those that it reads from its input, as a JSON array.
// It prints a line when it begins to listen, and serves until it is stopped.
//
//	go run -C infra/bench/pocketbase . 127.0.0.1:8090 DIR <records.json
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

const collection = "clients"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "pocketbase: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("expected an address and a folder")
	}
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: args[1], HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := fill(app); err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.InstallerFunc = nil // it would open a browser
		fmt.Println("ready")
		return e.Next()
	})
	err := apis.Serve(app, apis.ServeConfig{HttpAddr: args[0]})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// fill makes the collection, which everybody may list, with an index for each field that is ordered by or compared.
func fill(app core.App) error {
	var rows []map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		return err
	}
	c, everybody := core.NewBaseCollection(collection), ""
	c.ListRule = &everybody
	for _, name := range []string{"name", "phone", "iin", "state"} {
		c.Fields.Add(&core.TextField{Name: name})
		c.AddIndex("of_"+name, false, name, "")
	}
	c.Fields.Add(&core.NumberField{Name: "sum"})
	c.AddIndex("of_sum", false, "sum", "")
	if err := app.Save(c); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error {
		for _, row := range rows {
			r := core.NewRecord(c)
			r.Load(row)
			if err := tx.SaveNoValidate(r); err != nil {
				return err
			}
		}
		return nil
	})
}
