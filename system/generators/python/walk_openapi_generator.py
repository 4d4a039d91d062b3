"""Asks for a key by the client of openapi-generator for Python, and reads the key request back."""

import os

import openapi_client as desk

configuration = desk.Configuration(
    host=os.environ["DESK_URL"],
    api_key={"credential": os.environ["DESK_CREDENTIAL"]},
)
with desk.ApiClient(configuration) as client:
    requests = desk.KeyRequestsApi(client)
    body = desk.KeyRequestInput(by_user="dev-ada", for_plan="plan-weather")
    created = requests.create_key_request(body)
    read = requests.get_key_request(created.message)
    try:
        requests.get_key_request("absent")
        status = 200
    except desk.ApiException as refused:
        status = refused.status
    print(read.by_user, read.for_plan, status)
