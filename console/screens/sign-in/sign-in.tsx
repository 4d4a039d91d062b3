/* Sign-in. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { z } from "zod";
import type { signInPage } from "../../../src/features/branding/branding.contract.ts";
import { api, wordsOf } from "../../api/client.ts";
import { getSignInBranding, listSignInWays } from "../../api/session-endpoints.ts";
import { plain, signInNote } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Mark } from "../../parts/mark.tsx";
import { OfflineBanner } from "../../parts/offline-banner.tsx";
import { ChosenWay, type Ways } from "./chosen-way.tsx";

type Brand = z.output<typeof signInPage>;

/** An IP address has no passkeys. */
const hasPasskeys = /^\w.*[a-z]/i.test(location.hostname);

/**
 * The sign-in: an address, then the ways that the server offers to its domain, whoever has it. The
 * address of the page stays, so the person goes on there.
 */
export function SignIn() {
  const [email, setEmail] = useState("");
  const [offered, setOffered] = useState<Ways>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [brand, setBrand] = useState<Brand>();
  const chosen = useRef({ run: () => {} }).current;
  useEffect(() => {
    document.title = "Sign in · Keydesk";
    // Without it the page is Keydesk's own.
    api.call(getSignInBranding, {}).then(setBrand, () => {});
  }, []);
  const ask = async () => {
    if (email.trim() === "") return setProblem("Write your address here.");
    setBusy(true);
    back(undefined);
    try {
      setOffered(await plain.call(listSignInWays, { body: { email } }));
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setBusy(false);
  };
  const back = (next: Ways | undefined) => {
    setOffered(next);
    setProblem("");
  };
  /** Leads to the one way, or back to the address. */
  const link = (words: string, way?: Ways["ways"][number]) => (
    <button
      type="button"
      class="text-link"
      onClick={() => {
        setEmail("");
        back(way && { ways: [way], providers: [] });
      }}
    >
      {words}
    </button>
  );
  return (
    <main class="sign-in">
      <OfflineBanner />
      <form
        class="sign-in-box"
        style={brand?.colour ? { "--accent": brand.colour, "--accent-hover": brand.colour } : {}}
        onSubmit={(event) => {
          event.preventDefault();
          if (offered) chosen.run();
          else if (!busy) void ask();
        }}
      >
        <p class="brand">
          {brand?.logo
            ? <img class="brand-logo" src={brand.logo} alt="" />
            : <Mark letter={brand?.name[0]} />}
          {brand?.name || "Keydesk"}
        </p>
        <h1 class="sign-in-title">Sign in</h1>
        {signInNote.value !== "" && <p class="notice" role="status">{signInNote.value}</p>}
        {(!offered || email !== "") && (
          <TextField
            label="Your e-mail address"
            type="email"
            autocomplete="username"
            value={email}
            error={problem}
            autoFocus
            onInput={(typed) => {
              setEmail(typed);
              back(undefined);
            }}
          />
        )}
        {offered && <ChosenWay offered={offered} isChosen={email === ""} submit={chosen} />}
        {offered && email === "" && <p class="sign-in-hint">{link("Another way")}</p>}
        {!offered && (
          <>
            <Button kind="primary" type="submit" busy={busy}>Continue</Button>
            <p class="sign-in-hint">
              {hasPasskeys && <>{link("Use a passkey", "passkey")} ·{" "}</>}
              {link("Use an access token", "token")}
            </p>
          </>
        )}
        <p class="sign-in-hint">
          Or run <code>{brand?.command ?? "keydesk"} console</code>{" "}
          on the server: it prints a link that signs you in once, without pasting anything.
          {brand?.support && (
            <>
              {" "}
              Questions? <a class="text-link" href={`mailto:${brand.support}`}>{brand.support}</a>
            </>
          )}
        </p>
      </form>
    </main>
  );
}
