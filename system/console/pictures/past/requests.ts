/** Key requests and their decisions, and the problems of the last days. */
import assert from "node:assert/strict";
import { demoData, makeDemo } from "../../../../src/maintenance/seed/demo.ts";
import { labelsOf } from "./labels.ts";
import { type Caller, type Desk, HOUR_MS, NOW } from "../picture-desk.ts";

/** What is done at a moment. */
interface Step {
  at: number;
  run: () => Promise<unknown>;
}

/**
 * The demo's requests, sent and decided in their order; and what else happened in the last days.
 */
export async function askAndDecide(
  desk: Desk,
  people: Record<"portal" | "tomas" | "marit" | "rhys", Caller>,
  kind: "calm" | "busy",
): Promise<void> {
  const { portal, tomas, marit } = people;
  const steps: Step[] = [];
  for (const [index, request] of makeDemo(desk.app.first.org_id, NOW).requests.entries()) {
    const { by_user, for_plan } = request.draft.columns;
    const text = demoData.requests[index];
    const asks = demoData.developers[text?.developer ?? ""];
    assert.ok(text && asks);
    let id = "";
    const sends = async () => {
      const sent = await desk.call("POST", "/v1/key-requests", {
        by_user,
        for_plan,
        fields: {
          company: asks.company,
          use_case: text.use_case,
          expected_calls: text.expected_calls,
          ...text.app ? { oauth_app_description: text.app } : {},
        },
        ...text.redirect_uri ? { oauth_info: { redirect_uri: text.redirect_uri } } : {},
      }, portal);
      id = sent.id;
    };
    steps.push({ at: request.sentAt, run: sends });
    if (request.state === "pending") continue;
    const who = index % 3 === 0 ? marit : tomas;
    const labels = labelsOf(asks.email, text.plan);
    const decides = request.state === "issued"
      ? () => desk.call("POST", `/v1/key-requests/${id}/approve`, labels, who)
      : () =>
        desk.call("POST", `/v1/key-requests/${id}/decline`, { reason: REASONS[index % 3] }, who);
    steps.push({ at: request.decidedAt, run: decides });
  }
  if (kind === "busy") steps.push(...problems(desk, people));
  for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
    await desk.at(at);
    await run();
  }
  await desk.at(NOW - 10 * 60_000);
  await desk.settle();
  await desk.at(NOW);
}

/**
 * A gateway that did not answer for a day and a half, keys that had to go, sign-ins that were
 * refused.
 */
function problems(desk: Desk, { tomas, marit }: Record<"tomas" | "marit", Caller>): Step[] {
  const wrong: Caller = { token: "kd_not-a-token", from: "203.0.113.77" };
  const state = async (place: number, verb: string, reason: string, who: Caller) => {
    const { data } = await desk.call("GET", "/v1/keys?state=active&limit=20");
    await desk.call("POST", `/v1/keys/${data[place].key_id}/${verb}`, { reason }, who);
  };
  const refused = () => desk.call("GET", "/v1/key-requests", undefined, wrong).catch(() => {});
  const hoursAgo: Step[] = [
    { at: 36, run: () => Promise.resolve(desk.isGatewayDown = true) },
    { at: 35, run: () => state(3, "revoke", "Lost with a laptop on the night train.", tomas) },
    {
      at: 34.5,
      run: () => state(5, "suspend", "Ten times the usual calls; waiting for an answer.", marit),
    },
    ...Array.from(
      { length: 36 },
      (_, hour) => ({ at: 34 - hour * 0.9, run: () => Promise.resolve() }),
    ),
    ...[20, 19.99, 19.98, 2.5, 2.49].map((at) => ({ at, run: refused })),
  ];
  return hoursAgo.map(({ at, run }) => ({ at: NOW - at * HOUR_MS, run }));
}

const REASONS = [
  "The free plan is enough for this; please ask again when it is not.",
  "Fares are for partners with a signed agreement.",
  "Sent twice.",
];
