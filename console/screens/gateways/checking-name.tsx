import { useRef } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createGateway } from "../../api/gateway-endpoints.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { minutesField, minutesOf } from "./checking-form.tsx";

/** Adds a gateway without a documented file: its calls count by its name from now on. */
export default function NameOnly({ onSaved, onClose }: {
  onSaved: (id: string) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  return (
    <FormDialog
      name="name a gateway"
      title="Add a gateway"
      note="Have it state this name in X-Keydesk-Gateway, and ask about each call with an access token that may verify keys: see docs/gateways.md."
      action="Add"
      initial={{ name: "", minutes: "60" }}
      places={{ gateway_name_taken: "name", silent_minutes: "minutes" }}
      onSave={async ({ name, minutes }) => {
        const body = {
          connection: "checks" as const,
          name: name.trim(),
          silent_minutes: minutesOf(minutes),
        };
        const made = await api.call(createGateway, { body, headers: decision.current });
        toast({ text: say`${made.name} is added.` });
        onSaved(made.id);
      }}
      onClose={onClose}
      fields={[
        {
          of: "name",
          label: "Name",
          hint: "What it calls itself, such as edge-1.",
          required: true,
          autoFocus: true,
          maxLength: 63,
        },
        minutesField,
      ]}
    />
  );
}
