import { useState } from "preact/hooks";
import type { z } from "zod";
import type { checkApprovalPolicy as contract } from "../../../src/features/key-requests/policies.operations.ts";
import { api, wordsOf } from "../../api/client.ts";
import { checkApprovalPolicy } from "../../api/policy-endpoints.ts";
import { Button } from "../../parts/button.tsx";
import { listed, say } from "../../said.ts";

type Checked = z.output<typeof contract.response>;
type Sent = z.input<typeof contract.body & z.ZodType>;

/** Names who could approve under a policy as it is written, before anybody saves it. */
export function WhoCould({ policy }: { policy: Sent }) {
  const [told, setTold] = useState<{ of: string; checked?: Checked; problem?: string }>();
  const [busy, setBusy] = useState(false);
  const of = JSON.stringify(policy);
  const look = () => {
    setBusy(true);
    void api.call(checkApprovalPolicy, { body: policy }).then(
      (checked) => setTold({ of, checked }),
      (error) => setTold({ of, problem: wordsOf(error) }),
    ).finally(() => setBusy(false));
  };
  // What was told of another policy says nothing of this one.
  const shown = told?.of === of ? told : undefined;
  return (
    <div class="field" aria-live="polite">
      <Button busy={busy} onClick={look}>Who could decide?</Button>
      {shown?.problem && <p class="field-error">{shown.problem}</p>}
      {shown?.checked && (
        <ul class="policy-who">
          {shown.checked.steps.length === 0 && <li>Nobody has to.</li>}
          {shown.checked.steps.map(({ name, need, count, people }, at) => (
            <li key={at}>
              {name !== "" && <strong>{say`${name}: `}</strong>}
              {say`${need} of ${count}`}
              {people.length > 0 &&
                say` (${
                  listed([...people.map((one) => one.name), ...count > people.length ? ["…"] : []])
                })`}
            </li>
          ))}
          {shown.checked.lacks.map((text) => <li key={text} class="field-error">{text}</li>)}
        </ul>
      )}
    </div>
  );
}
