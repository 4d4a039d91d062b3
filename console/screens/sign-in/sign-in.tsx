import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { signInBranding } from "../../../src/features/branding/branding.contract.ts";
import { api, codeOf, wordsOf } from "../../api/client.ts";
import { getSignInBranding } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { enter, signInNote } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { forgetLists } from "../../parts/kept-lists.ts";
import { TextField } from "../../parts/fields.tsx";
import { Mark } from "../../parts/mark.tsx";
import { OfflineBanner } from "../../parts/offline-banner.tsx";

type Brand = z.output<typeof signInBranding>;

/**
 * The way in: an access token is traded for a session, and forgotten. The address stays, so one
 * goes on where one was.
 */
export function SignIn() {
  const [credential, setCredential] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [brand, setBrand] = useState<Brand>();
  useEffect(() => {
    document.title = "Sign in · Keydesk";
    queries.clear();
    forgetLists();
  }, []);
  useEffect(() => {
    // Without it the page is Keydesk's own.
    api.call(getSignInBranding, {}).then(setBrand, () => {});
  }, []);
  const submit = async () => {
    if (credential.trim() === "") return setProblem("Paste your access token here.");
    setBusy(true);
    try {
      await enter({ credential });
    } catch (error) {
      setProblem(
        codeOf(error) === "not_authorised"
          ? "This access token opens nothing: it is mistyped, has expired, or was revoked."
          : wordsOf(error),
      );
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <OfflineBanner />
      <form
        class="sign-in-box"
        style={brand?.colour ? { "--accent": brand.colour, "--accent-hover": brand.colour } : {}}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
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
        <TextField
          label="Your access token"
          type="password"
          autocomplete="off"
          value={credential}
          error={problem}
          autoFocus
          onInput={(text) => {
            setCredential(text);
            setProblem("");
          }}
        />
        <Button kind="primary" type="submit" busy={busy}>{busy ? "Signing in…" : "Sign in"}</Button>
        <p class="sign-in-hint">
          Or run <code>npx keydesk console</code>{" "}
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
