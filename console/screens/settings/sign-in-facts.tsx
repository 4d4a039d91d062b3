import { api } from "../../api/client.ts";
import { getSignInRules, putSignInRules } from "../../api/session-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { renewed } from "../../api/session.ts";
import { lazily } from "../../parts/lazily.tsx";
import { Unread } from "../../parts/states.tsx";
import { InPlace } from "./in-place.tsx";

const KEY = ["sign-in-rules"];

const Providers = lazily(() => import("./providers.tsx"));

/** How people of the organisation sign in. */
export default function SignInFacts() {
  const { data, error, refetch } = useCall(KEY, getSignInRules, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Sign-in">
      <InPlace
        name="sign-in-rules"
        managed="sign_in"
        title="How people sign in"
        note={
          <>
            Takes effect at the next sign-in. A passkey always signs in, and so does{" "}
            <code>keydesk console</code> at the machine.
          </>
        }
        base={{
          tokens: data.tokens,
          opens: !data.signed_approvals,
          second: data.second_factor,
          domains: data.domains.join("\n"),
        }}
        places={{ last_administrator: "tokens", domain_taken: "domains" }}
        onSave={async ({ tokens, opens, second, domains }) => {
          const body = {
            tokens,
            domains: domains.split(/[\s,]+/).filter((one) => one !== ""),
            ...data.signed_approvals && opens ? { signed_approvals: false } : {},
            second_factor: second,
          };
          queries.setQueryData(KEY, await api.call(putSignInRules, { body }));
          await renewed();
        }}
        fields={[
          {
            of: "tokens",
            label: "An access token signs in",
            hint: "Off: at least one administrator needs a passkey. Programs are not affected.",
          },
          {
            of: "second",
            label: "A second factor beside it",
            hint: data.tokens
              ? "On: an access token signs in with a one-time code. At least one administrator needs a passkey or one-time codes. Programs are not affected."
              : "An access token does not sign in, so it takes no second factor.",
            disabled: !data.tokens,
          },
          data.signed_approvals && {
            of: "opens",
            label: "Approvals go through unsigned",
            hint:
              "Off: none goes through. What takes two people is said by the policy of its plan.",
          },
          {
            of: "domains",
            label: "Mail domains",
            hint:
              "Such as example.org, one on a line: what people with such addresses are offered.",
            rows: 3,
          },
        ]}
      />
      <Providers />
    </div>
  );
}
