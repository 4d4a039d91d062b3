import { useState } from "preact/hooks";
import type { z } from "zod";
import type { checkIdentityProvider } from "../../../src/features/people/identity-providers/identity-providers.operations.ts";
import { api } from "../../api/client.ts";
import {
  checkIdentityProvider as check,
  deleteIdentityProvider,
  listIdentityProviders,
} from "../../api/identity-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyField } from "../../parts/copy.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Managed } from "../../parts/managed.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { summaryOf } from "./permission-words.ts";
import { presetTerms } from "../../../src/contract/provider-presets.ts";
import type { Provider } from "./provider-draft.ts";
import { ProviderForm } from "./provider-form.tsx";

const KEY = ["identity-providers"];
const again = () => queries.invalidateQueries({ queryKey: KEY });

/** The identity providers of the organisation, and all that administrators do with them. */
export default function Providers() {
  const read = useCall(KEY, listIdentityProviders, {});
  const [doing, setDoing] = useState<{ changes?: Provider }>();
  const stop = () => setDoing(undefined);
  return (
    <section class="settings-action" aria-label="Company sign-in">
      <h2 class="group-title">Company sign-in</h2>
      {read.data === undefined && <Unread of={read} lines={2} />}
      {read.data?.data.length === 0 && (
        <p class="muted">
          None yet. By OpenID Connect people, or developers at their pages, sign in where they do
          for everything else.
        </p>
      )}
      <ul class="cards is-wide">
        {(read.data?.data ?? []).map((one) => (
          <li key={one.id} class="card">
            <ProviderCard provider={one} onChange={() => setDoing({ changes: one })} />
          </li>
        ))}
      </ul>
      {may("admin") && <Button onClick={() => setDoing({})}>Add a provider</Button>}
      {doing && <ProviderForm before={doing.changes} onSaved={again} onClose={stop} />}
    </section>
  );
}

function ProviderCard({ provider, onChange }: { provider: Provider; onChange: () => void }) {
  const { id, name, issuer, client_id, has_secret, domains, groups, creates_people } = provider;
  const isForPeople = provider.for === "people";
  const noDomains = isForPeople ? "No one: no mail domain is named" : "Everybody";
  const [busy, run] = useBusy();
  const [checked, setChecked] = useState<CheckResult>();
  const { last_refused, problem, gives_refresh_tokens } = provider;
  const back = provider.return_address ??
    here(isForPeople ? `/console/from/${id}` : `/portal/from/${id}`);
  const logout = provider.logout_address ?? here(
    isForPeople ? `/v1/session/provider/${id}/logout` : `/v1/my/session/provider/${id}/logout`,
  );
  const tryIt = () =>
    run(async () => {
      const found = await api.call(check, { params: { id } });
      setChecked(found);
      // Its problem is over by that, here and on Home.
      if (found.works) {
        for (const queryKey of [KEY, ["server"]]) void queries.invalidateQueries({ queryKey });
      }
    });
  return (
    <>
      <p class="card-head">
        <b>{name}</b>
      </p>
      <Managed kind="identity_providers" id={id} />
      <Facts>
        <Fact name="For">
          {isForPeople ? "People, at this console" : "Developers, at their pages"}
        </Fact>
        <Fact name="Issuer">{issuer}</Fact>
        <Fact name="Client id">{client_id}</Fact>
        <Fact name="Client secret">{has_secret ? "Kept sealed" : "None"}</Fact>
        <Fact name="Offered to">{listed(domains) || noDomains}</Fact>
        {groups.map(({ group, permissions }) => (
          <Fact key={group} name={say`Group ${group}`}>{summaryOf(permissions)}</Fact>
        ))}
        <Fact name="Newcomers">
          {isForPeople
            ? creates_people ? "Added where one of their groups is above" : "Not added"
            : "Sign up by a mailed code, where sign-up is open to them"}
        </Fact>
        <Fact name={isForPeople ? "Linked people" : "Linked developers"}>{provider.people}</Fact>
        <Fact name="Disabled at the provider">{untilWhen(provider)}</Fact>
        {last_refused && (
          <Fact name="Last refused">
            <Time at={last_refused.at} />: {last_refused.reason}
            {last_refused.by === "browser" && " (the browser said so, the provider did not)"}
          </Fact>
        )}
      </Facts>
      {problem && (
        <p class="notice is-warning">
          Since <Time at={problem.since} />: {problem.reason}.
        </p>
      )}
      {gives_refresh_tokens === false && provider.session_minutes === null && (
        <p class="notice is-warning">
          It gives no refresh token: a person who is disabled at the provider stays signed in until
          their session expires.
        </p>
      )}
      <CopyField label="Redirect URI" text={back} />
      <CopyField label="Back-channel logout URI" text={logout} />
      {provider.client_auth === "private_key_jwt" && (
        <CopyField
          label="JWKS URI"
          text={provider.jwks_address ?? here(`/v1/session/provider/${id}/jwks`)}
        />
      )}
      <details class="provider-fold">
        <summary>Settings at the provider</summary>
        <ol>
          {presetTerms[provider.preset].setup.map((step) => (
            <li key={step}>
              {step.replace("{return_address}", back).replace("{logout_address}", logout)}
            </li>
          ))}
        </ol>
      </details>
      {checked && <Tried checked={checked} />}
      {may("admin") && (
        <div class="card-actions">
          <Button busy={busy} label={say`Try it: ${name}`} onClick={() => void tryIt()}>
            Try it
          </Button>
          <Button label={say`Change ${name}`} onClick={onChange}>Change</Button>
          <Button label={say`Remove ${name}`} onClick={() => remove(provider)}>Remove</Button>
        </div>
      )}
    </>
  );
}

type CheckResult = z.output<typeof checkIdentityProvider.response>;

/** The result of a check. */
function Tried({ checked }: { checked: CheckResult }) {
  return (
    <div class={checked.works ? "notice" : "notice is-warning"} role="status">
      <div>
        <p>
          {checked.works
            ? say`It answers: ${checked.keys} keys, signs by ${listed(checked.algorithms)}.`
            : say`No one can sign in by it now: ${checked.problem}.`}
        </p>
        {checked.problems.slice(1).map((one) => <p key={one}>{one}.</p>)}
        {checked.notes.map((one) => <p key={one}>Note: {one}.</p>)}
        {checked.outbound !== null && (
          <p>
            Add to <code>KEYDESK_OUTBOUND</code>:{" "}
            <code class="provider-hosts">{checked.outbound}</code>
          </p>
        )}
      </div>
    </div>
  );
}

/** How soon a person is signed out whom the provider disabled. */
function untilWhen({ gives_refresh_tokens, recheck_minutes, session_minutes }: Provider): string {
  const end = session_minutes === null
    ? "when their session expires, within 7 days"
    : say`within ${session_minutes} minutes, with their session`;
  if (gives_refresh_tokens === true) return say`Out within ${recheck_minutes} minutes`;
  return gives_refresh_tokens === false ? say`Out ${end}` : "Not known before the first sign-in";
}

/** Without a configured public address, it is this page's. */
function here(path: string): string {
  return location.origin + path;
}

function remove({ id, name, people }: Provider): void {
  ask({
    title: say`Remove ${name}?`,
    note:
      "No one can sign in by it any more, and its accounts are unlinked. Sessions that began with it are revoked.",
    action: "Remove",
    danger: true,
    more: people > 0 && (
      <p class="notice is-warning">
        Linked accounts: {people}. Who has no other way in needs an invitation then.
      </p>
    ),
    run: async () => {
      await api.call(deleteIdentityProvider, { params: { id } });
      await again();
    },
    done: say`${name} is removed.`,
  });
}
