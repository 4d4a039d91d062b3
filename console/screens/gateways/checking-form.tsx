import { doorKinds } from "../../../src/contract/checking-gateways.ts";
import { api } from "../../api/client.ts";
import { updateDoor } from "../../api/endpoints.ts";
import type { FormFields } from "../../parts/form-fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Door } from "./checking-gateway.ts";

/** What stands at a door, in words. */
export const kindNames: Record<Door["kind"], string> = {
  nginx: "nginx",
  caddy: "Caddy",
  haproxy: "HAProxy",
  envoy: "Envoy",
  traefik: "Traefik",
  plugin: "The original's gateway, by its plugin",
  other: "Something else",
};

/** Minutes as they were typed. Throws Unfit for what is none. */
export function minutesOf(text: string): number {
  if (/^\d{1,5}$/.test(text.trim()) && Number(text) <= 10_080) return Number(text);
  throw new Unfit({ minutes: "Write whole minutes, 10080 at the most; 0: never." });
}

/** The field of a door's minutes. */
export const minutesField: FormFields<{ minutes: string }> = {
  of: "minutes",
  label: "Tell people after so many minutes without a call",
  hint: "0: never.",
  type: "number",
  min: 0,
  max: 10_080,
};

/** Changes what stands at a door, and when it is silent. */
export default function DoorForm({ door, onClose }: { door: Door; onClose: () => void }) {
  const { id, name } = door;
  return (
    <FormDialog
      name={`door ${id}`}
      title={say`Change ${name}`}
      action="Save"
      initial={{ kind: door.kind, minutes: String(door.silent_minutes) }}
      places={{ silent_minutes: "minutes" }}
      onSave={async ({ kind, minutes }) => {
        const body = { kind, silent_minutes: minutesOf(minutes) };
        await api.call(updateDoor, { params: { id }, body });
        toast({ text: say`${name} is changed.` });
      }}
      onClose={onClose}
      fields={[
        {
          of: "kind",
          label: "What stands there",
          options: doorKinds.map((value) => ({ value, text: kindNames[value] })),
        },
        minutesField,
      ]}
    />
  );
}
