// Command pocketbase serves records by PocketBase: those that it reads from its input, as a JSON array.
// The records are one company's. The collection "clients" shows a caller who is signed in those of his company, by a rule; "open" has
// the same records, and shows them to everybody. It prints the token of such a caller in a line when it begins to listen, and
// serves until it is stopped.
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

const company = "1"

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
	token, err := employ(app)
	if err == nil {
		err = fill(app)
	}
	if err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.InstallerFunc = nil // it would open a browser
		fmt.Println(token)
		return e.Next()
	})
	err = apis.Serve(app, apis.ServeConfig{HttpAddr: args[0]})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// employ makes a user of the company, and returns a token of his.
func employ(app core.App) (token string, err error) {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return "", err
	}
	users.Fields.Add(&core.TextField{Name: "company"})
	if err := app.Save(users); err != nil {
		return "", err
	}
	one := core.NewRecord(users)
	one.SetEmail("employee@example.com")
	one.SetRandomPassword()
	one.Set("company", company)
	if err := app.Save(one); err != nil {
		return "", err
	}
	return one.NewAuthToken()
}

// fill makes the two collections.
func fill(app core.App) error {
	var rows []map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		return err
	}
	if err := collect(app, "clients", "company = @request.auth.company", "company, ", rows); err != nil {
		return err
	}
	if err := collect(app, "open", "", "", rows); err != nil {
		return err
	}
	_, err := app.DB().NewQuery("ANALYZE").Execute() // so that SQLite chooses among the indexes by what is in them
	return err
}

// collect makes a collection, with an index for each field that is ordered by or compared. before is what each index begins with.
func collect(app core.App, name, rule, before string, rows []map[string]any) error {
	c := core.NewBaseCollection(name)
	c.ListRule = &rule
	c.Fields.Add(&core.TextField{Name: "company"})
	for _, field := range []string{"name", "phone", "iin", "state"} {
		c.Fields.Add(&core.TextField{Name: field})
		c.AddIndex(name+"_of_"+field, false, before+field, "")
	}
	if err := app.Save(c); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error {
		for _, row := range rows {
			r := core.NewRecord(c)
			r.Load(row)
			r.Set("company", company)
			if err := tx.SaveNoValidate(r); err != nil {
				return err
			}
		}
		return nil
	})
}
