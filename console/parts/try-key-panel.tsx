import { useState } from "preact/hooks";
import type { z } from "zod";
import type { DenialReason } from "../../src/contract/denied-calls.ts";
import type { accepted } from "../../src/features/verification/verification.operations.ts";
import { api, wordsOf } from "../api/client.ts";
import { verifyKey } from "../api/endpoints.ts";
import { type PlanFacts, usePlans } from "../api/plans.ts";
import { spanOf } from "../api/spans.ts";
import { say } from "../said.ts";
import { announce } from "./announcer.tsx";
import { Button } from "./button.tsx";
import type { IssuedCredential } from "./key-parts.ts";

/** The key to try, and the function that gets the result. */
export interface Trial {
  readonly credential: IssuedCredential;
  /** The plans that it was issued for. */
  readonly plans: readonly string[];
  readonly onPassed?: () => void;
}

/** The server's answer about a key: in words, and whether the key is valid. */
export interface Result {
  readonly valid: boolean;
  readonly text: string;
}

/**
 * Tries a fresh credential where its plan opens something. An OAuth client opens nothing by itself.
 */
export function TryKeyPanel({ credential, plans, onPassed }: Trial) {
  const known = usePlans();
  const [result, setResult] = useState<Result>();
  const [busy, setBusy] = useState(false);
  if (credential.client_id !== undefined) return null;
  const plan = plans.map((id) => known.get(id)).find((one) => one !== undefined);
  const ask = async () => {
    setBusy(true);
    const { RawKey: key, Password: password } = credential;
    const found = await resultOn(password === "" ? { key } : { username: key, password }, plan);
    setResult(found);
    setBusy(false);
    if (found.valid) onPassed?.();
  };
  return (
    <div class="try-key">
      <Button busy={busy} onClick={() => void ask()}>
        {result ? "Try it again" : "Try it now"}
      </Button>
      {result ? <ResultLine result={result} /> : (
        <span class="field-hint">
          Asks as a gateway would{plan?.apis ? say`, for ${plan.apis}` : ""}. Counts as one call.
        </span>
      )}
    </div>
  );
}

/** A verdict as it stands beside a button. */
export function ResultLine({ result: { valid, text } }: { result: Result }) {
  return <p class={`notice ${valid ? "is-good" : "is-bad"}`}>{text}</p>;
}

/** Asks as a gateway would; never throws. `plan`: whose first API is asked for. */
export async function resultOn(
  presented: { key: string } | { username: string; password: string },
  plan: PlanFacts | undefined,
): Promise<Result> {
  const [api_id] = plan?.apiIds ?? [];
  try {
    const answer = await api.call(verifyKey, { body: { ...presented, api_id } });
    const result = answer.valid
      ? { valid: true, text: allowedText(answer, plan) }
      : { valid: false, text: say`Denied: ${sentences[answer.reason]}.` };
    announce(result.text);
    return result;
  } catch (error) {
    return { valid: false, text: wordsOf(error) };
  }
}

function allowedText({ rate }: z.output<typeof accepted>, plan: PlanFacts | undefined): string {
  const opens = say`It is valid for ${plan?.apis || "its API"}.`;
  if (!rate || !plan || plan.per <= 0) return opens;
  return say`${opens} ${rate.remaining} of ${rate.limit} calls ${spanOf(plan.per)} are left.`;
}

const sentences: Readonly<Record<DenialReason, string>> = {
  unknown: "this server issued no such key",
  revoked: "it was revoked",
  suspended: "it is suspended",
  damaged: "its row in the store was damaged; keydesk check says what to do",
  expired: "it has expired",
  address_unknown: "it is valid from some addresses alone, and none was sent",
  address: "it is not valid from this address",
  unknown_plan: "its plan does not exist",
  plan_inactive: "its plan is inactive",
  wrong_api: "its plan is not for this API",
  over_rate: "too many calls; try again in a moment",
  over_quota: "its quota is used up",
};
