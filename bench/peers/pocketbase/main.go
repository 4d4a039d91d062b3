// PocketBase as it comes, with one command more, `fill`: a collection of key requests with what lists need as indexes,
// a number of rows in it, and a token for programs. PEER_SYNCHRONOUS (NORMAL, as PocketBase sets it, or FULL) says
// when SQLite flushes.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

const (
	chunk   = 2000
	years   = 2 * 365 * 24 * time.Hour
	mayCall = `@request.auth.id != ""`
)

var texts = []string{"key", "org_id", "for_api", "for_plan", "by_user", "version", "jwt_secret", "certificate"}

var documents = []string{
	"apply_policies", "remove_policies", "fields", "portal_developer", "catalogue_entry", "catalogues",
}

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{HideStartBanner: true, DBConnect: connect})
	var rows int
	var body, ids, token string
	fill := &cobra.Command{Use: "fill", RunE: func(*cobra.Command, []string) error {
		return fillStore(app, rows, body, ids, token)
	}}
	fill.Flags().IntVar(&rows, "rows", 1000, "how many key requests")
	fill.Flags().StringVar(&body, "body", "", "a file with a key request")
	fill.Flags().StringVar(&ids, "ids", "", "a file for the ids")
	fill.Flags().StringVar(&token, "token", "", "a file for the token")
	app.RootCmd.AddCommand(fill)
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// The connection that PocketBase makes by itself, flushing as told.
func connect(path string) (*dbx.DB, error) {
	db, err := core.DefaultDBConnect(path)
	if err != nil || os.Getenv("PEER_SYNCHRONOUS") != "FULL" {
		return db, err
	}
	db.Close()
	pragmas := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"
	return dbx.Open("sqlite", path+pragmas)
}

func fillStore(app core.App, rows int, bodyFile, idsFile, tokenFile string) error {
	text, err := os.ReadFile(bodyFile)
	if err != nil {
		return err
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		return err
	}
	collection, err := collect(app)
	if err != nil {
		return err
	}
	if err := makeToken(app, tokenFile); err != nil {
		return err
	}
	ids := make([]string, 0, rows)
	began := time.Now().Add(-years)
	for from := 0; from < rows; from += chunk {
		err := app.RunInTransaction(func(tx core.App) error {
			for n := from; n < min(rows, from+chunk); n++ {
				record := core.NewRecord(collection)
				record.Load(body)
				developer := fmt.Sprintf("developer-%d", n/20)
				plan := fmt.Sprintf("plan-%d", n%6)
				record.Set("by_user", developer)
				record.Set("for_plan", plan)
				record.Set("apply_policies", []string{plan})
				sent, _ := types.ParseDateTime(began.Add(years / time.Duration(rows) * time.Duration(n)))
				record.SetRaw("date_created", sent)
				if err := tx.SaveNoValidate(record); err != nil {
					return err
				}
				ids = append(ids, record.Id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return os.WriteFile(idsFile, []byte(strings.Join(ids, "\n")+"\n"), 0o600)
}

func collect(app core.App) (*core.Collection, error) {
	collection := core.NewBaseCollection("key_requests")
	rule := mayCall
	collection.ListRule, collection.ViewRule, collection.CreateRule = &rule, &rule, &rule
	for _, name := range texts {
		collection.Fields.Add(&core.TextField{Name: name})
	}
	for _, name := range documents {
		collection.Fields.Add(&core.JSONField{Name: name})
	}
	collection.Fields.Add(&core.BoolField{Name: "approved"})
	collection.Fields.Add(&core.AutodateField{Name: "date_created", OnCreate: true})
	collection.AddIndex("key_requests_date", false, "date_created, id", "")
	collection.AddIndex("key_requests_state", false, "approved, date_created, id", "")
	collection.AddIndex("key_requests_developer", false, "by_user, date_created, id", "")
	collection.AddIndex("key_requests_plan", false, "for_plan, date_created, id", "")
	return collection, app.Save(collection)
}

// A record of an auth collection, and a token of it: how programs call PocketBase without being administrators.
func makeToken(app core.App, file string) error {
	programs := core.NewAuthCollection("programs")
	if err := app.Save(programs); err != nil {
		return err
	}
	program := core.NewRecord(programs)
	program.SetEmail("portal@example.org")
	program.SetRandomPassword()
	if err := app.Save(program); err != nil {
		return err
	}
	token, err := program.NewStaticAuthToken(24 * time.Hour)
	if err != nil {
		return err
	}
	superusers, err := app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return err
	}
	// Without one, `serve` would offer to make it in a browser.
	superuser := core.NewRecord(superusers)
	superuser.SetEmail("admin@example.org")
	superuser.SetRandomPassword()
	if err := app.Save(superuser); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(token), 0o600)
}
