// Asks for a key by the client of oapi-codegen, approves the key request and has the key verified.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	desk "keydesk.test/generators/oapicodegen"
)

func main() {
	client, err := desk.NewClientWithResponses(os.Getenv("DESK_URL"), desk.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("authorization", os.Getenv("DESK_CREDENTIAL"))
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	developer, plan := "dev-ada", os.Getenv("DESK_PLAN")
	body := desk.KeyRequestInput{ByUser: &developer, ForPlan: &plan}
	created, err := client.CreateClassicKeyRequestWithResponse(context.Background(), nil, body)
	if err != nil || created.JSON200 == nil {
		log.Fatal(err, created)
	}
	read, err := client.GetClassicKeyRequestWithResponse(context.Background(), created.JSON200.Message)
	if err != nil || read.JSON200 == nil {
		log.Fatal(err, read)
	}
	approved, err := client.ApproveClassicKeyRequestWithResponse(
		context.Background(), created.JSON200.Message, nil, nil)
	if err != nil || approved.JSON200 == nil {
		log.Fatal(err, approved)
	}
	question := desk.CredentialQuestion{Key: &approved.JSON200.RawKey}
	verdict, err := client.VerifyKeyWithResponse(context.Background(), nil, question)
	if err != nil || verdict.JSON200 == nil {
		log.Fatal(err, verdict)
	}
	verified, err := verdict.JSON200.AsAcceptedCredential()
	if err != nil {
		log.Fatal(err)
	}
	absent, err := client.GetClassicKeyRequestWithResponse(context.Background(), "absent")
	if err != nil || absent.JSON404 == nil {
		log.Fatal(err, absent)
	}
	fmt.Println(read.JSON200.ByUser, read.JSON200.ForPlan, verified.Valid, absent.StatusCode())
}
