"""How Schemathesis sends bodies of types that it does not know: as they are."""

import schemathesis


@schemathesis.serializer(
    "application/x-pem-file",
    "application/x-pkcs12",
    "application/jsonl",
)
def as_it_is(context, value):
    return value.encode() if isinstance(value, str) else value
