import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { listSignInWays } from "../../../src/features/sign-in/sign-in-rules.operations.ts";
import { codeOf, wordsOf } from "../../api/client.ts";
import { type Company, goTo } from "../../api/company.ts";
import { enter, readShell } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { CodeField } from "./code-field.tsx";

/** The ways to sign in with an address. */
export type Ways = Pick<z.output<typeof listSignInWays.response>, "ways" | "providers">;

/**
 * The second half of the sign-in's form: the ways that the server offers, and the result.
 * `submit.run` is the action of Enter.
 */
export function ChosenWay({ offered: { ways, providers }, isChosen, submit }: {
  offered: Ways;
  /** Whether the one way was chosen without an address. */
  isChosen: boolean;
  submit: { run: () => void };
}) {
  const [accessToken, setAccessToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  // Undefined: none was asked for.
  const [code, setCode] = useState<string>();
  useEffect(() => {
    // A person who came so far is signed in soon.
    void readShell();
    if (isChosen && !takesToken) void byPasskey();
  }, []);
  const takesToken = ways.includes("token");
  const trying = async (work: () => Promise<void>, words: (error: unknown) => string) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(words(error));
    }
    setBusy(false);
  };
  const byToken = () =>
    trying(
      () => enter({ access_token: accessToken, ...code ? { one_time_code: code } : {} }),
      (error) => {
        const why = codeOf(error);
        if (why === "one_time_code_required") setCode("");
        return why === "one_time_code_required"
          ? ""
          : why === "not_authorised"
          ? "This access token is not valid: it is mistyped, has expired, or was revoked."
          : wordsOf(error);
      },
    );
  const byPasskey = async () => {
    const { enterByPasskey, isUnchosen, NOTHING_CHOSEN } = await import("../../api/passkeys.ts");
    await trying(
      enterByPasskey,
      (error) =>
        isUnchosen(error)
          ? NOTHING_CHOSEN
          : codeOf(error) === "not_authorised"
          ? "This passkey is not valid: it was removed, or its person was."
          : wordsOf(error),
    );
  };
  const byProvider = (one: Company) => trying(() => goTo(one, "sign-in"), wordsOf);
  submit.run = () => {
    if (busy) return;
    const [provider] = providers;
    if (provider && ways.length === 0) return void byProvider(provider);
    if (!takesToken) return void byPasskey();
    if (accessToken.trim() === "") return setProblem("Paste your access token here.");
    if (code === "") return setProblem("Type a code here.");
    void byToken();
  };
  return (
    <>
      {ways.includes("passkey") && (
        <Button
          kind={takesToken ? "plain" : "primary"}
          busy={busy}
          onClick={() => void byPasskey()}
        >
          Use a passkey
        </Button>
      )}
      {providers.map((one) => (
        <Button
          key={one.id}
          kind={ways.length === 0 ? "primary" : "plain"}
          busy={busy}
          onClick={() => void byProvider(one)}
        >
          Continue with {one.name}
        </Button>
      ))}
      {takesToken
        ? (
          <>
            <TextField
              label="Your access token"
              type="password"
              autocomplete="current-password"
              value={accessToken}
              error={code === undefined ? problem : ""}
              autoFocus
              onInput={(typed) => {
                setAccessToken(typed);
                setProblem("");
                setCode(undefined);
              }}
            />
            {code !== undefined && (
              <CodeField
                value={code}
                error={problem}
                onInput={(typed) => {
                  setCode(typed);
                  setProblem("");
                }}
              />
            )}
            <Button kind="primary" type="submit" busy={busy}>
              {busy ? "Signing in…" : "Sign in"}
            </Button>
          </>
        )
        : problem !== "" && <p class="notice" role="alert">{problem}</p>}
      {ways.length + providers.length === 0 && (
        <p class="sign-in-hint">There is no way to sign in with this address.</p>
      )}
    </>
  );
}
