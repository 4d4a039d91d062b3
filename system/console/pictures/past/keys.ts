/** Keys without a request. */
import { labelsOf } from "./labels.ts";
import { type Answer, type Caller, DAY_MS, type Desk, HOUR_MS, NOW } from "../picture-desk.ts";

/** Keys that were issued by hand, some of which end. */
export async function issueKeys(desk: Desk, { marit }: { marit: Caller }): Promise<void> {
  const { data: developers } = await desk.call("GET", "/v1/developers?limit=50");
  const { data: plans } = await desk.call("GET", "/v1/plans?limit=50");
  const planOf = (name: string) => plans.find((one: Answer) => one.name === name)._id;
  const ends = [-21, 9, 23, 25, 55, 61, 62, 130, 141, 290, 360, 480, 900];
  const names = [
    "Professional",
    "Professional",
    "Free",
    "Partner",
  ];
  let at = NOW - 158 * DAY_MS;
  for (const [place, days] of [...ends, undefined, undefined].entries()) {
    await desk.at(at += 2 * DAY_MS + 5 * HOUR_MS);
    const developer = developers[place * 5 % developers.length];
    if (developer.inactive) continue;
    const issued = await desk.call("POST", `/v1/developers/${developer.id}/keys`, {
      plans: [planOf(names[place % names.length] ?? "")],
      deliver: "answer",
      ...labelsOf(developer.email, names[place % names.length] ?? ""),
    }, marit);
    if (desk.key === "" && Number(days) > 0) desk.key = issued.RawKey;
    if (days === undefined) continue;
    const expires_at = new Date(NOW + days * DAY_MS + HOUR_MS).toISOString();
    await desk.call("PUT", `/v1/keys/${issued.key_id}/expiry`, {
      expires_at,
    }, marit);
  }
}
