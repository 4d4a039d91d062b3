import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { findPosition } from "../../../changes/invalidations.store.ts";
import { operation } from "../../../http/operation.ts";
import { ifNoneMatchHas } from "../../../http/routes.ts";
import { Answer, type Pieces } from "../../../kernel/answer.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { GatewayRow } from "../gateway.ts";
import { findGateway } from "../gateways.store.ts";
import { newKeysOf } from "../new-keys.store.ts";
import { provisionedOfState } from "../provisioned-keys.store.ts";
import { configOf } from "./agentgateway-config.ts";
import { MARK } from "./map-file.ts";
import { findMapReader } from "./map-readers.store.ts";
import { mapOf, type MapSettings } from "./map-settings.ts";
import { noteMapReader } from "./note-map-reader.transactions.ts";
import { presentMap } from "./present-map.ts";

/** The map as its proxy reads it. */
export const fetchMap = operation({
  id: "fetchGatewayMap",
  method: "GET",
  path: "/v1/gateways/{id}/map",
  tag: "Gateways",
  summary: "Fetch the map of a gateway of kind `hashes`, in the gateway's form",
  description:
    "Made of the present decisions, equal at every node: a revoked key is in no answer that begins afterwards, whether the gateway is paused or not. `haproxy`: the lines of its map, behind one with the mark. `agentgateway`: the entries alone, for a configuration of yours. It holds hashes, and no key. Fetched each second with `If-None-Match`, an unchanged map is 304 and costs next to nothing. See docs/provisioning.md.",
  permission: ["gateways:map"],
  headers: { "if-none-match": { description: "The `ETag` of the map that the proxy has." } },
  answerHeaders: { etag: "Another one for each state of the map; absent while very much changes." },
  refusals: { 304: "The proxy has this map already." },
  refusalHeaders: { etag: "The tag of what the proxy has." },
  response: z.string(),
  contentTypes: { response: ["text/plain", "application/yaml"] },
  errors: ["not_found"],
  async serve(ctx, { params, headers }) {
    const had = headers.get("if-none-match");
    const has = (etag: string) => ifNoneMatchHas(had, etag);
    const at = toTimestamp(ctx.clock.now());
    const { gateway, map, mark } = await stateOf(ctx, params.id);
    await noteReader(ctx, gateway, { mark, at, has });
    const tagged: Record<string, string> = mark === "" ? {} : { etag: `"${mark}"` };
    const { etag } = tagged;
    if (etag !== undefined && has(etag)) return new Answer(null, tagged, 304);
    const isHaproxy = map.form === "haproxy";
    const type = isHaproxy ? "text/plain; charset=utf-8" : "application/yaml";
    const name = mark === "" ? "untagged" : mark;
    const lines = isHaproxy ? mapLines(ctx, gateway, name) : configOf(
      `# ${name}\n# keys of Keydesk\n`,
      presentMap(ctx, gateway),
    );
    return new Answer(lines, { ...tagged, "content-type": type });
  },
});

/** While more keys than this wait for the next edition the map has no tag. */
const MOST_WAITING = 1000;

/** So often it is written that a proxy fetched, where nothing else is to be. */
const SEEN_MS = 60_000;

/**
 * A gateway, and a mark of all that its map is made of. Each part is read before what is raised
 * behind it, and all before the map: a map may be newer than its mark, and never older. Each change
 * of a key or a plan raises the position; a new key is new, then its row waits, and the edition is
 * raised before it does not any more.
 */
async function stateOf(
  { storage: { reader }, principal: { org_id }, settings: { unknownPlan } }: RequestContext,
  id: string,
): Promise<{ gateway: GatewayRow; map: MapSettings; mark: string }> {
  const fresh = await newKeysOf(reader, { org_id }, MOST_WAITING);
  const place = { org_id, gateway_id: id, behind: "", state: "waiting" as const };
  const rows = await provisionedOfState(reader, place, MOST_WAITING);
  const gateway = await findGateway(reader, { org_id, id });
  const map = gateway && mapOf(gateway);
  if (!map || gateway.unconfirmed_since !== null) throw new Failure("not_found");
  const position = await findPosition(reader);
  // As its row begins: that it is taken in changes nothing.
  const waiting = new Map(fresh.map(({ key_id }) => [key_id, 1]));
  for (const { key_id, wanted } of rows) waiting.set(key_id, Number(wanted));
  if (Math.max(fresh.length, rows.length) === MOST_WAITING) return { gateway, map, mark: "" };
  const { plans, certificates, edition } = gateway;
  const mark = revisionOf([
    [id, map.api, map.form, plans, certificates, gateway.state === "ending", unknownPlan],
    [Number(edition), Number(position)],
    [...waiting].sort(([a], [b]) => a < b ? -1 : 1),
  ]);
  return { gateway, map, mark };
}

/**
 * Notes which state the proxy has by its own words: that of now, or that which it was sent last.
 * Nothing is written where it says nothing new, but once a minute. Its map never waits for a store
 * that takes no writes.
 */
async function noteReader(
  { storage, principal: { org_id, token_id, session } }: RequestContext,
  { id: gateway_id, edition }: GatewayRow,
  { mark, at, has }: { mark: string; at: string; has: (etag: string) => boolean },
): Promise<void> {
  if (token_id === "" || session) return;
  const place = { org_id, gateway_id, token_id };
  const before = await findMapReader(storage.reader, place);
  const now = mark !== "" && has(`"${mark}"`);
  const known = now
    ? { edition: Number(edition), up_to: at }
    : before && before.sent !== "" && has(`"${before.sent}"`)
    ? { edition: Number(before.sent_edition), up_to: before.sent_at }
    : { edition: 0, up_to: null };
  const isSent = mark !== "" && !now;
  const sent = isSent ? { sent: mark, sent_edition: Number(edition), sent_at: at } : {
    sent: before?.sent ?? "",
    sent_edition: Number(before?.sent_edition ?? 0),
    sent_at: before?.sent_at ?? at,
  };
  const isOld = !before || Date.parse(at) - Date.parse(before.seen_at) > SEEN_MS;
  const isNews = Number(known.edition) > Number(before?.edition ?? 0);
  if (!isOld && !isNews && sent.sent === before?.sent) return;
  try {
    await storage.commit(noteMapReader, { ...sent, ...known, ...place, seen_at: at });
  } catch (error) {
    if (!(error instanceof Failure && error.code === "unavailable")) throw error;
  }
}

async function* mapLines(ctx: RequestContext, gateway: GatewayRow, mark: string): Pieces {
  yield `${MARK} ${mark}\n`;
  for await (const group of presentMap(ctx, gateway)) {
    yield group.map(([hash, entry]) => `${hash} ${entry}\n`).join("");
  }
}
