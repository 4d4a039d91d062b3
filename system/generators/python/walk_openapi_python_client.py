"""Asks for a key by the client of openapi-python-client, and reads the key request back."""

import os

from keydesk_client import AuthenticatedClient
from keydesk_client.api.key_requests import create_key_request, get_key_request
from keydesk_client.models import KeyRequestInput

client = AuthenticatedClient(os.environ["DESK_URL"], os.environ["DESK_CREDENTIAL"])
body = KeyRequestInput(by_user="dev-ada", for_plan="plan-weather")
created = create_key_request.sync(client=client, body=body)
read = get_key_request.sync(created.message, client=client)
absent = get_key_request.sync_detailed("absent", client=client)
print(read.by_user, read.for_plan, absent.status_code.value)
