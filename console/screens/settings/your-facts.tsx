import { known, leave, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Time } from "../../parts/time.tsx";
import { toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { OwnSessions } from "./own-sessions.tsx";
import { Passkeys } from "./passkeys.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { useCaller } from "./person.ts";
import { YourChoices } from "./your-choices.tsx";

const Elevate = lazily(() => import("./elevate.tsx"));
const WhileAway = lazily(() => import("./while-away.tsx"));
const Identities = lazily(() => import("./identities.tsx"));
const OneTimeCodes = lazily(() => import("./one-time-codes.tsx"));

/** Who is signed in, by what, until when; and the way out. */
export default function YourFacts() {
  const token = useCaller()?.credential;
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
        <Fact name="Ends">
          <Time at={signed.expires_at} />
          {signed.idle_minutes > 0 && say`, after ${signed.idle_minutes} minutes without use`}
          {token && ", or with its access token"}
        </Fact>
      </Facts>
      <div class="settings-action">
        <Button
          onClick={() => leave().catch(toastFailure)}
        >
          Sign out
        </Button>
      </div>
      <Elevate />
      {may("approve") && <WhileAway />}
      <Passkeys />
      <OneTimeCodes />
      <Identities />
      <YourChoices />
      <OwnSessions />
    </div>
  );
}
