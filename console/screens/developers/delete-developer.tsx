import { useState } from "preact/hooks";
import { PlainFailure } from "../../../src/kernel/failure-plain.ts";
import { api, decisionKey } from "../../api/client.ts";
import { deleteDeveloper, restoreDeveloper } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { countOf, type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";
import { KeysChoice } from "./keys-choice.tsx";

/** Deletes a developer; what becomes of their keys has to be said. */
export function DeleteDeveloper({ developer, onDeleted, onClose }: {
  developer: DeveloperDetail;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [keys, setKeys] = useState<"revoke" | "keep">();
  const { id, keys: count } = developer;
  const name = nameOf(developer);
  const choices = {
    ...may("revoke") && { revoke: "Revoke: within a second they open nothing" },
    keep: "Keep: they open what they open, and belong to nobody",
  };
  return (
    <Confirm
      title={say`Delete ${name}?`}
      note={
        <>
          Their undecided requests go with them, for good. Within 7 days somebody who may approve
          can bring back the developer and the keys that were revoked with them. To let them sign in
          no more, deactivate them instead.
        </>
      }
      action="Delete"
      danger
      onConfirm={async () => {
        const chosen = keys ?? (count === 0 ? "revoke" : undefined);
        if (chosen === undefined) {
          throw new PlainFailure("invalid_input", { message: "Say what becomes of their keys." });
        }
        const gone = await api.call(deleteDeveloper, {
          params: { id },
          query: { keys: chosen },
          headers: { "if-match": `"${developer.revision}"` },
        }).catch((error) => {
          // A refusal may be news about them.
          forgetDevelopers();
          throw error;
        });
        forgetDevelopers(id);
        toast({
          text: say`${name} is deleted, with ${told(gone.deleted_requests, "request")} and ${
            told(gone.revoked_keys, "revoked key")
          }.`,
          actions: may("approve") ? [{ label: "Undo", run: () => void undo(id, name) }] : [],
        });
        onDeleted();
      }}
      onClose={onClose}
    >
      {count > 0 && (
        <KeysChoice
          legend={`Their ${count === 1 ? "key" : `${countOf(count)} keys`}`}
          choices={choices}
          keys={keys}
          onChoose={setKeys}
        />
      )}
    </Confirm>
  );
}

/** Brings back a developer who has just been deleted. */
async function undo(id: string, name: string): Promise<void> {
  try {
    await api.call(restoreDeveloper, { params: { id }, body: {}, headers: decisionKey() });
    toast({ text: say`${name} is back.` });
  } catch (error) {
    toastFailure(error);
  } finally {
    forgetDevelopers();
  }
}

function told(count: number, what: string): string {
  return say`${count} ${what}${count === 1 ? "" : "s"}`;
}
