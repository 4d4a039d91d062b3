"""Asks for a key by the client of openapi-python-client, and reads the key request back; then uploads a PEM text."""

import io
import json
import os

from keydesk_client import AuthenticatedClient
from keydesk_client.api.certificates import list_certificates, upload_certificate
from keydesk_client.api.key_requests import create_key_request, get_key_request
from keydesk_client.models import KeyRequestInput
from keydesk_client.types import File

client = AuthenticatedClient(os.environ["DESK_URL"], os.environ["DESK_CREDENTIAL"])
body = KeyRequestInput(by_user="dev-ada", for_plan="plan-weather")
created = create_key_request.sync(client=client, body=body)
read = get_key_request.sync(created.message, client=client)
absent = get_key_request.sync_detailed("absent", client=client)
print(read.by_user, read.for_plan, absent.status_code.value)
with open(os.environ["DESK_DOCUMENT"], encoding="utf-8") as file:
    upload = json.load(file)["paths"]["/api/certs"]["post"]["requestBody"]["content"]
pem = upload["application/x-pem-file"]["example"]
uploaded = upload_certificate.sync(client=client, body=File(io.BytesIO(pem.encode())))
assert uploaded.status == "ok", uploaded
assert list_certificates.sync(client=client).certs == [uploaded.id]
