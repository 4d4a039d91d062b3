import { useState } from "preact/hooks";
import { useCall } from "../../api/queries.ts";
import { getUnusedKeyRule } from "../../api/unused-endpoints.ts";
import { say } from "../../said.ts";
import { Fact } from "../drawer.tsx";
import { actionWords, RuleForm } from "./rule-form.tsx";

/** What becomes of a plan's keys that nobody uses. */
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
        <button type="button" class="link-button" onClick={() => setChanges(true)}>
          Change what becomes of them
        </button>
      )}
      {changes && <RuleForm name={name} rule={rule} onClose={() => setChanges(false)} />}
    </Fact>
  );
}
