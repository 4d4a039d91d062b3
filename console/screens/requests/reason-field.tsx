import { useId, useRef, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { listKeyRequests } from "../../api/endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { known } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { TextField } from "../../parts/fields.tsx";

/** Declined requests whose reasons are looked at, and reasons that are offered again. */
const LOOKED_AT = 50;
const MOST = 5;

const REASONS = ["declined reasons"];

/**
 * The reasons that were given before, last used first: one's own, then those of others. Nothing is
 * kept for it: they are those of the requests that were declined last.
 */
export function useReasons(): readonly string[] {
  const { data = [] } = useQuery({ queryKey: REASONS, queryFn: readReasons, staleTime: 300_000 });
  return data;
}

async function readReasons(): Promise<readonly string[]> {
  const query = { state: "declined", sort: "decided_at", direction: "desc", limit: LOOKED_AT };
  const { data } = await api.call(listKeyRequests, { query });
  const me = known()?.person.id;
  const given = data.filter(({ reason, decided_by_name }) => reason && decided_by_name);
  const own = given.filter(({ decided_by }) => decided_by === me);
  return [...new Set([...own, ...given].flatMap(({ reason }) => reason ?? []))];
}

/** A reason was given: it is the first that is offered from now on. */
export function renewReasons(): void {
  void queries.invalidateQueries({ queryKey: REASONS });
}

/**
 * Why something is declined, for the developer to read. Enter goes on; Shift and Enter begin a
 * line; in a field without words of one's own, arrows walk through the reasons that were used
 * before.
 */
export function ReasonField({ label, value, autoFocus, onInput }: {
  label: string;
  value: string;
  autoFocus?: boolean;
  onInput: (value: string) => void;
}) {
  const id = useId();
  const all = useReasons();
  // The order stays while the field is open.
  const [offered, setOffered] = useState<readonly string[]>();
  const reasons = (offered ?? all).slice(0, MOST);
  const box = useRef<HTMLDivElement>(null);
  const at = reasons.indexOf(value);
  const take = (index: number) => {
    const reason = reasons[index] ?? "";
    setOffered(reasons);
    onInput(reason);
    announce(reason === "" ? "No reason." : reason);
  };
  const onKey = (event: KeyboardEvent) => {
    const { key, shiftKey, isComposing } = event;
    if (!(event.target instanceof HTMLTextAreaElement) || isComposing) return;
    if (key === "Enter" && !shiftKey) {
      event.preventDefault();
      event.target.form?.requestSubmit();
    } else if ((key === "ArrowDown" || key === "ArrowUp") && (value === "" || at >= 0)) {
      event.preventDefault();
      const step = key === "ArrowDown" ? 1 : -1;
      take(Math.min(Math.max(at + step, -1), reasons.length - 1));
    }
  };
  return (
    <div ref={box} onKeyDown={onKey}>
      <TextField
        label={label}
        hint={`The developer reads it. Enter declines, Shift+Enter begins a line${
          reasons.length > 0 ? ", ↓ takes a reason used before." : "."
        }`}
        rows={3}
        maxLength={2000}
        value={value}
        autoFocus={autoFocus ?? false}
        onInput={onInput}
      />
      {reasons.length > 0 && (
        <>
          <p class="field-label reasons-title" id={id}>Used before</p>
          <ul class="reasons" aria-labelledby={id}>
            {reasons.map((reason, index) => (
              <li key={reason}>
                <button
                  type="button"
                  class="reason"
                  aria-pressed={index === at}
                  onClick={() => {
                    take(index);
                    box.current?.querySelector("textarea")?.focus();
                  }}
                >
                  {reason}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
