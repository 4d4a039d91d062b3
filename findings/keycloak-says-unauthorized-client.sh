#!/bin/sh
# Keycloak answers a wrong client secret with 401 unauthorized_client, not invalid_client.
#
# Versions: Keycloak 26.5.5 (Maven Central, org.keycloak:keycloak-quarkus-dist), run 2026-11-29.
# Behaviour: RFC 6749, 5.2 has `invalid_client` where client authentication failed, and
# `unauthorized_client` where an authenticated client may not use a grant. Keycloak's token endpoint
# has `unauthorized_client` for a secret that is wrong, and for a client that it does not know.
# Whoever reads the word by the RFC looks for a grant that is switched off; the cause is the secret.
# A client tells the two apart by the status: 401 is a wrong secret.
# Output seen:
#   401 {"error":"unauthorized_client","error_description":"Invalid client or Invalid client credentials"}
# Source: RFC 6749, section 5.2. It needs Java 17, Maven and unzip, and fetches 160 MB.
set -eu
folder=$(mktemp -d)
pid=
trap 'test -z "$pid" || kill "$pid"; rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact=org.keycloak:keycloak-quarkus-dist:26.5.5:zip -DoutputDirectory="$folder"
unzip -q keycloak-quarkus-dist-26.5.5.zip
cd keycloak-26.5.5
mkdir -p data/import
cat >data/import/realm.json <<'J'
{"realm":"one","enabled":true,"sslRequired":"none",
 "clients":[{"clientId":"desk","secret":"right","redirectUris":["http://localhost/"]}]}
J
port=18080
sh bin/kc.sh build --db=dev-file >/dev/null
# `exec`, so that what is ended is Java.
(exec sh bin/kc.sh start --optimized --import-realm --http-enabled=true \
  --http-host=127.0.0.1 --http-port=$port --hostname-strict=false >../log 2>&1) &
pid=$!
at=http://127.0.0.1:$port/realms/one
until curl -sf "$at" >/dev/null; do
  kill -0 "$pid" || { cat ../log; exit 1; }
  sleep 2
done
curl -s -u desk:wrong -d grant_type=authorization_code -d code=none \
  -d redirect_uri=http://localhost/ -w '%{http_code} ' -o ../body \
  "$at/protocol/openid-connect/token" >../seen
cat ../body >>../seen
cat ../seen
grep -q '^401 {"error":"unauthorized_client"' ../seen
