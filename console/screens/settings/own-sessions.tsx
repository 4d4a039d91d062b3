import { api } from "../../api/client.ts";
import { endSession, endSessions, listSessions } from "../../api/session-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { left } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

const KEY = ["sessions"];

/** Where one is signed in, and how to end that. */
export function OwnSessions() {
  const read = useCall(KEY, listSessions, {});
  const end = async (id: string, name: string) => {
    try {
      await api.call(endSession, { params: { id } });
      toast({ text: say`${name} is signed out.` });
    } catch (error) {
      toastFailure(error);
    }
    await queries.invalidateQueries({ queryKey: KEY });
  };
  const sessions = (read.data?.data ?? []).map((one) => ({
    ...one,
    name: one.browser || "A program",
  }));
  return (
    <section class="settings-action" aria-label="Where you are signed in">
      <h2 class="group-title">Where you are signed in</h2>
      {read.data === undefined && <Unread of={read} lines={2} />}
      <ul class="cards is-wide">
        {sessions.map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.name}</b>
              {one.current && <Tag>this session</Tag>}
            </p>
            <p class="muted">
              Signed in {one.opened_by === "passkey" && "by passkey "}
              {one.opened_by === "provider" && "by the company’s sign-in "}
              {one.address && say`from ${one.address} `}
              <Time at={one.date_created} /> · last used <Time at={one.last_used_at} />
            </p>
            {!one.current && (
              <div class="card-actions">
                <Button
                  label={say`Sign out ${one.name}, there since ${exactTime(one.date_created)}`}
                  onClick={() => void end(one.id, one.name)}
                >
                  Sign out
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <Button onClick={() => left(() => api.call(endSessions, {})).catch(toastFailure)}>
        Sign out everywhere
      </Button>
    </section>
  );
}
