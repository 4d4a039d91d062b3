import { useState } from "preact/hooks";
import type { z } from "zod";
import type { beginOneTimeCodes as begun } from "../../../src/features/people/one-time-codes.operations.ts";
import { api } from "../../api/client.ts";
import {
  beginOneTimeCodes,
  createOneTimeCodes,
  deleteOneTimeCodes,
  getOneTimeCodes,
  renewRecoveryCodes,
} from "../../api/sign-in-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyField } from "../../parts/copy.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { LastUsed } from "../../parts/session-cards.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toastFailure } from "../../parts/toasts.tsx";
import { QrCode } from "./qr-code.tsx";

const KEY = ["one-time-codes"];

/** One's own one-time codes: whether there are any, and how to set them up and remove them. */
export default function OneTimeCodes() {
  const read = useCall(KEY, getOneTimeCodes, {});
  const [secret, setSecret] = useState<z.output<typeof begun.response>>();
  // The one place where they stand; they go with Done.
  const [codes, setCodes] = useState<readonly string[]>();
  const again = () => queries.invalidateQueries({ queryKey: KEY });
  const setUpAt = read.data?.set_up_at;
  const renew = () =>
    ask({
      title: "Make recovery codes anew?",
      note: "Those you have are not valid any more.",
      action: "Make new ones",
      run: async () => {
        setCodes((await api.call(renewRecoveryCodes, {})).codes);
        await again();
      },
    });
  const remove = () =>
    ask({
      title: "Remove your one-time codes?",
      note: "Your access token alone signs you in then, where your organisation lets it.",
      action: "Remove",
      danger: true,
      run: () => api.call(deleteOneTimeCodes, {}).then(again),
      done: "Your one-time codes are removed.",
    });
  return (
    <section class="settings-action" aria-label="One-time codes">
      <h2 class="group-title">One-time codes</h2>
      {read.data === undefined && <Unread of={read} lines={2} />}
      {read.data && !setUpAt && (
        <p class="muted">
          None. Where you have no passkey, a code of an authenticator app beside your access token
          signs you in.
        </p>
      )}
      {read.data && setUpAt && (
        <p class="muted">
          An authenticator app, since <Time at={setUpAt} /> ·{" "}
          <LastUsed at={read.data.last_used_at} /> · {read.data.recovery_codes} recovery codes left
        </p>
      )}
      {read.data && (
        <div class="card-actions">
          <Button
            onClick={() => void api.call(beginOneTimeCodes, {}).then(setSecret, toastFailure)}
          >
            {setUpAt ? "Set up another app" : "Set up one-time codes"}
          </Button>
          {setUpAt && <Button onClick={renew}>New recovery codes</Button>}
          {setUpAt && <Button onClick={remove}>Remove</Button>}
        </div>
      )}
      {secret && (
        <FormDialog
          name={`one-time codes ${secret.ticket}`}
          title="Set up one-time codes"
          note="Scan the picture with an authenticator app, and type the code that it shows."
          action="Set up"
          initial={{ code: "" }}
          places={{ first_code_refused: "code" }}
          onSave={async ({ code }) => {
            if (code.trim() === "") throw new Unfit({ code: "Type the app’s code here." });
            const body = { ticket: secret.ticket, code };
            setCodes((await api.call(createOneTimeCodes, { body })).codes);
            await again();
          }}
          onClose={() =>
            setSecret(undefined)}
          fields={[
            <QrCode key="qr-code" of={secret.uri} label="QR code of the secret below" />,
            <CopyField key="copy-field" label="Or type this secret" text={secret.secret} lines />,
            {
              of: "code",
              label: "Code",
              hint: "Six digits.",
              autocomplete: "one-time-code",
              maxLength: 16,
              autoFocus: true,
              required: true,
            },
          ]}
        />
      )}
      {codes && (
        <RevealedSecret
          title="Your recovery codes"
          note="Each signs you in once, instead of a one-time code, when you don’t have your app."
          parts={[{ label: "Recovery codes", value: codes.join("\n"), lines: true }]}
          stored="Shown once. Keydesk keeps their hashes alone."
          confirm="I have stored them"
          onDone={() => setCodes(undefined)}
        />
      )}
    </section>
  );
}
