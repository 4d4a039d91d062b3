import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { previewPersonInvitation } from "../../../src/features/sign-in/invitations.operations.ts";
import { codeOf, wordsOf } from "../../api/client.ts";
import {
  acceptPersonInvitation,
  previewPersonInvitation as preview,
} from "../../api/sign-in-endpoints.ts";
import { isUnchosen, makePasskey, NOTHING_CHOSEN } from "../../api/passkeys.ts";
import { entered, invitation, plain, type Session } from "../../api/session.ts";
import { getSession } from "../../api/session-endpoints.ts";
import { Button } from "../../parts/button.tsx";
import { Mark } from "../../parts/mark.tsx";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { CodeField } from "./code-field.tsx";

type Preview = z.output<typeof previewPersonInvitation.response>;

const OVER = "This invitation is not valid: it was used already, withdrawn, or is over.";

/**
 * An invitation as its link opens it. Nothing is used by that: it is accepted by a press, which
 * then leads to a passkey, or to an access token for who has none.
 */
export default function Invitation({ text }: { text: string }) {
  const [invite, setInvite] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [here, setHere] = useState<Session>();
  const [isIn, setIsIn] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  // Undefined: none was asked for.
  const [code, setCode] = useState<string>();
  useEffect(() => {
    document.title = "Invitation · Keydesk";
    // A signed-in person sees which session would be revoked.
    plain.call(getSession, {}).then(setHere, () => {});
    plain.call(preview, { body: { invitation: text } }).then(setInvite, (error) => {
      setProblem(codeOf(error) === "not_found" ? OVER : wordsOf(error));
    });
  }, []);
  const trying = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      const isAsked = codeOf(error) === "one_time_code_required";
      if (isAsked) setCode("");
      setProblem(
        isAsked
          ? ""
          : isUnchosen(error)
          ? NOTHING_CHOSEN
          : codeOf(error) === "not_authorised"
          ? OVER
          : wordsOf(error),
      );
    }
    setBusy(false);
  };
  const accept = async (take_token: boolean) => {
    const body = { invitation: text, take_token, ...code ? { one_time_code: code } : {} };
    const { session, access_token } = await plain.call(acceptPersonInvitation, { body });
    await entered(session);
    setIsIn(true);
    if (access_token !== null) setToken(access_token);
  };
  const withPasskey = () =>
    trying(async () => {
      if (!isIn) await accept(false);
      await makePasskey("First passkey");
      leave();
    });
  const leave = () => {
    invitation.value = null;
  };
  const canMake = typeof PublicKeyCredential === "function";
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <p class="brand">
          <Mark letter={invite?.organisation[0]} />
          {invite?.organisation || "Keydesk"}
        </p>
        <h1 class="sign-in-title">{invite ? say`Welcome, ${invite.name}` : "Invitation"}</h1>
        {invite && (
          <p class="sign-in-hint">
            {isIn
              ? "You are in. Add a passkey, so that you get in again."
              : "A passkey of this device or your password manager lets you in from now on."}
            {!isIn && (
              <>
                {" "}The invitation expires <Time at={invite.expires_at} />.
              </>
            )}
          </p>
        )}
        {invite && here && !isIn && (
          <p class="notice is-warning">
            {say`You are signed in as ${here.person.name} (${here.organisation.name}). Accepting as ${invite.name} (${invite.organisation}) signs you out of that session.`}
          </p>
        )}
        {problem !== "" && <p class="notice is-warning" role="alert">{problem}</p>}
        {code !== undefined && !isIn && (
          <CodeField
            value={code}
            error=""
            onInput={(typed) => {
              setCode(typed);
              setProblem("");
            }}
          />
        )}
        {invite && canMake && (
          <Button kind="primary" busy={busy} onClick={() => void withPasskey()}>
            {isIn ? "Add a passkey" : "Accept with a passkey"}
          </Button>
        )}
        {invite?.tokens && !isIn && (
          <Button
            busy={busy}
            onClick={() => void trying(() => accept(true))}
          >
            Accept with an access token
          </Button>
        )}
        {(isIn || (problem !== "" && !invite)) && (
          <Button busy={busy} onClick={leave}>{isIn ? "Go on without" : "Sign in"}</Button>
        )}
        {token !== null && (
          <RevealedSecret
            title="Your access token"
            note={invite?.second_factor
              ? "It signs you in with a one-time code beside it: set these up now, in Settings → You. Keep it in your password manager."
              : "It signs you in from now on. Keep it in your password manager."}
            parts={[{ label: "Access token", value: token }]}
            stored="Keydesk keeps its hash alone, and can’t show it again."
            onDone={leave}
          />
        )}
      </div>
    </main>
  );
}
