#!/bin/sh
# Keeps the map of a proxy on another machine than Keydesk's: a gateway with connection `map` and the socket `fetched`. It
# asks any node, by default each second; a map that has not changed is not sent again. The new file is on the disk before it
# replaces the old one; the gateway is reloaded after that. While Keydesk is unavailable the last map stays.
# Needs curl 7.84 or newer.
#
# From the environment; see docs/provisioning.md:
#   DESK                where Keydesk listens, e.g. https://desk.example.org
#   DESK_CREDENTIAL     an access token with the permission `gateways:map`, of this proxy alone: by its fetches Keydesk knows that
#                       a revoked key is denied here
#   GATEWAY_ID       the gateway's id
#   MAP_FILE            the file that HAProxy reads; its folder is written to by this program alone
#   RELOAD              the command that reloads the gateway, e.g. systemctl reload haproxy
#   EVERY               seconds between two looks, by default 1; 0: one look, and its status
set -u
umask 022
new="$MAP_FILE.new"
tag="$MAP_FILE.tag"

# The fetched file replaces the other one; its tag is kept once the gateway was reloaded.
take() {
  sync "$new" && mv -f "$new" "$MAP_FILE" && sync "$(dirname "$MAP_FILE")" &&
    sh -c "$RELOAD" && mv -f "$tag.new" "$tag"
}

look() {
  [ -e "$MAP_FILE" ] && [ -e "$tag" ] || : >"$tag"
  said=$(
    printf 'header = "Authorization: Bearer %s"\n' "$DESK_CREDENTIAL" |
      curl --silent --show-error --config - --connect-timeout 5 --max-time 60 \
        --etag-compare "$tag" --etag-save "$tag.new" --output "$new" \
        --write-out '%{http_code} %header{x-keydesk-error}' "$DESK/v1/gateways/$GATEWAY_ID/map"
  ) || return 1
  case $said in
    "304 "*) return 0 ;;
    "200 "*) take ;;
    "404 not_found")
      # The gateway was removed: with an old map its keys would stay valid. With an empty one Keydesk is asked about each.
      [ -e "$MAP_FILE" ] && [ ! -s "$MAP_FILE" ] && return 1
      : >"$new" && : >"$tag.new" && take
      echo "there is no such gateway any more: the map is empty" >&2
      return 1
      ;;
    *)
      echo "Keydesk answers $said: the map stays" >&2
      return 1
      ;;
  esac
}

every=${EVERY:-1}
if [ "$every" = 0 ]; then
  look
  exit
fi
while :; do
  look
  sleep "$every"
done
