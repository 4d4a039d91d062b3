import type { ComponentChildren } from "preact";
import { askedPlans, type PlanFacts, titleOf, usePlans } from "../../api/plans.ts";
import { callsOf } from "../../parts/condition-facts.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { offers, type RequestDetail } from "./request.ts";

type Terms = NonNullable<RequestDetail["granted"]>;

/** The message, additions and granted or offered terms, beside the request. */
export default function GrantedFacts({ request }: { request: RequestDetail }) {
  const { message, granted, offer, added_words, reminded_at } = request;
  return (
    <>
      {granted && <Terms title="Granted" request={request} terms={granted} />}
      {offer && <Terms title="Offered" request={request} terms={offer.terms} />}
      <Facts>
        <Fact name="Offer">
          {offer && (
            <>
              {offers[offer.state]}{" "}
              <span class="muted">
                {offer.state === "waiting" && "until "}
                <Time at={offer.answered_at ?? offer.expires_at} />
              </span>
            </>
          )}
        </Fact>
        <Fact name="Message">{message ?? offer?.message}</Fact>
        <Fact name="Answer">{offer?.words}</Fact>
        <Fact name="Reminded">{reminded_at && <Time at={reminded_at} />}</Fact>
        {added_words.map(({ at, words }) => (
          <Fact key={at} name="Added">
            {words}{" "}
            <span class="muted">
              <Time at={at} />
            </span>
          </Fact>
        ))}
      </Facts>
    </>
  );
}

/** Asked and granted side by side, a line for what is not the same. */
function Terms({ title, request, terms }: { title: string; request: RequestDetail; terms: Terms }) {
  const plans = usePlans();
  const { rate, quota, addresses, expires_at, review_at } = terms;
  const asked = askedPlans(request);
  const each = (said: (plan: PlanFacts) => string, of: readonly string[] = asked) => {
    const known = of.flatMap((id) => plans.get(id) ?? []);
    const [first, ...others] = new Set(known.map(said));
    if (others.length === 0) return first ?? "";
    return known.map((plan) => <div key={plan.id}>{say`${plan.name}: ${said(plan)}`}</div>);
  };
  const lines: [string, ComponentChildren, ComponentChildren][] = [
    [
      "Plans",
      titleOf(request.catalogue_entry.name, asked, plans),
      terms.plans && titleOf("", terms.plans, plans),
    ],
    ["Rate", each(rateOf), rate ? callsOf(rate) : terms.plans && each(rateOf, terms.plans)],
    ["Quota", each(quotaOf), quota ? callsOf(quota) : terms.plans && each(quotaOf, terms.plans)],
    ["Expires", each(endOf), when(expires_at) ?? (terms.plans && each(endOf, terms.plans))],
    ["Valid from", "anywhere", addresses && listed(addresses)],
    ["Review", "", when(review_at)],
  ];
  return (
    <table class="terms">
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">What</span>
          </th>
          <th scope="col">Asked</th>
          <th scope="col">{title}</th>
        </tr>
      </thead>
      <tbody>
        {lines.filter(([, , given]) => given).map(([name, before, given]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{before}</td>
            <td>{given}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function when(at: string | null): ComponentChildren {
  return at && <Time at={at} />;
}

const rateOf = (plan: PlanFacts) => limit(plan.rate, plan.per);
const quotaOf = (plan: PlanFacts) => limit(plan.quota, plan.renewal);
const endOf = ({ life }: PlanFacts) => life ?? "never";

/** The limit of a plan. A quota that is never renewed has no seconds. */
function limit(calls: number, seconds: number): string {
  return calls > 0 ? callsOf({ calls, seconds: seconds > 0 ? seconds : Infinity }) : "no limit";
}
