import { Fact } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import type { RequestDetail } from "./request.ts";

type Terms = NonNullable<RequestDetail["granted"]>;

const offers = {
  waiting: "waits for an answer",
  turned_down: "turned down",
  answered: "answered",
  expired: "not accepted in time",
} as const;

/** What was said and granted, and what is offered, beside what was asked. */
export default function GrantedFacts({ request }: { request: RequestDetail | undefined }) {
  if (!request) return null;
  const { message, granted, offer } = request;
  return (
    <>
      <Fact name="Message">{message}</Fact>
      <Fact name="Granted">{granted && termsOf(granted)}</Fact>
      <Fact name="Offered">
        {offer && (
          <>
            {termsOf(offer.terms)}
            <span class="muted decided">
              {offers[offer.state]} <Time at={offer.answered_at ?? offer.expires_at} />
            </span>
          </>
        )}
      </Fact>
      <Fact name="Answer">{offer?.words}</Fact>
    </>
  );
}

function termsOf({ rate, quota, addresses, plans, expires_at, review_at }: Terms): string {
  const all = [
    rate && say`rate ${rate.calls} in ${rate.seconds} s`,
    quota && say`quota ${quota.calls} in ${quota.seconds} s`,
    plans && say`plans ${listed(plans)}`,
    addresses && say`from ${listed(addresses)}`,
    expires_at && say`until ${expires_at.slice(0, 10)}`,
    review_at && say`review ${review_at.slice(0, 10)}`,
  ];
  return listed(all.filter((one) => one !== null && one !== ""), "; ");
}
