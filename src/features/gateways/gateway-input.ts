import { z } from "zod";
import {
  type CheckingKind,
  checkingKinds,
  GATEWAY_NAME,
  OTHER,
} from "../../contract/checking-gateways.ts";
import { connections, type MapForm, mapForms } from "../../contract/gateway-states.ts";
import { nameText } from "../../contract/labels.ts";
import { nullable } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { Failure } from "../../kernel/failure.ts";
import { safeUrl } from "../notifications/channels.contract.ts";
import { writtenMap } from "./hashes/map-settings.contract.ts";

/**
 * The address of a Redis, or "": `rediss://`, or `redis://` on this machine alone, with port and
 * database whether they are written or not, and without a password.
 */
const redisUrl = z.string().max(2048).refine((text) => text === "" || isSafe(text), {
  error: "expected rediss://host:6379/0 without a password; redis:// is for this machine alone",
}).overwrite(normalForm);

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, hostname, password, pathname, search, hash } = new URL(text);
  if (/%(?![0-9a-f]{2})/i.test(username)) return false;
  if (hostname === "" || password !== "" || search + hash !== "") return false;
  if (!/^(\/\d{0,4})?$/.test(pathname)) return false;
  return protocol === "rediss:" || protocol === "redis:" &&
      /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function normalForm(text: string): string {
  if (text === "" || !URL.canParse(text)) return text;
  const { protocol, username, hostname, port, pathname } = new URL(text);
  const user = username === "" ? "" : `${username}@`;
  const host = hostname.toLowerCase();
  return `${protocol}//${user}${host}:${port || 6379}/${Number(pathname.slice(1) || 0)}`;
}

/** Members of a gateway that keys are brought to; of one that checks calls none may be sent. */
const brought = {
  url: safeUrl({ orNone: true }).default("").meta({
    description: "Of `synced`: the address of its own interface, without `/tyk`.",
  }),
  map: nullable(writtenMap).default(null).meta({ description: "Of `map`." }),
  probe_url: safeUrl({ orNone: true }).default(""),
  redis_url: redisUrl.default("").meta({
    description:
      "Of `synced`, with `hash_key_function` `sha256`: its Redis, `rediss://user@host:6379/0`, `redis://` on this machine alone. Keys whose text is no longer known are made in it, if their hash is known; empty: they are `stuck`. `KEYDESK_OUTBOUND` has to name it.",
  }),
  plans: nullable(z.array(text.min(1).max(255)).max(500)).default(null).meta({
    description:
      "The plans whose keys are at the gateway; null: those of all; none: every key is revoked there.",
  }),
  calls_per_second: nullable(z.int().min(1).max(10_000)).default(null).meta({
    description:
      "So often it is called at the most: what closes keys first, then changes, then what is only read. Null: as often as it answers.",
  }),
  policies: z.enum(["compare", "write"]).default("compare").meta({
    description:
      "`write`: a policy is made for each of these plans, and changed with it; policies of plans that are gone, and all others, are left to people.",
  }),
  certificates: z.boolean().default(false).meta({
    description:
      "Whether a key whose request names a certificate is pinned to it at the gateway. People add certificates to the gateway and remove them.",
  }),
};

const secret = z.string().min(1).max(1000).regex(/^[\x21-\x7e]+$/, {
  error: "expected printable characters without spaces",
}).meta({
  description: "Of `synced`: the secret of its own interface. It is kept sealed and never shown.",
});

const redisPassword = z.string().max(1000).regex(/^[\x21-\x7e]*$/, {
  error: "expected printable characters without spaces",
}).meta({
  description:
    "The password of that Redis; empty: none. It is sealed and never shown. With another `redis_url` it is deleted unless it is sent again.",
});

/** Every product, of any connection. */
const kinds = [...checkingKinds, "agentgateway"] as const;

const kind = z.enum(kinds, { error: `expected ${kinds.join(" or ")}` });

const silent_minutes = z.number().int().min(0).max(10_080).meta({
  description: "Of `checks`: it is silent after this many minutes without a call; 0: never.",
});

const more = {
  ...brought,
  secret: secret.optional(),
  redis_password: redisPassword.optional(),
  silent_minutes: silent_minutes.optional(),
};

/** How a gateway is connected, as a list is narrowed by it too. */
export const connection = z.enum(connections, { error: `expected ${connections.join(" or ")}` });

/** A gateway to be added: what its connection does not need is left out. */
export const gatewayInput = z.object({
  connection: connection.meta({
    description:
      "`checks`: it asks Keydesk about each call. `synced`: keys are written into it. `map`: it goes by a map of hashes of keys.",
  }),
  kind: kind.optional().meta({
    description:
      "The product; left out: `other` of `checks`, `tyk` of `synced`, `haproxy` of `map`. `map` also knows `agentgateway`.",
  }),
  name: nameText().min(1).meta({
    description:
      "Of `checks`: what it states in `X-Keydesk-Gateway`, as small letters, digits, `.`, `-`, `_`.",
  }),
  ...more,
}).meta({ id: "GatewayInput" });

/** The body of a change. */
export const gatewayChange = z.object({
  name: nameText().min(1).optional().meta({
    description: "Needed for `synced` and `map`; of `checks` it stays.",
  }),
  kind: kind.optional().meta({ description: "The product; left out: it stays." }),
  ...more,
}).meta({ id: "GatewayChange" });

type Written = Omit<z.output<typeof gatewayChange>, "name" | "kind">;

/** Throws `invalid_input` for the name of a gateway that checks calls. */
export function requireCheckingName(name: string): void {
  if (name === OTHER) throw invalid("name: all gateways that were not added count as other");
  if (GATEWAY_NAME.test(name)) return;
  throw invalid(
    "name: expected up to 63 small letters, digits, dots, - and _, a letter or digit first",
  );
}

/** Throws `invalid_input` for members that a gateway which checks calls does not have. */
export function requireCheckingOnly(written: Written): void {
  const { url, map, probe_url, redis_url, plans, calls_per_second, policies, certificates } =
    written;
  const wrong = {
    url: url !== "",
    map: map !== null,
    probe_url: probe_url !== "",
    redis_url: redis_url !== "",
    plans: plans !== null,
    calls_per_second: calls_per_second !== null,
    policies: policies !== "compare",
    certificates,
    secret: written.secret !== undefined,
    redis_password: written.redis_password !== undefined,
  };
  const [name] = Object.entries(wrong).find(([, isSent]) => isSent) ?? [];
  if (name !== undefined) throw invalid(`${name}: belongs to connections synced and map`);
}

/** Throws `invalid_input` for a member that only gateways which check calls have. */
export function requireBroughtOnly({ silent_minutes }: Written): void {
  if (silent_minutes !== undefined) {
    throw invalid("silent_minutes: belongs to connection checks");
  }
}

/** The product of a gateway that checks calls. Throws `invalid_input` for another one. */
export function checkingKind(kind: z.output<typeof gatewayInput>["kind"] = OTHER): CheckingKind {
  const found = checkingKinds.find((one) => one === kind);
  if (found) return found;
  throw invalid(`kind: expected ${checkingKinds.join(" or ")}`);
}

/** The form of the map of a gateway; undefined: it goes by none. Throws `invalid_input`. */
export function formOf(
  connection: "synced" | "map",
  kind: string | undefined,
  before: MapForm = "haproxy",
): MapForm | undefined {
  if (connection === "synced") {
    if (kind === undefined || kind === "tyk") return undefined;
    throw invalid(`kind: expected tyk`);
  }
  const form = mapForms.find((one) => one === (kind ?? before));
  if (form) return form;
  throw invalid(`kind: expected ${mapForms.join(" or ")}`);
}

/** A refusal of what was written, which names its member first. */
export function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
