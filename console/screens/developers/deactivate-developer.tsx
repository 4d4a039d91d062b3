import { useMemo, useState } from "preact/hooks";
import { PlainFailure } from "../../../src/kernel/failure-plain.ts";
import { api, decisionKey } from "../../api/client.ts";
import { deactivateDeveloper } from "../../api/endpoints.ts";
import { may } from "../../api/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { say } from "../../said.ts";
import { countOf, type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";
import { KeysChoice } from "./keys-choice.tsx";

/** Deactivates a developer; what becomes of their keys has to be said. */
export function DeactivateDeveloper({ developer, onDone, onClose }: {
  developer: DeveloperDetail;
  onDone: (developer: DeveloperDetail) => void;
  onClose: () => void;
}) {
  const [keys, setKeys] = useState<"keep" | "suspend" | "revoke">();
  const { id, keys: count } = developer;
  const headers = useMemo(decisionKey, [keys]);
  const choices = {
    keep: "Keep: they open what they open",
    ...may("revoke") && {
      suspend: "Suspend: they open nothing until they are resumed",
      revoke: may("approve")
        ? "Revoke: they open nothing any more, for good"
        : "Revoke: they open nothing any more; whoever may approve can undo it for 7 days",
    },
  };
  return (
    <Confirm
      title={say`Deactivate ${nameOf(developer)}?`}
      note="The portal no longer lets them sign in. Their sessions and tokens end for good, and their open claim links are withdrawn."
      action="Deactivate"
      onConfirm={async () => {
        const chosen = keys ?? (count === 0 ? "keep" : undefined);
        if (chosen === undefined) {
          throw new PlainFailure("invalid_input", { message: "Say what becomes of their keys." });
        }
        const call = { params: { id }, body: { keys: chosen }, headers };
        onDone(await api.call(deactivateDeveloper, call).finally(() => forgetDevelopers()));
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
