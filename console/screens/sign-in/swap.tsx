import { codeOf } from "../../api/client.ts";
import { enter, known, swap } from "../../api/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/**
 * Asks before a link signs a person in over another one: the other one's session ends, and unsent
 * input is lost.
 */
export default function Swap({ link: { code, name, organisation } }: {
  link: { code: string; name: string; organisation: string };
}) {
  const here = known();
  if (!here) return null;
  const stay = () => {
    swap.value = null;
  };
  return (
    <Confirm
      title={say`Sign in as ${name}?`}
      note={say`You are signed in as ${here.person.name} (${here.organisation.name}). The link that you came by signs in ${name} (${organisation}). Signing in signs you out of your present session. If you did not expect this, stay.`}
      action={say`Sign in as ${name}`}
      onConfirm={async () => {
        try {
          await enter({ code });
        } catch (error) {
          if (codeOf(error) !== "not_authorised") throw error;
          toast({ text: "This link is not valid any more.", kind: "bad" });
        }
      }}
      onClose={stay}
    />
  );
}
