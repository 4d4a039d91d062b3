import type { z } from "zod";
import { Failure } from "../../../kernel/failure.ts";
import { listMyKeysQuery, type myKey, type myKeyDetail } from "../my/keys.contract.ts";
import * as service from "../my/keys.service.ts";
import { offerOf } from "../my/offer.ts";
import * as own from "../my/own-keys.service.ts";
import { complaint, day, hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { askForLaterEnd, laterEnd } from "./later-end.ts";
import { newKeyPage } from "./new-key-page.ts";
import type { Handler, Page, PageCall } from "./page.ts";
import { namesOf, pill } from "./plan-words.ts";
import { deniedCallsCard } from "./denied-calls-card.ts";
import { sentDraft } from "./request-pages.ts";
import { onItsWay } from "./on-its-way.ts";
import { quotaCard, useCard } from "./use-cards.ts";

type Key = z.output<typeof myKey>;
type Detail = z.output<typeof myKeyDetail>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From when on the page says that a key ends. */
const SOON_MS = 30 * DAY_MS;
const OVERLAPS = ["0", "3600", "86400", "604800"] as const;

const opening = (run: Handler["run"]): { POST: Handler } => ({
  POST: { for: "developer", opens: true, run },
});

/** The developer's keys, and what becomes of them. */
export const keyPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/keys": { GET: { for: "developer", run: keysPage } },
  "/portal/keys/{id}": { GET: { for: "developer", run: (call) => keyPage(call) } },
  "/portal/keys/{id}/open": opening(openKey),
  // One that no one opened in time.
  "/portal/keys/{id}/open-late": { POST: { for: "developer", begins: true, run: openKey } },
  "/portal/keys/{id}/rotate": opening(async (call) => {
    const { overlap = "" } = call.form;
    if (!OVERLAPS.some((one) => one === overlap)) throw new Failure("invalid_input");
    const { ctx, params } = call;
    return await newKeyPage(call, await own.rotate(ctx, params.id ?? "", Number(overlap), null));
  }),
  "/portal/keys/{id}/suspend": opening((call) => change(call, "suspend")),
  "/portal/keys/{id}/resume": opening((call) => change(call, "resume")),
  "/portal/keys/{id}/keep": opening(async ({ ctx, params }) => {
    const id = params.id ?? "";
    await own.keep(ctx, id, null);
    return { to: `/portal/keys/${id}` };
  }),
  "/portal/keys/{id}/later-end": {
    POST: {
      for: "developer",
      run: async (call) => {
        const wrong = await askForLaterEnd(call);
        if (wrong !== undefined) return await keyPage(call, wrong);
        return { to: `/portal/keys/${call.params.id}` };
      },
    },
  },
  "/portal/keys/{id}/end": opening(async (call) => {
    const { ctx, params, form } = call;
    const key = await service.get(ctx, params.id ?? "");
    if (isInUse(call, key) && form.name?.trim() !== nameOf(key)) {
      return await keyPage(call, call.t.say("key.end.other"));
    }
    return await change(call, "revoke");
  }),
};

async function openKey(call: PageCall): Promise<Page> {
  return await newKeyPage(call, await own.open(call.ctx, call.params.id ?? "", null));
}

async function change({ ctx, params }: PageCall, what: "suspend" | "resume" | "revoke") {
  const id = params.id ?? "";
  await own.change(ctx, id, what, null);
  return { to: `/portal/keys/${id}` };
}

/** The name of a key: never its id. */
function nameOf({ name, mask }: Pick<Key, "name" | "mask">): string {
  return name || mask;
}

function isInUse({ ctx }: PageCall, { last_used_at }: Key): boolean {
  return last_used_at !== null && ctx.clock.now() - Date.parse(last_used_at) < HOUR_MS;
}

async function keysPage(call: PageCall): Promise<Page> {
  const { ctx, t, query } = call;
  const isOver = query.get("state") === "over";
  const cursor = query.get("cursor");
  const asked = listMyKeysQuery.parse({
    limit: "50",
    ...isOver ? { state: "over" } : {},
    ...cursor === null ? {} : { cursor },
  });
  const { data, next_cursor } = await service.list(ctx, asked);
  const stateLine = isOver
    ? data
    : data.filter(({ state }) => state === "active" || state === "suspended");
  const more = new URLSearchParams({
    ...isOver ? { state: "over" } : {},
    cursor: next_cursor ?? "",
  });
  return {
    title: t.say("keys"),
    body: html`
      <div class="head">
        <h1>${t.say("keys")}</h1>
        <p>${isOver
          ? html`<a href="/portal/keys">${t.say("keys.live")}</a> · <strong>${
            t.say("keys.over")
          }</strong>`
          : html`<strong>${t.say("keys.live")}</strong> · <a href="/portal/keys?state=over">${
            t.say("keys.over")
          }</a>`}</p>
      </div>
      ${stateLine.length === 0
        ? html`<p>${t.say(isOver ? "keys.none.over" : "keys.none")} <a href="/portal">${
          t.say("requests.none.do")
        }</a></p>`
        : html`
          <div class="card">
            <ul class="list">${stateLine.map((key) => keyRow(call, key))}</ul>
          </div>
        `}
      ${next_cursor !== null &&
        html`<p><a href="/portal/keys?${more.toString()}">${t.say("keys.older")}</a></p>`}
    `,
  };
}

function keyRow({ t }: PageCall, key: Key): Html {
  const { id, mask, plans, quota, calls_30_days } = key;
  const called = nameOf(key);
  return html`
    <li class="row">
      <div
        class="grow"><a href="/portal/keys/${id}" ${called !== mask &&
          html`
            aria-label="${called}, ${mask}"
          `}><strong>${called}</strong></a><br><span class="note"><code>${mask}</code> ${namesOf(
            t,
            plans,
          )}</span></div>
      <div class="grow">${t.say("key.calls", { n: calls_30_days })}${quota &&
        html`<br><span class="note">${
          t.say("key.left", { left: t.number(quota.left), limit: t.number(quota.limit) })
        }</span>`}</div>
      <div>${statePill(t, key)}</div>
    </li>
  `;
}

/** Denied calls with the names of APIs that the reader sees, in place of their ids. */
async function named(
  { ctx }: PageCall,
  calls: z.output<typeof myKeyDetail>["denied_calls"],
): Promise<typeof calls> {
  if (calls.every(({ api_id }) => api_id === null)) return calls;
  const names = new Map((await offerOf(ctx)).map(({ id, name }) => [id, name]));
  return calls.map((one) => ({ ...one, api_id: names.get(one.api_id ?? "") ?? one.api_id }));
}

function statePill(t: PageCall["t"], { state, denied, waits_until, on_its_way }: Key): Html {
  if (denied !== null) return pill("bad", t.say(`denied.${denied}`));
  if (waits_until !== null) return pill("wait", t.say("key.waiting"));
  if (on_its_way !== null) return pill("wait", t.say("way"));
  const look = state === "active" ? "good" : state === "suspended" ? "wait" : "quiet";
  return pill(look, t.say(`key.${state}`));
}

async function keyPage(call: PageCall, wrong = ""): Promise<Page> {
  const { ctx, t, params, query } = call;
  const key = await service.get(ctx, params.id ?? "");
  const isOver = key.state === "expired" || key.state === "revoked";
  return {
    title: nameOf(key),
    status: wrong === "" ? 200 : 400,
    body: html`
      <p class="note"><a href="/portal/keys">${t.say("keys")}</a></p>
      <div class="head"><h1>${nameOf(key)}</h1>${statePill(t, key)}</div>${sentDraft(query)}
      ${query.has("held") &&
        html`<p class="said wait" role="status">${t.say("key.held")}</p>`}
      ${wrong !== "" && complaint(wrong)}
      ${deniedBecause(t, key)}
      ${onItsWay(t, key)}
      ${key.suspended_by !== null && suspended(call, key.suspended_by, key.state_changed_at)}
      ${key.waits_until !== null && toOpen(call, key.id, key.waits_until)}
      ${key.waited_until !== null && toOpenLate(call, key.id, key.waited_until)}
      ${isOver
        ? isOverBecause(call, key)
        : html`${unusedCard(call, key)}${endsSoon(call, key)}${laterEnd(call, key)}`}
      ${key.replaced_by !== null &&
        html`<p class="card">${t.say("key.replaced")} <a href="/portal/keys/${key.replaced_by}">${
          t.say("key.replaced.do")
        }</a></p>`}
      ${key.replaces.map((old) =>
        html`
          <form class="card row" method="post"
            action="/portal/keys/${old.id}/end">${hiddenFields(call, {
              name: old.mask,
            })}<div class="grow"><strong>${t.say("key.old", {
              mask: old.mask,
            })}</strong><br><span class="note">${t.say("key.used")}: ${old.last_used_at === null
              ? t.say("key.used.never")
              : time(t, old.last_used_at)}</span></div><button>${t.say(
                "key.old.do",
              )}</button></form>
        `
      )}
      <div class="two">
        <div>${key.quota && quotaCard(t, key.quota, key.use)}
      ${deniedCallsCard(t, await named(call, key.denied_calls))}
      ${useCard(t, key.use)}</div>
        <div>${facts(call, key)}</div>
      </div>
      ${!isOver && key.waits_until === null && actions(call, key)}
    `,
  };
}

/** Why an active key is valid for nothing, and the one thing to do; nothing where it is. */
function deniedBecause(t: PageCall["t"], { denied }: Key): Html | false {
  if (denied === null) return false;
  return html`
    <p class="said bad">${t.say(`denied.${denied}.text`)} <a href="/portal">${t.say(
      "key.over.again",
    )}</a></p>
  `;
}

function suspended(
  { t, site: { organisation } }: PageCall,
  by: "me" | "others",
  since: string | null,
): Html {
  const { support } = organisation;
  return html`
    <p class="said wait">${t.say(`key.suspended.${by}`, {
      organisation: organisation.name,
    })}${since !==
        null && html`
      ${t.say("key.since")} ${time(t, since)}.
    `}${by === "others" && support !== "" &&
      html`
        <a href="mailto:${support}">${t.say("key.suspended.answer")}</a>
      `}</p>
  `;
}

function toOpen(call: PageCall, id: string, until: string): Html {
  const { t } = call;
  return html`
    <form class="card" method="post"
      action="/portal/keys/${id}/open">${hiddenFields(call)}<h2>${t.say("key.open")}</h2><p>${t.say(
        "key.open.text",
      )} ${time(t, until)}.</p>
    <button class="main">${t.say("key.open.do")}</button></form>
  `;
}

function toOpenLate(call: PageCall, id: string, until: string): Html {
  const { t, ctx: { principal: { developer } } } = call;
  return html`
    <form class="card" method="post"
      action="/portal/keys/${id}/open-late">${hiddenFields(call)}<h2>${t.say("key.late")}</h2><p>${t
        .say("key.late.since")} ${time(t, until)}. ${t.say("key.late.text")} ${developer
            ?.isFreshOwn !== true && t.say("key.late.sign_in")}</p>
    <button class="main">${t.say("key.open.do")}</button></form>
  `;
}

/** From 30 days on, in amber from 14, in red from 3. */
function endsSoon({ ctx, t }: PageCall, key: Detail): Html | false {
  const { expires_at: ends_at, replaced_by, denied } = key;
  const left = ends_at === null ? Infinity : Date.parse(ends_at) - ctx.clock.now();
  // Another key of the same plans would be denied too.
  const isOfUse = replaced_by === null && denied === null;
  if (ends_at === null || left >= SOON_MS || !isOfUse) return false;
  const days = Math.max(0, Math.floor(left / DAY_MS));
  const look = left < 3 * DAY_MS ? "bad" : left < 14 * DAY_MS ? "wait" : "quiet";
  const said = isRenewed(key) ? "key.ends.soon" : "key.ends.soon.fixed";
  return html`
    <p class="said ${look}">${t.say(said, { days })} ${t.say("key.ends")}: ${time(
      t,
      ends_at,
    )}</p>
  `;
}

/** Whether a key that took its place would end later. */
function isRenewed({ expires_at: ends_at, expires_at_if_rotated: end }: Detail): boolean {
  return ends_at !== null && (end === null || end > ends_at);
}

/** Why a key opens nothing any more, since when, and what one can do. */
function isOverBecause({ t }: PageCall, key: Detail): Html {
  const { state, state_changed_at, expires_at: ends_at } = key;
  const since = state === "revoked" ? state_changed_at : ends_at;
  return html`
    <p class="said quiet">${t.say(
      `key.over.${state === "revoked" ? "revoked" : "expired"}`,
    )}${since !==
        null && html`
      ${time(t, since)}
    `}. <a href="/portal">${t.say("key.over.again")}</a></p>
  `;
}

function facts({ t }: PageCall, key: Detail): Html {
  const { mask, plans, environment, date_created, last_used_at, expires_at: ends_at } = key;
  return html`
    <section class="card">
      <dl>
    <dt>${t.say("key.mask")}</dt><dd><code>${mask}</code></dd>
    <dt>${t.say("key.plans")}</dt><dd>${namesOf(t, plans)}</dd>
    ${environment !== "" && html`
      <dt>${t.say("key.environment")}</dt>
      <dd>${environment}</dd>
    `}
    <dt>${t.say("key.made")}</dt><dd>${day(t, date_created)}</dd>
    <dt>${t.say("key.used")}</dt><dd>${last_used_at === null
      ? t.say("key.used.never")
      : time(t, last_used_at)}</dd>
    <dt>${t.say("key.ends")}</dt><dd>${ends_at === null
      ? t.say("key.ends.never")
      : time(t, ends_at)}</dd>
      </dl>
      <p class="note">${t.say("key.hash")}</p>
    </section>
  `;
}

function actions(call: PageCall, key: Detail): Html {
  const { t } = call;
  const path = `/portal/keys/${key.id}`;
  const form = (action: string, text: Html, words: string) =>
    html`
      <form method="post"
        action="${path}/${action}">${hiddenFields(call)}${text}<button>${words}</button></form>
    `;
  const typed = isInUse(call, key) &&
    html`<label for="f-name">${
      t.say("key.end.type", { name: nameOf(key) })
    }</label><input id="f-name" name="name" autocomplete="off" required>`;
  return html`<section class="card">
${
    key.state === "active" && key.replaced_by === null &&
    html`<details data-key="r"><summary>${t.say("key.rotate")}</summary>${
      form(
        "rotate",
        html`${
          key.expires_at !== null && !isRenewed(key) &&
          html`<p>${t.say("key.rotate.end")} ${time(t, key.expires_at)}.</p>`
        }<label
  for="f-overlap">${t.say("key.rotate.text")}</label>
<select id="f-overlap" name="overlap">${
          OVERLAPS.map((one) =>
            html`
              <option value="${one}" ${one === "604800" && html`
                selected
              `}>${t.say(`key.rotate.${one}`)}</option>
            `
          )
        }</select>`,
        t.say("key.rotate.do"),
      )
    }</details>`
  }
${
    key.state === "active" &&
    html`<details data-key="s"><summary>${t.say("key.suspend")}</summary>${
      form("suspend", html`<p>${t.say("key.suspend.text")}</p>`, t.say("key.suspend.do"))
    }</details>`
  }
${key.suspended_by === "me" && form("resume", html``, t.say("key.resume"))}
<details><summary>${t.say("key.end")}</summary>${
    form("end", html`<p>${t.say("key.end.text")}</p>${typed}`, t.say("key.end.do"))
  }</details></section>`;
}

/** That no one uses a key, and a button that says that it is needed; nothing without a warning. */
function unusedCard(call: PageCall, key: z.output<typeof myKeyDetail>): Html | false {
  const { t } = call;
  const { id, state, unused_warning: warning } = key;
  if (warning === null || state !== "active") return false;
  const { unused_since, suspended_from } = warning;
  return html`
    <form class="card" method="post"
      action="/portal/keys/${id}/keep">${hiddenFields(call)}<h2>${t.say("unused")}</h2>
    <p>${t.say("unused.since")} ${time(t, unused_since)}. ${suspended_from !== null &&
      html`
        ${t.say("unused.from")} ${time(t, suspended_from)}.
      `}</p>
    <p>${t.say("unused.text")}</p>
    <button class="main">${t.say("unused.do")}</button></form>
  `;
}
