"""Asks for a key by the client of openapi-python-client, approves the key request, has the key verified, and uploads a PEM text."""

import io
import json
import os

from keydesk_client import AuthenticatedClient
from keydesk_client.api.certificates_classic import list_classic_certificates, upload_certificate
from keydesk_client.api.key_requests_classic import approve_classic_key_request, create_classic_key_request, get_classic_key_request
from keydesk_client.api.verification import verify_key
from keydesk_client.models import CredentialQuestion, KeyRequestInput
from keydesk_client.types import File

client = AuthenticatedClient(os.environ["DESK_URL"], os.environ["DESK_CREDENTIAL"])
body = KeyRequestInput(by_user="dev-ada", for_plan=os.environ["DESK_PLAN"])
created = create_classic_key_request.sync(client=client, body=body)
read = get_classic_key_request.sync(created.message, client=client)
approved = approve_classic_key_request.sync(created.message, client=client)
question = CredentialQuestion(key=approved.raw_key)
verdict = verify_key.sync(client=client, body=question)
absent = get_classic_key_request.sync_detailed("absent", client=client)
print(read.by_user, read.for_plan, str(verdict.valid).lower(), absent.status_code.value)
with open(os.environ["DESK_DOCUMENT"], encoding="utf-8") as file:
    upload = json.load(file)["paths"]["/api/certs"]["post"]["requestBody"]["content"]
pem = upload["application/x-pem-file"]["example"]
uploaded = upload_certificate.sync(client=client, body=File(io.BytesIO(pem.encode())))
assert uploaded.status == "ok", uploaded
assert list_classic_certificates.sync(client=client).certs == [uploaded.id]
