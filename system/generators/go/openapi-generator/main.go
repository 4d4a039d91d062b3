// Asks for a key by the client of openapi-generator for Go, approves the key request and has the
// key verified.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	desk "keydesk.test/generators/openapigenerator"
)

func main() {
	configuration := desk.NewConfiguration()
	configuration.Servers = desk.ServerConfigurations{{URL: os.Getenv("DESK_URL")}}
	client := desk.NewAPIClient(configuration)
	keys := map[string]desk.APIKey{"credential": {Key: os.Getenv("DESK_CREDENTIAL")}}
	ctx := context.WithValue(context.Background(), desk.ContextAPIKeys, keys)

	body := desk.NewKeyRequestInput()
	body.SetByUser("dev-ada")
	body.SetForPlan(os.Getenv("DESK_PLAN"))
	created, _, err := client.KeyRequestsClassicAPI.CreateClassicKeyRequest(ctx).KeyRequestInput(*body).Execute()
	if err != nil {
		log.Fatal(err)
	}
	read, _, err := client.KeyRequestsClassicAPI.GetClassicKeyRequest(ctx, created.GetMessage()).Execute()
	if err != nil {
		log.Fatal(err)
	}
	approved, _, err := client.KeyRequestsClassicAPI.ApproveClassicKeyRequest(ctx, created.GetMessage()).Execute()
	if err != nil {
		log.Fatal(err)
	}
	question := desk.NewCredentialQuestion()
	question.SetKey(approved.GetRawKey())
	verdict, _, err := client.VerificationAPI.VerifyKey(ctx).CredentialQuestion(*question).Execute()
	if err != nil {
		log.Fatal(err)
	}
	isValid := verdict.AcceptedCredential != nil
	_, absent, err := client.KeyRequestsClassicAPI.GetClassicKeyRequest(ctx, "absent").Execute()
	if err == nil {
		log.Fatal("an absent key request was read")
	}
	fmt.Println(read.GetByUser(), read.GetForPlan(), isValid, absent.StatusCode)
}
