import { useRef, useState } from "preact/hooks";
import type { z } from "zod";
import type { madeInvitation } from "../../../src/features/sign-in/invitations.operations.ts";
import { api, decisionKey } from "../../api/client.ts";
import {
  invitePerson,
  invitePersonAgain,
  withdrawPersonInvitation,
} from "../../api/sign-in-endpoints.ts";
import { ask, Confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { personBody, type PersonDraft, PersonFields, personPlaces } from "./person-fields.tsx";
import { forgetPeople, type Person } from "./person.ts";

const NOBODY: PersonDraft = { name: "", email: "", role: "", permissions: [], scope: null };

type Made = z.output<typeof madeInvitation>;

/** Adds a person and invites them, in one step. */
export function InvitePerson({ onDone, onClose }: {
  onDone: (id: string) => void;
  onClose: () => void;
}) {
  const [made, setMade] = useState<Made>();
  const once = useRef(decisionKey());
  const isMade = useRef(false);
  if (made) {
    return <InviteLink made={made} onDone={() => onDone(made.person_id)} />;
  }
  return (
    <FormDialog
      name="invitation"
      title="Invite a person"
      note="A link lets them in once, within three days."
      action="Invite"
      initial={{ ...NOBODY }}
      places={personPlaces}
      onSave={async (draft) => {
        const body = personBody(draft);
        if (body.name === "") throw new Unfit({ name: "Write a name here." });
        const answer = await api.call(invitePerson, { body, headers: once.current });
        void forgetPeople();
        isMade.current = true;
        if (answer.mailed_to === null) return setMade(answer);
        toast({ text: say`${body.name} is invited: the link goes to ${answer.mailed_to}.` });
        onDone(answer.person_id);
      }}
      onClose={() => isMade.current || onClose()}
      fields={({ draft, set, errors }) => (
        <PersonFields draft={draft} set={set} errors={errors} before={[]} needsAddress />
      )}
    />
  );
}

/** Invites a known person, such as one who lost their passkey. */
export function InviteAgain({ person, onClose }: { person: Person; onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  if (made) return <InviteLink made={made} onDone={onClose} />;
  return (
    <Confirm
      title={say`Invite ${person.name}?`}
      note="The link signs them in once, within three days. A link that they already have is no longer valid."
      action="Invite"
      onConfirm={async () => {
        const params = { id: person.id };
        const answer = await api.call(invitePersonAgain, { params, headers: decisionKey() });
        void forgetPeople();
        if (answer.mailed_to === null) {
          setMade(answer);
          return false;
        }
        toast({ text: say`The link goes to ${answer.mailed_to}.` });
      }}
      onClose={onClose}
    />
  );
}

/** Takes an invitation back. */
export function withdrawInvitation({ id, name }: Person): void {
  ask({
    title: say`Withdraw the invitation of ${name}?`,
    note: "Its link is not valid any more. Who has no other way in is deactivated with it.",
    action: "Withdraw",
    danger: true,
    run: async () => {
      await api.call(withdrawPersonInvitation, { params: { id } });
      void forgetPeople();
    },
    done: say`The invitation of ${name} is withdrawn.`,
  });
}

function InviteLink({ made, onDone }: { made: Made; onDone: () => void }) {
  return (
    <RevealedSecret
      title="Pass this link on"
      note={
        <>
          The first to open it is signed in as this person. It expires{" "}
          <Time at={made.expires_at} />.
        </>
      }
      parts={[{ label: "Link", value: linkOf(made.link ?? "") }]}
      stored="Keydesk keeps its hash alone, and can’t show it again."
      onDone={onDone}
    />
  );
}

/** Without a configured public address, it is this page's. */
function linkOf(link: string): string {
  return link.startsWith("/") ? location.origin + link : link;
}
