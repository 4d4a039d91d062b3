import { queries, useCall } from "../../api/queries.ts";
import { endSession, endSessions, listSessions } from "../../api/session-endpoints.ts";
import { api } from "../../api/client.ts";
import { known, leave, left, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Unread } from "../../parts/states.tsx";
import { Tag } from "../../parts/pill.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { Passkeys } from "./passkeys.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { useCaller } from "./person.ts";
import { YourChoices } from "./your-choices.tsx";

const TakeTemporaryAccess = lazily(() => import("./take-temporary-access.tsx"));
const WhileAway = lazily(() => import("./while-away.tsx"));
const Identities = lazily(() => import("./identities.tsx"));
const OneTimeCodes = lazily(() => import("./one-time-codes.tsx"));

/** The signed-in person with their session, and the way out. */
export default function YourFacts() {
  const token = useCaller()?.access_token;
  const signed = known();
  if (!signed) return null;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="You">
      <h2 class="group-title">You</h2>
      <Facts>
        <Fact name="Name">{signed.person.name}</Fact>
        <Fact name="Organisation">{signed.organisation.name}</Fact>
        <Fact name="Permissions">
          <ul>
            {sorted(signed.permissions).map((one) => <li key={one}>{permissionName(one)}</li>)}
          </ul>
        </Fact>
      </Facts>
      <h2 class="group-title">This session</h2>
      <Facts>
        <Fact name="Signed in with">{token && say`“${token.name}”`}</Fact>
        <Fact name="Expires">
          <Time at={signed.expires_at} />
          {signed.idle_minutes > 0 && say`, after ${signed.idle_minutes} minutes without use`}
          {token && ", or with its access token"}
        </Fact>
      </Facts>
      <div class="settings-action">
        <Button onClick={() => leave().catch(toastFailure)}>Sign out</Button>
      </div>
      <TakeTemporaryAccess />
      {may("approve") && <WhileAway />}
      <Passkeys />
      <OneTimeCodes />
      <Identities />
      <YourChoices />
      <OwnSessions />
    </div>
  );
}

const KEY = ["sessions"];

/** A person's own sessions, and the buttons that revoke them. */
function OwnSessions() {
  const read = useCall(KEY, listSessions, {});
  const end = async (id: string, name: string) => {
    await api.call(endSession, { params: { id } })
      .then(() => toast({ text: say`${name} is signed out.` }), toastFailure);
    await queries.invalidateQueries({ queryKey: KEY });
  };
  const sessions = (read.data?.data ?? []).map((one) => ({
    ...one,
    name: one.browser || "A program",
  }));
  return (
    <section class="settings-action" aria-label="Where you are signed in">
      <h2 class="group-title">Where you are signed in</h2>
      {read.data === undefined && <Unread of={read} lines={2} />}
      <ul class="cards is-wide">
        {sessions.map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.name}</b>
              {one.current && <Tag>this session</Tag>}
            </p>
            <p class="muted">
              Signed in {one.signed_in_by === "passkey" && "by passkey "}
              {one.signed_in_by === "provider" && "by the company’s sign-in "}
              {one.address && say`from ${one.address} `}
              <Time at={one.date_created} /> · last used <Time at={one.last_used_at} />
            </p>
            {!one.current && (
              <div class="card-actions">
                <Button
                  label={say`Sign out ${one.name}, since ${exactTime(one.date_created)}`}
                  onClick={() => void end(one.id, one.name)}
                >
                  Sign out
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <Button onClick={() => left(() => api.call(endSessions, {})).catch(toastFailure)}>
        Sign out everywhere
      </Button>
    </section>
  );
}
