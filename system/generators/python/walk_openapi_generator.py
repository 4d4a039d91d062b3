"""Asks for a key by the client of openapi-generator for Python, approves the key request and has the key verified."""

import os

import openapi_client as desk

configuration = desk.Configuration(
    host=os.environ["DESK_URL"],
    api_key={"credential": os.environ["DESK_CREDENTIAL"]},
)
with desk.ApiClient(configuration) as client:
    requests = desk.KeyRequestsClassicApi(client)
    body = desk.KeyRequestInput(by_user="dev-ada", for_plan=os.environ["DESK_PLAN"])
    created = requests.create_classic_key_request(body)
    read = requests.get_classic_key_request(created.message)
    approved = requests.approve_classic_key_request(created.message)
    question = desk.CredentialQuestion(key=approved.raw_key)
    verdict = desk.VerificationApi(client).verify_key(question).actual_instance
    try:
        requests.get_classic_key_request("absent")
        status = 200
    except desk.ApiException as refused:
        status = refused.status
    print(read.by_user, read.for_plan, str(verdict.valid).lower(), status)
