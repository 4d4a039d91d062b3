import type { ComponentChildren } from "preact";
import { CopyField } from "../../../parts/copy.tsx";

/** The state of a step. */
export type StepState = "done" | "next" | "later";

const words = { done: "Done", next: "Next", later: "" };

/** One step: its number or a tick, what it is, and its line for the shell, folded. */
export function Step({ at, state, title, line, children }: {
  at: number;
  state: StepState;
  title: string;
  line: string;
  children: ComponentChildren;
}) {
  return (
    <li class={`start-step is-${state}`} aria-current={state === "next" ? "step" : undefined}>
      <span class="start-mark" aria-hidden="true">
        {state === "done"
          ? (
            <svg viewBox="0 0 16 16" width="14" height="14" fill="none">
              <path d="M3.5 8.5l3 3 6-7" stroke="currentColor" stroke-width="1.7" />
            </svg>
          )
          : at}
      </span>
      <div class="start-body">
        <div class="start-line">
          <h3 class="start-step-title">{title}</h3>
          {words[state] !== "" && <span class="start-state">{words[state]}</span>}
        </div>
        {children}
        <details class="start-shell">
          <summary>
            Show the command<span class="unseen">: {title}</span>
          </summary>
          <CopyField
            label={/\$KEY\b/.test(line)
              ? "With an access token in $KEYDESK, the key in $KEY"
              : "With an access token in $KEYDESK"}
            text={line}
            lines
          />
        </details>
      </div>
    </li>
  );
}
