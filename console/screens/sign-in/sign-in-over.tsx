import { useEffect, useState } from "preact/hooks";
import { codeOf, wordsOf } from "../../api/client.ts";
import { lastCompany } from "../../api/company.ts";
import { enterByPasskey, isUnchosen, NOTHING_CHOSEN } from "../../api/passkeys.ts";
import { enter, isStillIn, known, type Over } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { CodeField } from "./code-field.tsx";

const words = {
  ended: {
    title: "Sign in to go on",
    note: "Your session has expired. Your work is kept, and goes on once you are signed in.",
    leave: "Leave it",
  },
  fresh: {
    title: "Sign in again for this",
    note: "People, access tokens and sessions are changed within five minutes of a sign-in.",
    leave: "Cancel",
  },
};

/**
 * The sign-in over a page that waits for it, by the same person; another one's page begins afresh.
 */
export default function SignInOver({ over }: { over: Over }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  // Undefined: none was asked for.
  const [oneTime, setOneTime] = useState<string>();
  const { title, note, leave } = words[over.reason];
  useEffect(() => {
    // A link that was opened in another tab has signed this one in too.
    const look = async () => {
      if (await isStillIn() && (over.reason === "ended" || known()?.fresh)) over.done(true);
    };
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [over]);
  const submit = async () => {
    if (text.trim() === "") return setProblem("Paste your access token here.");
    if (oneTime === "") return setProblem("Type a code here.");
    setBusy(true);
    try {
      const code = /#code=(\S+)/.exec(text)?.[1];
      await enter(
        code !== undefined
          ? { code }
          : { access_token: text, ...oneTime ? { one_time_code: oneTime } : {} },
      );
    } catch (error) {
      const why = codeOf(error);
      if (why === "one_time_code_required") setOneTime("");
      setProblem(
        why === "one_time_code_required"
          ? ""
          : why === "not_authorised"
          ? "This is not valid: it is mistyped, was used, has expired, or was revoked."
          : wordsOf(error),
      );
      setBusy(false);
    }
  };
  const byPasskey = async () => {
    setBusy(true);
    try {
      await enterByPasskey();
    } catch (error) {
      setProblem(isUnchosen(error) ? NOTHING_CHOSEN : wordsOf(error));
      setBusy(false);
    }
  };
  const company = lastCompany();
  const cancel = () => over.done(false);
  return (
    <Dialog
      title={title}
      note={note}
      onClose={over.reason === "fresh" && !busy ? cancel : undefined}
    >
      <form
        class={`dialog-form is-${over.reason}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit();
        }}
      >
        <TextField
          label="Your access token"
          hint="Or a link that signs in, which the server prints."
          type="password"
          autocomplete="off"
          value={text}
          error={oneTime === undefined ? problem : ""}
          autoFocus
          onInput={(typed) => {
            setText(typed);
            setProblem("");
            setOneTime(undefined);
          }}
        />
        {oneTime !== undefined && (
          <CodeField
            value={oneTime}
            error={problem}
            onInput={(typed) => {
              setOneTime(typed);
              setProblem("");
            }}
          />
        )}
        {company && (
          // In a tab of its own: what waits here stays.
          <p class="field-hint">
            <a
              class="text-link"
              href={`/console/from/${company.id}`}
              target="_blank"
              rel="noopener"
            >
              Continue with {company.name}
            </a>{" "}
            in another tab, and come back.
          </p>
        )}
        <DialogButtons>
          <Button onClick={cancel} disabled={busy}>{leave}</Button>
          <Button onClick={() => void byPasskey()} disabled={busy}>Use a passkey</Button>
          <Button kind="primary" type="submit" busy={busy}>Sign in</Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
