import type { z } from "zod";
import { callFingerprint } from "../../../changes/call-fingerprint.ts";
import { questionOf } from "../../../kernel/question-words.ts";
import { Failure } from "../../../kernel/failure.ts";
import { isId } from "../../../kernel/ids.ts";
import { wrongAnswers } from "../../plans/catalogue/questions.ts";
import { NOT_IN_TIME } from "../../key-requests/expiry.ts";
import { listMyRequestsQuery, type myRequest, words } from "../my/requests.contract.ts";
import * as own from "../my/own-keys.service.ts";
import * as service from "../my/requests.service.ts";
import { type OfferedPlan, offeredPlan, offerOf } from "../my/offer.ts";
import { planNamer } from "../my/plan-names.ts";
import { usualTimes } from "../my/usual-time.ts";
import { askPath } from "./api-view.ts";
import { reasonOf } from "./failure-pages.ts";
import { complaint, day, hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { offerCard, termsOf } from "./offer-card.ts";
import { newKeyPage } from "./new-key-page.ts";
import type { Handler, Onward, Page, PageCall } from "./page.ts";
import { complaintOf, labelOf, questionField } from "./question-field.ts";
import { draftOf, waitingCard } from "./waiting-card.ts";
import { lifeOf, namesOf, pill, quotaOf, rateOf, usually } from "./plan-words.ts";

type Request = z.output<typeof myRequest>;

/** The pages of key requests and their states. */
export const requestPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/ask/{plan}": {
    GET: { for: "developer", run: (call) => askPage(call) },
    POST: { for: "developer", run: ask },
  },
  "/portal/ask/{plan}/key": { POST: { for: "developer", opens: true, run: getKey } },
  "/portal/requests": { GET: { for: "developer", run: (call) => requestsPage(call) } },
  "/portal/requests/{id}/accept": { POST: { for: "developer", run: accept } },
  "/portal/requests/{id}/answer": { POST: { for: "developer", run: answer } },
  "/portal/requests/{id}/remind": { POST: { for: "developer", run: remind } },
  "/portal/requests/{id}/words": { POST: { for: "developer", run: addWords } },
  "/portal/requests/{id}/withdraw": {
    POST: {
      for: "developer",
      run: withdraw,
    },
  },
};

async function planOf({ ctx, params }: PageCall): Promise<OfferedPlan> {
  try {
    return await offeredPlan(ctx, params.plan ?? "");
  } catch (error) {
    const isUnknown = error instanceof Failure && error.code === "unknown_plan";
    throw isUnknown ? new Failure("not_found") : error;
  }
}

async function askPage(call: PageCall, refused?: string): Promise<Page> {
  const { ctx, t, query, form, site: { organisation: { name: organisation } } } = call;
  const plan = await planOf(call);
  const from = query.get("from");
  const before = from === null ? {} : (await service.get(ctx, from)).fields;
  const { requested_fields } = plan;
  const name = namesOf(t, (await planNamer(ctx, [[plan.id]]))([plan.id]));
  const usual = plan.way === "by_approval" ? (await usualTimes(ctx))(plan.ids) : null;
  const isAtOnce = plan.way === "at_once";
  const way = isAtOnce ? "at_once" : "by_approval";
  return {
    title: t.say("ask", { plan: name }),
    status: refused ? 400 : 200,
    body: html`
      <h1>${t.say("ask", { plan: name })}</h1>
      <p class="lead">${t.say(`ask.lead.${way}`, { organisation })}</p>
      ${refused && complaint(refused)}
      <div class="plans">
        <form class="card" method="post" action="${askPath(plan.id)}" data-draft="${plan.id}">
      ${hiddenFields(call)}
      ${requested_fields.length > 0 &&
        html`<p class="quiet">${t.say("ask.asks", { organisation })}</p>`}
      ${requested_fields.map((question, at) => {
        const name = `field-${at}`;
        const said = form[name] ?? before[question.name] ?? "";
        return questionField(t, question, { name, id: `f-${at}`, said });
      })}
      <button class="main">${t.say(isAtOnce ? "ask.do.at_once" : "ask.do")}</button></form>
        <div>
          <section class="card">
            <h2>${t.say("ask.gives")}</h2>
            <ul>
              <li>${rateOf(t, plan)}</li>
              <li>${quotaOf(t, plan)}</li>
              <li>${lifeOf(t, plan)}</li>
            </ul>
          </section>
          <section class="card">
            <h2>${t.say("ask.next")}</h2>
            <p>${t.say(`ask.next.${way}`)}</p>
            ${usual !== null && html`<p><strong>${usually(t, usual)}</strong></p>`}
          </section>
        </div>
      </div>
    `,
  };
}

async function ask(call: PageCall): Promise<Page | Onward> {
  const { ctx, form } = call;
  const { id: plan, requested_fields } = await planOf(call);
  const fields = Object.fromEntries(
    requested_fields.flatMap(({ name }, at) => {
      const said = form[`field-${at}`]?.trim();
      return said ? [[name, said] as const] : [];
    }),
  );
  const missing = requested_fields.filter(({ name, required }) => required && !fields[name]);
  if (missing.length > 0) {
    const names = missing.map((one) => labelOf(call.t, one)).join(", ");
    return await askPage(call, call.t.say("ask.missing", { names }));
  }
  const [wrong] = wrongAnswers(requested_fields, fields);
  if (wrong) return await askPage(call, complaintOf(call.t, wrong.question));
  try {
    const { key } = await service.create(ctx, { plan, fields }, null);
    const sent = new URLSearchParams({ sent: plan });
    return { to: key ? `/portal/keys/${key.id}?${sent}` : `/portal/requests?${sent}` };
  } catch (error) {
    const ofKey = keyInError(error);
    if (ofKey) return { to: ofKey };
    if (!(error instanceof Failure) || !REPAIRABLE.has(error.code)) throw error;
    return await askPage(call, reasonOf(call.t, error));
  }
}

/** The page of the key that is there, where the plan allows no further one. */
function keyInError(error: unknown): string | undefined {
  if (!(error instanceof Failure) || error.code !== "key_limit_reached") return undefined;
  const [, id] = /^key: (\w+)$/.exec(error.details[0] ?? "") ?? [];
  return id && `/portal/keys/${id}?held=1`;
}

/** For how long a press that comes again is the same one, in milliseconds. */
const SAME_PRESS_MS = 10_000;

/**
 * Asks for a plan at once that needs no answers, and shows its key: by one press. The press has a
 * name, so that one that comes twice gets the same key; later, such as by going back, it leads to
 * the key's page, which does not show it.
 */
async function getKey(call: PageCall): Promise<Page | Onward> {
  const { ctx, path, form: { press = "" } } = call;
  const { id: plan, way, requested_fields } = await planOf(call);
  const isAsked = requested_fields.some(({ required }) => required);
  if (way !== "at_once" || isAsked || !isId(press)) return { to: askPath(plan) };
  const once = { key: `press ${press}`, fingerprint: callFingerprint([path, plan]) };
  let asked;
  try {
    asked = await service.create(ctx, { plan }, once);
  } catch (error) {
    const ofKey = keyInError(error);
    if (ofKey) return { to: ofKey };
    throw error;
  }
  const { key, decided_at } = asked;
  if (!key) return { to: "/portal/requests" };
  const age = ctx.clock.now() - Date.parse(decided_at ?? "");
  if (key.waits_until === null && !(age <= SAME_PRESS_MS)) return { to: `/portal/keys/${key.id}` };
  return await newKeyPage(call, await own.open(ctx, key.id, { ...once, key: `open ${press}` }));
}

/** The errors that the developer can fix in the form. */
const REPAIRABLE: ReadonlySet<string> = new Set([
  "invalid_input",
  "missing_fields",
  "key_request_too_large",
  "too_many_pending",
]);

/** Withdraws, and offers to ask the same again: the answers stand in the page, and nowhere else. */
async function withdraw(call: PageCall): Promise<Page> {
  const { ctx, t, params } = call;
  const id = params.id ?? "";
  const before = await service.get(ctx, id);
  await service.withdraw(ctx, id);
  const plan = before.plans[0]?.id ?? "";
  const offered = before.later_end
    ? undefined
    : await planOf({ ...call, params: { plan } }).catch(() => undefined);
  const answers = offered?.requested_fields.map(({ name }, at) =>
    [`field-${at}`, before.fields[name] ?? ""] as const
  );
  return await requestsPage(
    call,
    html`
      <div class="said wait row" role="status" data-here="/portal/requests">
        <span class="grow">${t.say("request.withdrawn")}</span>
        ${answers && html`
          <form method="post" action="${askPath(plan)}"
            data-for-seconds="10">${hiddenFields(
              call,
              Object.fromEntries(answers),
            )}<button>${t.say("request.undo")}</button></form>
        `}
      </div>
    `,
  );
}

/** One that is pressed twice does what it does once, and both presses lead to the same page. */
function onceBy(form: PageCall["form"], what: string) {
  const fingerprint = callFingerprint([what, form.offer, form.turn_down, form.words]);
  return { key: `${what} ${fingerprint}`, fingerprint };
}

/** Accepts the offer that was seen, and leads to its key. */
async function accept({ ctx, params, form }: PageCall): Promise<Onward> {
  const once = onceBy(form, "accept");
  const { key } = await service.accept(ctx, params.id ?? "", form.offer ?? "", once);
  return { to: key ? `/portal/keys/${key.id}` : "/portal/requests" };
}

/** Turns it down, or sends words about it. */
async function answer({ ctx, params, form }: PageCall): Promise<Onward> {
  const words = wordsIn(form);
  const turn_down = form.turn_down !== undefined;
  if (!turn_down && words === "") throw new Failure("invalid_input");
  const said = { offer_id: form.offer ?? "", turn_down, words };
  await service.answer(ctx, params.id ?? "", said, onceBy(form, "answer"));
  return { to: "/portal/requests" };
}

/** Adds words for those who decide. */
async function addWords({ ctx, params, form }: PageCall): Promise<Onward> {
  const id = params.id ?? "";
  const words = wordsIn(form);
  if (words === "") throw new Failure("invalid_input");
  await service.addWords(ctx, id, words);
  return { to: `/portal/requests?${new URLSearchParams({ sent: draftOf(id) })}` };
}

/** The text of a form. Throws `invalid_input` for more than `/v1` takes. */
function wordsIn({ words: text = "" }: PageCall["form"]): string {
  const { data } = words.safeParse(text);
  if (data === undefined) throw new Failure("invalid_input");
  return data;
}

/** Reminds those who decide. A press that comes twice leads to the page that says so. */
async function remind({ ctx, params }: PageCall): Promise<Onward> {
  try {
    await service.remind(ctx, params.id ?? "");
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "reminded_already") throw error;
  }
  return { to: "/portal/requests" };
}

async function requestsPage(call: PageCall, said?: Html): Promise<Page> {
  const { ctx, t, query } = call;
  const cursor = query.get("cursor");
  const asked = listMyRequestsQuery.parse({ limit: "50", ...cursor === null ? {} : { cursor } });
  const { data, next_cursor } = await service.list(ctx, asked);
  const order = (one: Request) =>
    one.key?.waits_until || one.offer?.state === "waiting" ? 0 : one.state === "pending" ? 1 : 2;
  const sorted = [...data].sort((a, b) => order(a) - order(b));
  const apis = await offerOf(ctx);
  const offered = apis.flatMap(({ plans }) => plans);
  const more = new URLSearchParams({ cursor: next_cursor ?? "" });
  return {
    title: t.say("requests"),
    body: html`<h1>${t.say("requests")}</h1>${said}${sentDraft(query)}
${
      data.length === 0 &&
      html`<p>${t.say("requests.none")} <a href="/portal">${t.say("requests.none.do")}</a></p>`
    }
${sorted.map((one) => requestCard(call, one, offered))}
${
      next_cursor !== null &&
      html`<p><a href="/portal/requests?${more.toString()}">${t.say("requests.older")}</a></p>`
    }`,
  };
}

/** Has the script forget the draft of what was sent. */
export function sentDraft(query: URLSearchParams): Html | false {
  const plan = query.get("sent");
  return plan !== null && html`<span data-sent-draft="${plan}"></span>`;
}

/** Why it was declined; of what no one decided it is said here, but for words that came later. */
function whyDeclined({ t, site }: PageCall, { reason, expired }: Request): Html {
  if (expired && reason === NOT_IN_TIME) {
    return html`<p>${t.say("request.expired", { organisation: site.organisation.name })}</p>`;
  }
  return reason === null
    ? html`<p>${t.say("request.no.reason")}</p>`
    : html`<blockquote>${reason}</blockquote>`;
}

/** That a plan can't be requested any more, and what can. */
function noLongerOffered(
  { t }: PageCall,
  { state, no_longer_offered: gone }: Request,
): Html | false {
  if (gone === null) return false;
  const names = gone.plans.map(({ name }) => name).join(", ");
  const values = { names, n: gone.plans.length };
  const others = gone.api_id === null
    ? "/portal"
    : `/portal/apis/${encodeURIComponent(gone.api_id)}`;
  return html`
    <p><strong>${t.say("request.gone", values)}</strong> ${state === "pending" &&
      t.say("request.gone.waits")} <a href="${others}">${t.say("request.gone.others")}</a></p>
  `;
}

function requestCard(
  call: PageCall,
  request: Request,
  offered: readonly OfferedPlan[],
): Html {
  const { t } = call;
  const { state, plans, fields, date_created, decided_at, key, later_end } = request;
  const gone = new Map(request.no_longer_offered?.plans.map(({ id, name }) => [id, name]));
  const names = namesOf(
    t,
    plans.map((one) => ({ ...one, name: one.name || gone.get(one.id) || "" })),
  );
  const look = state === "approved" ? "good" : state === "declined" ? "bad" : "wait";
  const [plan] = plans;
  const isOffered = request.offer?.state === "waiting";
  return html`<section class="card"><div class="row"><div class="grow"><h2>${
    later_end ? t.say("request.later", { names }) : names
  }</h2>
<span class="note">${t.say("request.asked")} ${day(t, date_created)}${
    decided_at !== null && html`, ${t.say("request.decided")} ${day(t, decided_at)}`
  }</span></div>${pill(look, t.say(isOffered ? "offer.pill" : `request.${state}`))}</div>
${
    later_end &&
    html`
      <p><a href="/portal/keys/${later_end.key}">${t.say("later.until.asked")} ${time(
        t,
        later_end.until,
      )}</a></p>
    `
  }
${
    Object.keys(fields).length > 0 && html`<dl>${
      Object.entries(fields).map(([name, said]) =>
        html`
          <dt>${later_end ? t.say("later.why") : questionOf(name)}</dt>
          <dd class="lines">${said}</dd>
        `
      )
    }</dl>`
  }
${noLongerOffered(call, request)}
${state === "pending" && html`${offerCard(call, request, offered)}${waitingCard(call, request)}`}
${
    state === "declined" &&
    html`${whyDeclined(call, request)}${
      plan && plan.name !== "" && !later_end && !request.no_longer_offered &&
      html`<a class="button" href="${askPath(plan.id)}?from=${encodeURIComponent(request.id)}">${
        t.say("request.again")
      }</a>`
    }`
  }
${state === "approved" && request.message && html`<blockquote>${request.message}</blockquote>`}
${state === "approved" && request.granted && termsOf(t, request.granted, null)}
${
    key &&
    html`${
      key.waits_until !== null &&
      html`<p>${t.say("request.waits")} ${time(t, key.waits_until)}; ${t.say("request.nobody")}</p>`
    }<a class="button ${key.waits_until !== null ? "main" : ""}" href="/portal/keys/${key.id}">${
      t.say("request.open")
    }</a>`
  }</section>`;
}
