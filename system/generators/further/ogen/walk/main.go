// Asks for a key by the client of ogen, changes the key request by UPDATE, approves it and has the
// key verified.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	desk "keydesk.test/ogen/desk"
)

// token is what every operation is called with; the rest of the interface it embeds is never asked.
type token struct{ desk.SecuritySource }

func (token) Credential(context.Context, desk.OperationName) (desk.Credential, error) {
	return desk.Credential{APIKey: os.Getenv("DESK_CREDENTIAL")}, nil
}

func (token) SessionCookie(context.Context, desk.OperationName) (desk.SessionCookie, error) {
	return desk.SessionCookie{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	client, err := desk.NewClient(os.Getenv("DESK_URL"), token{})
	if err != nil {
		log.Fatal(err)
	}
	body := desk.KeyRequestInput{
		ByUser:  desk.NewOptString("dev-ada"),
		ForPlan: desk.NewOptString(os.Getenv("DESK_PLAN")),
	}
	answer, err := client.CreateClassicKeyRequest(ctx, &body, desk.CreateClassicKeyRequestParams{})
	created, ok := answer.(*desk.EnvelopeHeaders)
	if !ok {
		log.Fatalf("%T %v", answer, err)
	}
	id := created.Response.Message
	body.Version = desk.NewOptString("v2")
	changed, err := client.UpdateKeyRequest(ctx, &body, desk.UpdateKeyRequestParams{ID: id})
	if _, ok := changed.(*desk.EnvelopeHeaders); !ok {
		log.Fatalf("%T %v", changed, err)
	}
	found, err := client.GetClassicKeyRequest(ctx, desk.GetClassicKeyRequestParams{ID: id})
	read, ok := found.(*desk.KeyRequestHeaders)
	if !ok || read.Response.Version != "v2" {
		log.Fatalf("%T %v", found, err)
	}
	decided, err := client.ApproveClassicKeyRequest(ctx, nil, desk.ApproveClassicKeyRequestParams{ID: id})
	approved, ok := decided.(*desk.ApproveClassicKeyRequestOKHeaders)
	if !ok {
		log.Fatalf("%T %v", decided, err)
	}
	question := desk.CredentialQuestion{Key: desk.NewOptString(approved.Response.RawKey)}
	verdict, err := client.VerifyKey(ctx, &question, desk.VerifyKeyParams{})
	verified, ok := verdict.(*desk.VerifyKeyOKHeaders)
	if !ok {
		log.Fatalf("%T %v", verdict, err)
	}
	isValid := verified.Response.IsAcceptedCredential()
	absent, err := client.GetClassicKeyRequest(ctx, desk.GetClassicKeyRequestParams{ID: "absent"})
	status := 200
	if _, ok := absent.(*desk.EnvelopeNotFoundHeaders); ok {
		status = 404
	}
	fmt.Println(read.Response.ByUser, read.Response.ForPlan, isValid, status)
}
