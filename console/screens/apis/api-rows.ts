import type { z } from "zod";
import type { listQuery } from "../../../src/features/plans/catalogue/v1.contract.ts";
import type { Api, OfferedPlan } from "../../api/apis.ts";
import { api } from "../../api/client.ts";
import { listApis, listPlans } from "../../api/endpoints.ts";
import type { Answer, PagedList } from "../../api/paged-list.ts";
import { PAGE } from "../../parts/use-list.ts";
import { apisOf, type Plan } from "./plan.ts";

/** The fields of a plan in a row. */
export type RowPlan = Omit<OfferedPlan, "valid">;

/** An API, a plan under one, or a plan that stands by itself. */
export type Row =
  | { readonly api: Api; readonly plan?: undefined }
  | { readonly plan: RowPlan; readonly under: { id: string; name: string; valid: boolean } }
  | { readonly plan: RowPlan; readonly under?: undefined; readonly apis: string };

/** The open API or plan, or the one to open. */
export interface Opened {
  readonly of: "api" | "plan";
  readonly id: string;
}

export const openedBy = (row: Row): Opened =>
  row.plan ? { of: "plan", id: row.plan.id } : { of: "api", id: row.api.id };

/** Tells rows apart: a plan may stand under several APIs. */
export function keyOfRow(row: Row): string {
  if (!row.plan) return row.api.id;
  return `plans/${row.plan.id} ${row.under?.id ?? ""}`;
}

/** Whether a row shows what is open. A plan has two ids. */
export function shows(row: Row, { of, id }: Opened): boolean {
  if (row.plan) return of === "plan" && (row.plan.id === id || row.plan._id === id);
  return of === "api" && row.api.id === id;
}

/** Begins the cursors of the plans that follow the APIs. */
const PLANS = "plans ";

/**
 * A page of rows: each API with its plans under it, then the plans that no API offers. A search
 * finds APIs and plans by themselves, a state plans alone.
 */
export async function readRows(
  { q, state }: Pick<z.output<typeof listQuery>, "q" | "state">,
  cursor: string | undefined,
): Promise<Answer<Row>> {
  const isWhole = q === undefined && state === undefined;
  if (cursor?.startsWith(PLANS) || state !== undefined) {
    const at = cursor?.slice(PLANS.length) || undefined;
    const offered = isWhole ? "false" as const : undefined;
    const { data, next_cursor } = await api.call(listPlans, {
      query: { limit: PAGE, cursor: at, q, state, offered },
    });
    return {
      data: data.map((plan) => ({ plan: toRow(plan), apis: apisOf(plan) })),
      next_cursor: next_cursor && `${PLANS}${next_cursor}`,
    };
  }
  const { data, next_cursor } = await api.call(listApis, { query: { limit: PAGE, cursor, q } });
  return {
    data: data.flatMap((one): Row[] => [{ api: one }, ...isWhole ? plansUnder(one) : []]),
    next_cursor: next_cursor ?? PLANS,
  };
}

function plansUnder({ id, name, plans }: Api): Row[] {
  return plans.map(({ valid, ...plan }) => ({ plan, under: { id, name: name || id, valid } }));
}

/** Puts what was just read of a plan into the rows that show it. */
export function keepPlan(list: PagedList<Row>, plan: Plan): void {
  const now = toRow(plan);
  const isIt = ({ id, _id }: RowPlan) => id === plan.id || _id === plan._id;
  keepRows(list, (row): Row => {
    if (!row.plan) {
      const plans = row.api.plans.map((one) => isIt(one) ? { ...one, ...now, id: one.id } : one);
      return { api: { ...row.api, plans } };
    }
    if (!isIt(row.plan)) return row;
    const kept = { ...now, id: row.plan.id };
    return row.under ? { ...row, plan: kept } : { plan: kept, apis: apisOf(plan) };
  });
}

/** Keeps an API and the plans under it. False: it has other plans than its rows. */
export function keepApi(list: PagedList<Row>, one: Api): boolean {
  const known = list.at(list.indexOf(one.id));
  const isSame = !known || known.plan !== undefined ||
    idsOf(known.api).join() === idsOf(one).join();
  const under = new Map(plansUnder(one).map((row) => [keyOfRow(row), row]));
  keepRows(list, (row) => {
    if (!row.plan) return row.api.id === one.id ? { api: one } : row;
    return under.get(keyOfRow(row)) ?? row;
  });
  return isSame;
}

const idsOf = ({ plans }: Api) => plans.map(({ id }) => id);

function keepRows(list: PagedList<Row>, change: (row: Row) => Row): void {
  for (let at = 0; at < list.length; at++) {
    const row = list.at(at);
    if (!row) continue;
    const next = change(row);
    if (JSON.stringify(next) !== JSON.stringify(row)) list.replace(next);
  }
}

function toRow(plan: Plan): RowPlan {
  const { _id, id, name, active, rate, per, quota_max, quota_renewal_rate, auth_type } = plan;
  const { key_expires_in, approval, key_request_fields, keys, pending_requests } = plan;
  return {
    _id,
    id,
    name,
    active,
    rate,
    per,
    quota_max,
    quota_renewal_rate,
    auth_type,
    key_expires_in,
    approval,
    key_request_fields,
    keys,
    pending_requests,
  };
}
