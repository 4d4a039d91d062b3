import type { ServiceContext } from "../../calls/context.ts";
import { isDamaged } from "../../changes/checksum-demand.store.ts";
import { type KeySecret, placeOfKeySecret } from "../../changes/provisioning.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { parseTail } from "../key-requests/stored-request.ts";
import { oauthClientOf } from "../developers/developer.ts";
import { canOpenStored, openStored } from "../developers/developers.store.ts";
import { readConditions } from "../keys/key-conditions.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import { isImported } from "../hygiene/unused/elsewhere.ts";
import type { GatewayRow, Wanted } from "./gateway.ts";
import { mapOf } from "./hashes/map-settings.ts";
import type { KeyThere } from "./kind.ts";
import {
  findDeveloperTexts,
  findPresentKey,
  findRequestTail,
  type presentKeysBehind,
} from "./present-key.store.ts";
import { hashThere } from "./tyk/tyk-hash.ts";
import { findSecret } from "./provisioned-keys.store.ts";
import { type NamedPlan, type Unfit, wantedOf } from "./wanted-key.ts";

/** The context for reading keys in their present state. */
export type PresentContext = Pick<ServiceContext, "storage" | "sealer" | "settings">;

/** A key as it is now, what is to stand at a gateway, and why it opens less there; else "". */
export interface Present {
  key: KeyThere;
  wanted: Wanted;
  unfit: Unfit | "";
  /** Whether it came from outside, by an import or by lazy migration. */
  isImported: boolean;
}

type Row = Awaited<ReturnType<typeof presentKeysBehind>>[number];

/** Plans as keys name them, read once; to be dropped soon, since plans change. */
export class Plans {
  readonly #known = new Map<string, Promise<NamedPlan>>();

  constructor(private readonly ctx: PresentContext, private readonly org_id: string) {}

  /** The contents of these plans. */
  of(names: readonly string[]): Promise<NamedPlan[]> {
    return Promise.all(names.map((name) => {
      const known = this.#known.get(name) ?? this.#read(name);
      this.#known.set(name, known);
      return known;
    }));
  }

  async #read(name: string): Promise<NamedPlan> {
    const { reader } = this.ctx.storage;
    const rules = await findPlanRules(reader, this.org_id, name);
    if (!rules) return [name, undefined];
    const ids = (await planIdsOf(reader, this.org_id, [name])).get(name);
    return [name, { ...rules, given_id: ids?.id ?? rules.id }];
  }
}

/** The desired state at a gateway of a key whose row was read. */
export async function wantedOfRow(
  { storage, sealer, settings }: PresentContext,
  gateway: Pick<GatewayRow, "plans" | "kind" | "state" | "certificates" | "map">,
  row: Row | undefined,
  plans: Plans,
): Promise<{ wanted: Wanted; unfit: Unfit | "" }> {
  // as: keys store plans as arrays of ids.
  const named = row ? JSON.parse(row.plans) as string[] : [];
  const ofPlans = ofPlansAt(gateway);
  const read = row && readConditions(row);
  const isWhole = row !== undefined && read !== undefined &&
    !await isDamaged(storage.reader, sealer, "credentials", row);
  const key = row && { ...row, plans: named, isWhole, conditions: read ?? null };
  const { kind } = gateway;
  const { unknownPlan } = settings;
  const terms = { kind, ofPlans, unknownPlan, map: mapOf(gateway) };
  const found = wantedOf(key, await plans.of(named), terms);
  const { wanted } = found;
  if (wanted.is !== "open" || gateway.certificates === 0 || row?.kind === "oauth") return found;
  const certificate = await certificateOf(storage.reader, row);
  if (certificate === undefined) return found;
  // A map has no place for it.
  if (terms.map) return { wanted: { is: "absent" }, unfit: "conditions" };
  return { ...found, wanted: { ...wanted, certificate } };
}

/** The certificate that the request of a key names, where it is one by its form. */
async function certificateOf(
  reader: PresentContext["storage"]["reader"],
  row: Pick<Row, "org_id" | "request_id"> | undefined,
): Promise<string | undefined> {
  if (!row || row.request_id === "") return undefined;
  const { org_id, request_id: id } = row;
  const request = await findRequestTail(reader, { org_id, id });
  const named = request && parseTail(request).certificate;
  return named && fingerprintOf(org_id, named) ? named : undefined;
}

/** The plans whose keys are to stand at a gateway; null: those of all. */
export function ofPlansAt({ state, plans }: Pick<GatewayRow, "plans" | "state">): string[] | null {
  if (state === "ending") return [];
  // as: gateways store plans as arrays of ids.
  return plans === null ? null : JSON.parse(plans) as string[];
}

/** A key as it is now, for a gateway that calls it `remote_id`. */
export async function presentKey(
  ctx: PresentContext,
  gateway: GatewayRow,
  { key_id, remote_id }: { key_id: string; remote_id: string },
  plans: Plans,
): Promise<Present> {
  const { org_id } = gateway;
  const row = await findPresentKey(ctx.storage.reader, { org_id, key_id });
  const { wanted, unfit } = await wantedOfRow(ctx, gateway, row, plans);
  const secret = await secretOf(ctx, org_id, key_id, row);
  const isMurmur = row !== undefined && row.algorithm.startsWith("murmur");
  return {
    key: {
      key_id,
      kind: row?.kind ?? "token",
      developer_id: row?.developer_id ?? "",
      name: row?.name ?? "",
      // An imported key is known there by the hash under which it came.
      remote_id: remote_id || row?.imported_as || (isMurmur ? key_id : ""),
      hash: row ? hashThere(row, ctx.settings.keyFormat) : "",
      secret,
    },
    wanted,
    unfit,
    isImported: row !== undefined && isImported(row),
  };
}

async function secretOf(
  { storage: { reader }, sealer }: PresentContext,
  org_id: string,
  key_id: string,
  row: { kind: string; developer_id: string } | undefined,
): Promise<KeySecret | undefined> {
  const sealed = await findSecret(reader, { org_id, key_id });
  const place = placeOfKeySecret(org_id, key_id);
  if (typeof sealed === "string" && sealer.canOpen(place, sealed)) {
    // as: wantNew sealed exactly this.
    return JSON.parse(sealer.open(place, sealed)) as KeySecret;
  }
  // The maps of its developer have an OAuth client whole, as long as it is not revoked.
  if (row?.kind !== "oauth") return undefined;
  const stored = await findDeveloperTexts(reader, { org_id, id: row.developer_id });
  if (!stored || !canOpenStored(sealer, org_id, stored)) return undefined;
  const client = oauthClientOf(openStored(sealer, org_id, stored), key_id);
  return client &&
    { key: client.client_id, password: client.secret, redirect_uri: client.redirect_uri };
}
