import { checkingKinds } from "../../../src/contract/checking-gateways.ts";
import { api } from "../../api/client.ts";
import { updateGateway } from "../../api/gateway-endpoints.ts";
import type { CheckingGateway } from "../../api/gateways.ts";
import type { FormFields } from "../../parts/form-fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { kindNames } from "./kind-names.ts";

/** Minutes as they were typed. Throws Unfit for what is none. */
export function minutesOf(text: string): number {
  if (/^\d{1,5}$/.test(text.trim()) && Number(text) <= 10_080) return Number(text);
  throw new Unfit({ minutes: "Write whole minutes, 10080 at the most; 0: never." });
}

/** The field of a gateway's minutes. */
export const minutesField: FormFields<{ minutes: string }> = {
  of: "minutes",
  label: "Notify people after this many minutes without a call",
  hint: "0: never.",
  type: "number",
  min: 0,
  max: 10_080,
};

/** Changes the product of a gateway, and when it is silent. */
export default function CheckingForm(
  { gateway, onChanged, onClose }: {
    gateway: CheckingGateway;
    onChanged: () => void;
    onClose: () => void;
  },
) {
  const { id, name } = gateway;
  return (
    <FormDialog
      name={`gateway ${id}`}
      title={say`Change ${name}`}
      action="Save"
      initial={{ kind: gateway.kind, minutes: String(gateway.silent_minutes) }}
      places={{ silent_minutes: "minutes" }}
      onSave={async ({ kind, minutes }) => {
        const body = { kind, silent_minutes: minutesOf(minutes) };
        await api.call(updateGateway, { params: { id }, body });
        toast({ text: say`${name} is changed.` });
        onChanged();
      }}
      onClose={onClose}
      fields={[
        {
          of: "kind",
          label: "Product",
          options: checkingKinds.map((value) => ({ value, text: kindNames[value] })),
        },
        minutesField,
      ]}
    />
  );
}
