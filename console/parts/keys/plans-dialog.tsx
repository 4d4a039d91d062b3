import { api } from "../../api/client.ts";
import { setKeyPlans } from "../../api/endpoints.ts";
import { Confirm } from "../confirm.tsx";
import { useKeyEnd } from "../key-end.tsx";
import { toast } from "../toasts.tsx";
import { useField } from "../use-field.ts";
import { authTypes, type Key, ownerOf } from "./key.ts";
import { ExpiryFacts } from "./key-expiry.tsx";
import { PlanChoice } from "./plan-choice.tsx";

/** Gives a key other plans. */
export function PlansDialog({ of: key, opening, onChanged, onClose }: {
  of: Key;
  /** The API that it should open: plans that do so stand first. */
  opening?: string | undefined;
  onChanged: (key: Key) => void;
  onClose: () => void;
}) {
  const chosen = useField<string[]>(key.plans);
  const plans = chosen.value;
  const end = useKeyEnd("as above");
  return (
    <Confirm
      title="Change plans"
      note={
        <>
          What <code>{key.mask}</code> of {ownerOf(key)} is valid for, within a second.
        </>
      }
      action="Save plans"
      onClose={onClose}
      onConfirm={async () => {
        if (plans.length === 0) {
          return chosen.refuse("A key needs a plan. To make it valid for nothing, suspend it.");
        }
        const ends = end.sent();
        if (!ends) return false;
        const params = { key_id: key.key_id };
        onChanged(await api.call(setKeyPlans, { params, body: { plans, ...ends } }));
        toast({ text: "The key has its new plans." });
      }}
    >
      <PlanChoice
        chosen={plans}
        authTypes={authTypes[key.kind]}
        opening={opening}
        error={chosen.error}
        onChange={chosen.set}
      />
      <ExpiryFacts keyId={key.key_id} plans={plans} after="plans" />
      {end.field}
    </Confirm>
  );
}
