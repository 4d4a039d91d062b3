import { useRef } from "preact/hooks";
import type { OfferedPlan } from "../../../api/apis.ts";
import { api, decisionKey } from "../../../api/client.ts";
import { createDeveloper, createKeyRequest, listDevelopers } from "../../../api/endpoints.ts";
import { queries } from "../../../api/queries.ts";
import { announce } from "../../../parts/announcer.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Unfit } from "../../../parts/form-problems.ts";
import { say } from "../../../said.ts";

type Draft = { email: string } & Record<string, string>;

/** Requests a key in a developer's name; registers an unknown developer. */
export function RequestForm({ plan, onDone, onClose }: {
  plan: OfferedPlan;
  onDone: () => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  const questions = plan.key_request_fields;
  const save = async ({ email, ...answers }: Draft) => {
    const address = email.trim();
    if (!/^\S+@\S+$/.test(address)) throw new Unfit({ email: "Write an e-mail address here." });
    const missing = questions.filter(({ name, required }) => required && !answers[name]?.trim());
    if (missing.length > 0) {
      throw new Unfit(
        Object.fromEntries(missing.map(({ name }) => [name, "This must be answered."])),
      );
    }
    const fields = Object.fromEntries(
      questions.flatMap(({ name }) => answers[name]?.trim() ? [[name, answers[name]?.trim()]] : []),
    );
    await api.call(createKeyRequest, {
      body: { by_user: await developerOf(address), for_plan: plan.id, fields },
      headers: decision.current,
    });
    for (const queryKey of [["key-requests"], ["developers"]]) {
      void queries.invalidateQueries({ queryKey });
    }
    announce(say`${address} requests ${plan.name}.`);
    onDone();
  };
  return (
    <FormDialog<Draft>
      name={`request for ${plan.id}`}
      title="The first request"
      note={
        <>
          A developer requests <b>{plan.name}</b>. It waits until a person approves it.
        </>
      }
      action="Make the request"
      initial={{ email: "" }}
      onSave={save}
      onClose={onClose}
      fields={[
        {
          of: "email",
          label: "The developer’s e-mail",
          hint: "Your own will do. Nothing is sent to it.",
          type: "email",
          maxLength: 320,
          autocomplete: "email",
          autoFocus: true,
          required: true,
        },
        questions.map(({ name, label, kind, choices, required }) => ({
          of: name,
          label,
          required,
          ...kind === "long_text" ? { rows: 2 } : {},
          ...kind === "number" ? { type: "number" as const } : {},
          ...kind === "choice"
            ? { options: ["", ...choices].map((value) => ({ value, text: value })) }
            : {},
        })),
      ]}
    />
  );
}

async function developerOf(email: string): Promise<string> {
  const { data } = await api.call(listDevelopers, { query: { q: email, limit: 10 } });
  const known = data.find((one) => one.email.toLowerCase() === email.toLowerCase());
  return (known ?? await api.call(createDeveloper, { body: { email }, headers: decisionKey() })).id;
}
