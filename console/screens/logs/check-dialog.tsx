import { useState } from "preact/hooks";
import type { z } from "zod";
import type { checkedKey } from "../../../src/features/verification/explain.contract.ts";
import { api, wordsOf } from "../../api/client.ts";
import { checkKey } from "../../api/endpoints.ts";
import { usePlans } from "../../api/plans.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Pill } from "../../parts/pill.tsx";
import { listed, say } from "../../said.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";

type Answer = z.output<typeof checkedKey>;
type Step = Answer["steps"][number];

const steps: Record<Step["step"], string> = {
  key: "Is the key known?",
  state: "Is it neither suspended nor revoked?",
  end: "Has it not expired?",
  address: "Is it asked from an address of the key?",
  plan: "Is one of its plans in force?",
  api: "Is a plan for the API?",
  rate: "Is it within the rate?",
  quota: "Is something left of the quota?",
};

const results = {
  passed: { tone: "good", text: "Yes" },
  refused: { tone: "bad", text: "No" },
  not_reached: { tone: "quiet", text: "Not asked" },
} as const;

/**
 * A gateway's result for a key, step by step, without a call that counts. The key is shown as dots,
 * is sent in the body alone, and is forgotten with the dialog.
 */
export function AskDialog({ onClose }: { onClose: () => void }) {
  const [key, setKey] = useState("");
  const [apiId, setApi] = useState("");
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    if (key === "") return;
    setBusy(true);
    try {
      const body = { key, ...apiId === "" ? {} : { api_id: apiId } };
      const checked = await api.call(checkKey, { body });
      setAnswer(checked);
      setProblem("");
      announce(resultOf(checked));
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Ask as the gateway would"
      note="Nothing is counted, and the key is kept nowhere."
      onClose={onClose}
    >
      <form class="dialog-form" onSubmit={(event) => void ask(event)}>
        <TextField
          label="Key"
          type="password"
          autocomplete="off"
          required
          autoFocus
          value={key}
          onInput={setKey}
        />
        <TextField
          label="API"
          hint="Its id; empty: any API."
          autocomplete="off"
          value={apiId}
          onInput={setApi}
        />
        {problem !== "" && <p class="field-error" role="alert">{problem}</p>}
        {answer && <AnswerView answer={answer} />}
        <DialogButtons>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" busy={isBusy}>Ask</Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const plans = usePlans();
  const { plan_id, valid_for: opens, rate, quota } = answer;
  return (
    <>
      <p>
        <b>{resultOf(answer)}</b>
      </p>
      <ol class="check-steps">
        {answer.steps.map(({ step, result }) => (
          <li key={step}>
            <span>{steps[step]}</span>
            <Pill tone={results[result].tone}>{results[result].text}</Pill>
          </li>
        ))}
      </ol>
      {plan_id !== null && <p>{say`By the plan ${plans.get(plan_id)?.name ?? plan_id}.`}</p>}
      {answer.reason === "wrong_api" && opens !== null && (
        <p>{say`It is valid for ${opens.length === 0 ? "no API" : listed(opens)}.`}</p>
      )}
      {rate !== null && <p>{say`${rate.remaining} of ${rate.limit} calls would pass now.`}</p>}
      {quota !== null && <p>{say`${quota.remaining} of ${quota.limit} are left of the quota.`}</p>}
    </>
  );
}

function resultOf({ reason }: Answer): string {
  return reason === null ? "It is valid." : say`Denied: ${reasonTitles[reason].toLowerCase()}.`;
}
