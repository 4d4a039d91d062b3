import { codeOf, stoppable } from "../../api/client.ts";
import {
  findKey,
  getDeveloper,
  getKey,
  getPerson,
  listApis,
  listCertificates,
  listDeniedCalls,
  listDevelopers,
  listKeyRequests,
  listKeys,
  listPeople,
  listPlans,
} from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { listed, say } from "../../said.ts";
import { toRow } from "../../screens/requests/request.ts";
import { nameOf as calledCertificate } from "../../screens/certificates/certificate.ts";
import { calledKey, type Key, ownerOf, stateView } from "../../parts/keys/key.ts";
import type { DeniedCall } from "../../parts/denied-calls/words.ts";
import { fitOf, type Item } from "./order.ts";

/** One more than is shown, and the exact one may be among them. */
const LIMIT = 4;

/** Shorter words find no certificate: the server refuses them. */
const CERTIFICATES_FROM = 3;

/** The server's results. Parts that fail are left out, unless all do: then it throws. */
export async function search(text: string, signal: AbortSignal): Promise<Item[]> {
  const api = stoppable(signal);
  const q = text.slice(0, 100);
  const query = { q, limit: LIMIT };
  const all = (path: string, what: string, next: string | null): Item[] =>
    next === null ? [] : [{
      kind: "more",
      id: `${path} ${what}`,
      title: say`All ${what} for “${q}”`,
      href: `${path}?q=${encodeURIComponent(q)}${path === "/requests" ? "&state=all" : ""}`,
    }];
  const developers = async () => {
    const { data, next_cursor } = await api.call(listDevelopers, { query });
    return [
      ...data.map((one): Item => ({
        kind: "developer",
        id: one.id,
        ...nameOf(one),
        href: `/developers/${encodeURIComponent(one.id)}`,
      })),
      ...all("/developers", "developers", next_cursor),
    ];
  };
  const keys = async () => {
    const { data, next_cursor } = await api.call(listKeys, { query });
    return [...data.map(keyItem), ...all("/keys", "keys", next_cursor)];
  };
  const requests = async () => {
    const { data, next_cursor } = await api.call(listKeyRequests, { query });
    return [
      ...data.map((one): Item => {
        const { id, developer, entry, state } = toRow(one);
        const words = { pending: "waits", issued: "approved", declined: "declined" }[state];
        return {
          kind: "request",
          id,
          title: developer,
          detail: listed([entry, words].filter(Boolean)),
          href: `/requests/${encodeURIComponent(id)}?state=all`,
        };
      }),
      ...all("/requests", "key requests", next_cursor),
    ];
  };
  const apis = async () => {
    const { data, next_cursor } = await api.call(listApis, { query });
    return [
      ...data.map((one): Item => ({
        kind: "api",
        id: one.id,
        title: one.name || one.id,
        detail: countOf(one.plans.length, "plan"),
        href: `/apis/${encodeURIComponent(one.id)}`,
      })),
      ...all("/apis", "APIs", next_cursor),
    ];
  };
  const plans = async () => {
    const { data, next_cursor } = await api.call(listPlans, { query });
    return [
      ...data.map((one): Item => ({
        kind: "plan",
        id: one.id,
        title: one.name,
        detail: listed([
          countOf(one.keys, "key"),
          one.pending_requests > 0 ? say`${one.pending_requests} waiting` : "",
        ].filter(Boolean)),
        href: `/apis/plans/${encodeURIComponent(one.id)}`,
      })),
      ...all("/apis", "plans", next_cursor),
    ];
  };
  const certificates = async () => {
    const { data, next_cursor } = await api.call(listCertificates, { query });
    return [
      ...data.map((one): Item => ({
        kind: "certificate",
        id: one.id,
        title: calledCertificate(one),
        detail: one.status === "expired" || one.days_left === null
          ? one.status.replaceAll("_", " ")
          : `expires in ${countOf(one.days_left, "day")}`,
        href: `/certificates/${encodeURIComponent(one.id)}`,
      })),
      ...all("/certificates", "certificates", next_cursor),
    ];
  };
  const people = async () => {
    const found = /^[0-9a-f]{24}$/i.test(text)
      ? await unlessAbsent(() => api.call(getPerson, { params: { id: text.toLowerCase() } }))
      : undefined;
    const listed = found ? [found] : (await api.call(listPeople, { query: { limit: 100 } })).data;
    return listed.filter(({ id, name, email }) =>
      id === text.toLowerCase() ||
      `${name} ${email ?? ""}`.toLowerCase().includes(text.toLowerCase())
    ).map(({ id, name, email }): Item => ({
      kind: "person",
      id,
      title: name,
      detail: email ?? "",
      href: `/settings/${encodeURIComponent(id)}?show=people`,
    }));
  };
  const views = async () => {
    const { hrefOfView, readViews, titleOfList } = await import("../../parts/list-tools/views.ts");
    return (await readViews()).map((one): Item => ({
      kind: "view",
      id: one.id,
      title: one.name,
      detail: titleOfList(one),
      href: hrefOfView(one),
    })).filter((item) => fitOf(item, text) > 0);
  };
  const parts = [
    views,
    ...may("portal:read") ? [developers, keys, requests, apis, plans] : [],
    ...may("certs:read") && q.length >= CERTIFICATES_FROM ? [certificates] : [],
    ...may("admin:read") ? [people] : [],
  ];
  const found = await Promise.allSettled(parts.map((part) => part()));
  const failed = found.find((one) => one.status === "rejected");
  if (failed && (signal.aborted || found.every(({ status }) => status === "rejected"))) {
    throw failed.reason;
  }
  return found.flatMap((one) => one.status === "fulfilled" ? one.value : []);
}

/** A key that was found by itself, and what its owner is called. */
export interface FoundKey {
  readonly key: Key;
  readonly owner: string;
  readonly from: string;
  /** Its last denied call; undefined: none is kept. */
  readonly denied: DeniedCall | undefined;
}

/**
 * Finds a key by itself: in a body, so it stands in no address. Only what is none, and has the form
 * of a hash, is then looked for as a key's id. Undefined: there is none.
 */
export async function keyOf(plain: string, signal: AbortSignal): Promise<FoundKey | undefined> {
  const api = stoppable(signal);
  const byHash = () =>
    /^[0-9a-f]{32,64}$/i.test(plain)
      ? api.call(getKey, { params: { key_id: plain.toLowerCase() } })
      : undefined;
  const key = await unlessAbsent(() => api.call(findKey, { body: { key: plain } })) ??
    await unlessAbsent(async () => await byHash());
  if (!key) return undefined;
  const [person, denied] = await Promise.all([
    key.developer_email === ""
      ? undefined
      : unlessAbsent(() => api.call(getDeveloper, { params: { id: key.developer_id } })),
    api.call(listDeniedCalls, { query: { key: key.key_id, limit: 1 } }),
  ]);
  const owner = person ? nameOf(person).title : ownerOf(key);
  const from = person ? textOf(person.fields, "company") : "";
  return { key, owner, from, denied: denied.data[0] };
}

async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) === "not_found") return undefined;
    throw error;
  }
}

function keyItem(key: Key): Item {
  return {
    kind: "key",
    id: key.key_id,
    title: calledKey(key),
    isMask: key.name === "",
    detail: listed([
      key.name && key.mask,
      key.environment,
      ownerOf(key),
      stateView(key).text.toLowerCase(),
    ]
      .filter(Boolean)),
    href: `/keys/${encodeURIComponent(key.key_id)}`,
  };
}

function nameOf(
  { fields, email, id }: { fields: Readonly<Record<string, unknown>>; email: string; id: string },
): { title: string; detail: string } {
  const name = textOf(fields, "name");
  const detail = listed([name === "" ? "" : email, textOf(fields, "company")].filter(Boolean));
  return { title: name || email || id, detail };
}

/** A text of a portal's fields, whose names begin as they like. */
function textOf(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name] ?? fields[name.charAt(0).toUpperCase() + name.slice(1)];
  return typeof value === "string" ? value.trim() : "";
}

function countOf(count: number, what: string): string {
  return say`${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
