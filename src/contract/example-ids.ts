import type { Endpoint } from "./endpoint.ts";

/** The key of examples. No server has issued it. */
export const exampleKey = "kd_live_Example000000000000000000000000000000000000_0tYIFZ";

/** Since when a gateway waits for a yes, in examples. */
export const exampleSince = "2026-11-20T12:35:00.000Z";

/** The API of examples. */
export const exampleApi = "5e1f3c2ab4d5e6f7a8b9c0d1";

/** The ids in the paths of examples. A server makes its own ids; these show their form. */
export const exampleIds = {
  keyRequest: "65b0c1d2e3f4a5b6c7d8e9f0",
  oneTimeLink: "65b0c1d2e3f4a5b6c7d8e9f1",
  developer: "5f1a2b3c4d5e6f7081920004",
  email: "ada@example.org",
  ssoKey: "104792871@social",
  oauthClient: "fedcba9876543210fedcba9876543210",
  user: "ada.lovelace",
  api: exampleApi,
  plan: "5f1a2b3c4d5e6f7081920002",
  /** SHA-256 of `exampleKey`. */
  key: "b59c631efc2dab8940ec93e02163bb81cdaf663eea34aba6ead2f5ae82c1074f",
  certificate: `5f1a2b3c4d5e6f7081920000${"a1b2c3d4".repeat(8)}`,
  person: "65b0c1d2e3f4a5b6c7d8e9f2",
  accessToken: "65b0c1d2e3f4a5b6c7d8e9f3",
  document: "65b0c1d2e3f4a5b6c7d8e9f4",
  session: "65b0c1d2e3f4a5b6c7d8e9f5",
  invitation: "65b0c1d2e3f4a5b6c7d8e9fc",
  token: "65b0c1d2e3f4a5b6c7d8e9fb",
  passkey: "65b0c1d2e3f4a5b6c7d8e9fd",
  offer: "65b0c1d2e3f4a5b6c7d8e9fe",
  role: "65b0c1d2e3f4a5b6c7d8e9e3",
  temporaryAccessRule: "65b0c1d2e3f4a5b6c7d8e9e4",
  temporaryAccess: "65b0c1d2e3f4a5b6c7d8e9e5",
  provider: "65b0c1d2e3f4a5b6c7d8e9e1",
  identity: "65b0c1d2e3f4a5b6c7d8e9e2",
  channel: "65b0c1d2e3f4a5b6c7d8e9f6",
  deniedCall: "65b0c1d2e3f4a5b6c7d8ea24",
  delivery: "65b0c1d2e3f4a5b6c7d8e9f7a1b2c3d4a1b2c3d4",
  job: "65b0c1d2e3f4a5b6c7d8e9f8",
  comment: "65b0c1d2e3f4a5b6c7d8ea22",
  view: "65b0c1d2e3f4a5b6c7d8e9f9",
  gateway: "65b0c1d2e3f4a5b6c7d8ea23",
  digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  event: "65b0c1d2e3f4a5b6c7d8e9fa",
  file: "reference.0123456789abcdef.js",
  level: "0",
  tile: "000.p",
  width: "1",
  day: "22",
  month: "11",
  year: "2026",
} as const;

/** One kind of what paths name. */
type ExampleKind = keyof typeof exampleIds;

/** The kind of a path parameter, by the segment in front of it, which may be another parameter. */
const KINDS: Readonly<Record<string, ExampleKind>> = {
  requests: "keyRequest",
  approve: "keyRequest",
  "key-requests": "keyRequest",
  comments: "comment",
  "one-time-links": "oneTimeLink",
  developers: "developer",
  password: "developer",
  email: "email",
  ssokey: "ssoKey",
  oauth: "oauthClient",
  basic: "user",
  "{api}": "oauthClient",
  api: "api",
  policies: "plan",
  plans: "plan",
  keys: "key",
  key: "plan",
  "{plan}": "key",
  "{key}": "developer",
  apis: "api",
  certs: "certificate",
  dependencies: "certificate",
  documentation: "document",
  certificates: "certificate",
  people: "person",
  roles: "role",
  "temporary-access-rules": "temporaryAccessRule",
  "temporary-access": "temporaryAccess",
  "access-tokens": "accessToken",
  sessions: "session",
  tokens: "token",
  passkeys: "passkey",
  "identity-providers": "provider",
  provider: "provider",
  identities: "identity",
  "developer-invitations": "invitation",
  reference: "file",
  channels: "channel",
  deliveries: "delivery",
  "denied-calls": "deniedCall",
  jobs: "job",
  views: "view",
  gateways: "gateway",
  "audit-log": "event",
  reviews: "digest",
  aggregate: "key",
  tile: "level",
  "{level}": "tile",
  "{tile}": "width",
  "{hash}": "day",
  "{keys}": "day",
  "{from_day}": "month",
  "{from_month}": "year",
  "{from_year}": "day",
  "{to_day}": "month",
  "{to_month}": "year",
};

/**
 * The kinds of an endpoint's path parameters, in their order. Throws for one that no example can
 * name.
 */
export function namedByPath(path: string): { name: string; kind: ExampleKind }[] {
  const segments = path.split("/");
  return segments.flatMap((segment, n) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return [];
    const kind = name === "api" ? "api" : KINDS[segments[n - 1] ?? ""];
    if (!kind) throw new Error(`${path}: no example for {${name}}; add one to example-ids.ts`);
    return [{ name, kind }];
  });
}

/** The path of an endpoint's example. */
export function examplePath({ path }: Endpoint): string {
  const values = new Map(namedByPath(path).map(({ name, kind }) => [name, exampleIds[kind]]));
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name) ?? ""));
}
