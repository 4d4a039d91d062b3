import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import type { unusedRule } from "../../../src/features/hygiene/unused/unused.operations.ts";
import type { z } from "zod";
import { queries, useCall } from "../../api/queries.ts";
import { getUnusedKeyRule, putUnusedKeyRule } from "../../api/unused-endpoints.ts";
import { say } from "../../said.ts";
import { LinkButton } from "../button.tsx";
import { Fact } from "../drawer.tsx";
import { toast } from "../toasts.tsx";
import { FormDialog } from "../form-dialog.tsx";

/** The rule for a plan's unused keys. */
export default function UnusedRule({ plan, name, writes }: {
  plan: string;
  name: string;
  writes: boolean;
}) {
  const rule =
    useCall(["unused-rules", plan], getUnusedKeyRule, { params: { id: plan } }, { gcTime: 30_000 })
      .data;
  const [changes, setChanges] = useState(false);
  if (!rule) return null;
  return (
    <Fact name="Unused keys">
      {actionWords[rule.action]}
      {rule.action !== "off" && say`, from ${rule.after_days} days on`}{" "}
      {writes && (
        <LinkButton onClick={() => setChanges(true)}>Change what becomes of them</LinkButton>
      )}
      {changes && <RuleForm name={name} rule={rule} onClose={() => setChanges(false)} />}
    </Fact>
  );
}

type Rule = z.output<typeof unusedRule>;

interface Draft {
  action: Rule["action"];
  /** Days, as they are written. */
  after: string;
  warn: string;
  imported: boolean;
}

/** Each action in words. */
const actionWords: Readonly<Record<Rule["action"], string>> = {
  off: "Nothing happens to them",
  warn: "Their developers are warned twice",
  suspend: "Warned twice, then suspended",
  revoke: "Warned twice, suspended for 30 days, then revoked",
};

/** Changes the rule for a plan's unused keys. */
function RuleForm({ name, rule, onClose }: { name: string; rule: Rule; onClose: () => void }) {
  const save = async ({ action, after, warn, imported }: Draft) => {
    const body = { action, after_days: Number(after), warn_days: Number(warn), imported };
    const headers = { "if-match": `"${rule.revision}"` };
    const set = await api.call(putUnusedKeyRule, { params: { id: rule.plan }, headers, body });
    queries.setQueryData(["unused-rules", rule.plan], set);
    toast({ text: say`Unused keys of ${name}: ${actionWords[action].toLowerCase()}.` });
  };
  return (
    <FormDialog<Draft>
      name={`unused keys of ${rule.plan}`}
      title={say`What becomes of unused keys of ${name}?`}
      note="A call with the key, or a person who keeps it, takes it out at once."
      action="Save"
      initial={{
        action: rule.action,
        after: String(rule.after_days),
        warn: String(rule.warn_days),
        imported: rule.imported,
      }}
      places={{ after_days: "after", warn_days: "warn" }}
      onSave={save}
      onClose={onClose}
      fields={({ draft }) => [
        {
          of: "action",
          label: "Unused keys",
          options: Object.entries(actionWords).map(([value, text]) => ({ value, text })),
        },
        draft.action !== "off" && [
          { of: "after", label: "Unused after (days)", type: "number", min: 7, max: 3650 },
          {
            of: "warn",
            label: "Between two steps (days)",
            hint:
              "From the first mail to the second, and from the second to the suspension. A key is suspended only after both mails were sent.",
            type: "number",
            min: 1,
            max: 365,
          },
          {
            of: "imported",
            label: "Imported keys count too",
            hint:
              "Only once the gateway that they came from is switched off: a gateway that knows them still allows them without checking with Keydesk.",
          },
        ],
      ]}
    />
  );
}
