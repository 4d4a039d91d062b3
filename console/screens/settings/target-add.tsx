import { useState } from "preact/hooks";
import type { Target } from "../../api/targets.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { TargetForm } from "./target-form.tsx";

const MailForm = lazily(() => import("./mail-form.tsx"));

/**
 * Asks of which kind a further target is, then makes it. `mails`: the target of mails that there
 * is.
 */
export function AddTarget({ mails, onSaved, onClose }: {
  mails: Target | undefined;
  onSaved: (target: Target) => void;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<Target["kind"]>();
  if (kind === "webhook") return <TargetForm onSaved={onSaved} onClose={onClose} />;
  if (kind === "mail") return <MailForm onSaved={onSaved} onClose={onClose} />;
  return (
    <Dialog title="Add a target" note="Who is to be told of changes?" onClose={onClose}>
      <div class="target-kinds">
        <button type="button" class="target-kind" autofocus onClick={() => setKind("webhook")}>
          <b>Webhook</b>
          <span>
            A server of yours, or a channel of Slack, Teams or Discord: it gets a message about each
            change that it wants to know of.
          </span>
        </button>
        {mails
          ? <MailsAreThere name={mails.name} />
          : (
            <button type="button" class="target-kind" onClick={() => setKind("mail")}>
              <b>Mail</b>
              <span>
                People: approvers about requests that wait, developers about theirs, owners about
                certificates that end.
              </span>
            </button>
          )}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
      </DialogButtons>
    </Dialog>
  );
}

function MailsAreThere({ name }: { name: string }) {
  return (
    <p class="notice">
      <span>
        Mail can’t be added: an organisation has one target of mails, and <b>{name}</b>{" "}
        is it. Change that one.
      </span>
    </p>
  );
}
