import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getSignInRules, putSignInRules } from "../../api/session-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may, renewed } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Unread } from "../../parts/states.tsx";
import { listed } from "../../said.ts";

const KEY = ["sign-in-rules"];

const Providers = lazily(() => import("./providers.tsx"));

/** How people of the organisation sign in. */
export default function SignInFacts() {
  const [changes, setChanges] = useState(false);
  const { data, error, refetch } = useCall(KEY, getSignInRules, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Sign-in">
      <h2 class="group-title">How people sign in</h2>
      <Facts>
        <Fact name="Passkeys">Sign in, always</Fact>
        <Fact name="Access tokens">
          {data.tokens ? "Sign in" : "Don’t sign in; programs go on with theirs"}
        </Fact>
        <Fact name="Second factor">
          {data.second_factor
            ? "Asked for: an access token signs in with a one-time code"
            : "Asked of those who set up one-time codes"}
        </Fact>
        {data.signed_approvals && (
          <Fact name="Approvals">Closed: each was to be signed by a passkey</Fact>
        )}
        <Fact name="Mail domains">{listed(data.domains) || "None"}</Fact>
        <Fact name="At the machine">
          <code>keydesk console</code> lets in, always
        </Fact>
      </Facts>
      {may("admin") && (
        <div class="settings-action">
          <Button onClick={() => setChanges(true)}>Change</Button>
        </div>
      )}
      <Providers />
      {changes && (
        <FormDialog
          name="sign-in-rules"
          title="Change how people sign in"
          note="Takes effect at the next sign-in."
          action="Save"
          initial={{
            tokens: data.tokens,
            opens: false,
            second: data.second_factor,
            domains: data.domains.join("\n"),
          }}
          places={{ last_administrator: "tokens", domain_taken: "domains" }}
          onSave={async ({ tokens, opens, second, domains }) => {
            const words = domains.split(/[\s,]+/).filter((one) => one !== "");
            const body = {
              tokens,
              domains: words,
              ...opens ? { signed_approvals: false } : {},
              second_factor: second,
            };
            queries.setQueryData(KEY, await api.call(putSignInRules, { body }));
            await renewed();
          }}
          onClose={() => setChanges(false)}
          fields={({ draft, errors }) => [
            {
              of: "tokens",
              label: "An access token signs in",
              hint: "Off: an administrator with a passkey must be there. Programs go on.",
            },
            errors.tokens && (
              <p key="wrong" class="notice is-warning" role="alert">{errors.tokens}</p>
            ),
            {
              of: "second",
              label: "A second factor beside it",
              hint:
                "On: an access token signs in with a one-time code. An administrator with a passkey or one-time codes must be there. Programs go on.",
              disabled: !draft.tokens,
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
      )}
    </div>
  );
}
