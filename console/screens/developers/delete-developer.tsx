import { useState } from "preact/hooks";
import { ToldFailure } from "../../../src/kernel/failure-told.ts";
import { api } from "../../api/client.ts";
import { deleteDeveloper } from "../../api/endpoints.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { toast } from "../../parts/toasts.tsx";
import { countOf, type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";

/** Deletes a developer; what becomes of their keys has to be said. */
export function DeleteDeveloper({ developer, onDeleted, onClose }: {
  developer: DeveloperDetail;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [keys, setKeys] = useState<"revoke" | "keep">();
  const { id, keys: count } = developer;
  const name = nameOf(developer);
  return (
    <Confirm
      title={`Delete ${name}?`}
      note={
        <>
          Their undecided requests go with them. There is no way back; to let them sign in no more,
          deactivate them instead.
        </>
      }
      action="Delete"
      danger
      onConfirm={async () => {
        const chosen = keys ?? (count === 0 ? "revoke" : undefined);
        if (chosen === undefined) {
          throw new ToldFailure("invalid_input", { message: "Say what becomes of their keys." });
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
          text: `${name} is deleted, with ${told(gone.deleted_requests, "request")} and ${
            told(gone.revoked_keys, "revoked key")
          }.`,
        });
        onDeleted();
      }}
      onClose={onClose}
    >
      {count > 0 && (
        <fieldset class="choices">
          <legend class="field-label">
            Their {count === 1 ? "key" : `${countOf(count)} keys`}
          </legend>
          <Choice
            text="Revoke: within a second they open nothing"
            checked={keys === "revoke"}
            onChoose={() => setKeys("revoke")}
          />
          <Choice
            text="Keep: they open what they open, and belong to nobody"
            checked={keys === "keep"}
            onChoose={() => setKeys("keep")}
          />
        </fieldset>
      )}
    </Confirm>
  );
}

function Choice({ text, checked, onChoose }: {
  text: string;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label class="check">
      <input type="radio" name="keys" checked={checked} onChange={onChoose} />
      {text}
    </label>
  );
}

function told(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
