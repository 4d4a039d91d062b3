import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { deletePasskey, listPasskeys } from "../../api/sign-in-endpoints.ts";
import { isUnchosen, makePasskey, NOTHING_CHOSEN } from "../../api/passkeys.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { LastUsed } from "../../parts/session-cards.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

const KEY = ["passkeys"];

/** One's own passkeys: which there are, when each was used, and how to add and remove one. */
export function Passkeys() {
  const read = useCall(KEY, listPasskeys, {});
  const [adds, setAdds] = useState(false);
  return (
    <section class="settings-action" aria-label="Passkeys">
      <h2 class="group-title">Passkeys</h2>
      {read.data === undefined && <Unread of={read} lines={2} />}
      {read.data?.managed && (
        <p class="muted">None can be added: your company’s sign-in says when you are out.</p>
      )}
      {read.data?.data.length === 0 && !read.data.managed && (
        <p class="muted">None yet. A passkey signs you in by finger, face or PIN, for a week.</p>
      )}
      <ul class="cards is-wide">
        {(read.data?.data ?? []).map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.name}</b>
            </p>
            <p class="muted">
              For {one.host} · added <Time at={one.date_created} /> ·{" "}
              <LastUsed at={one.last_used_at} />
            </p>
            <div class="card-actions">
              <Button label={say`Remove ${one.name}`} onClick={() => remove(one)}>Remove</Button>
            </div>
          </li>
        ))}
      </ul>
      {!read.data?.managed && <Button onClick={() => setAdds(true)}>Add a passkey</Button>}
      {adds && (
        <FormDialog
          name="passkey"
          title="Add a passkey"
          note="Your browser asks where to keep it."
          action="Add"
          initial={{ name: "" }}
          onSave={async ({ name }) => {
            if (name.trim() === "") throw new Unfit({ name: "Write a name here." });
            try {
              await makePasskey(name.trim());
            } catch (error) {
              throw isUnchosen(error) ? new Unfit({ name: NOTHING_CHOSEN }) : error;
            }
            toast({ text: say`${name.trim()} signs you in from now on.` });
            await again();
          }}
          onClose={() => setAdds(false)}
          fields={[
            {
              of: "name",
              label: "Name",
              hint: "Such as Laptop, or Key on my ring.",
              maxLength: 60,
              autoFocus: true,
              required: true,
            },
          ]}
        />
      )}
    </section>
  );
}

function remove({ id, name }: { id: string; name: string }): void {
  ask({
    title: say`Remove ${name}?`,
    note: "It is not valid any more. Sessions that began with it go on.",
    action: "Remove",
    danger: true,
    run: () => api.call(deletePasskey, { params: { id } }).catch(toastFailure).then(again),
  });
}

const again = () => queries.invalidateQueries({ queryKey: KEY });
