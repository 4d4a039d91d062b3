import { useEffect, useState } from "preact/hooks";
import { codeOf, wordsOf } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { enter, signInNote } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Mark } from "../../parts/mark.tsx";
import { OfflineBanner } from "../../parts/offline-banner.tsx";

/** The way in: an access token is traded for a session, and forgotten. The address stays, so one goes on where one was. */
export function SignIn() {
  const [credential, setCredential] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    document.title = "Sign in · Keydesk";
    queries.clear();
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
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="brand">
          <Mark /> Keydesk
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
        </p>
      </form>
    </main>
  );
}
