import { api } from "../../api/client.ts";
import {
  endPersonSession,
  endPersonSessions,
  listPersonSessions,
} from "../../api/token-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { Person } from "./person.ts";

/** Where a person is signed in, and how an administrator ends that. Nothing: nowhere. */
export default function PersonSessions({ person: { id, name } }: { person: Person }) {
  const key = ["people", id, "sessions"];
  const params = { id };
  const read = useCall(key, listPersonSessions, { params });
  const run = async (end: () => Promise<unknown>, done: string) => {
    try {
      await end();
      toast({ text: done });
    } catch (error) {
      toastFailure(error);
    }
    await queries.invalidateQueries({ queryKey: key });
  };
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const sessions = read.data?.data ?? [];
  if (sessions.length === 0) return null;
  return (
    <section aria-label="Sessions">
      <h3 class="group-title">Sessions</h3>
      <ul class="cards">
        {sessions.map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.browser || "A program"}</b>
            </p>
            <p class="muted">
              Signed in {one.address && say`from ${one.address} `}
              <Time at={one.date_created} /> · last used <Time at={one.last_used_at} />
            </p>
            <div class="card-actions">
              <Button
                label={say`End the session of ${one.browser || "A program"}, there since ${
                  exactTime(one.date_created)
                }`}
                onClick={() =>
                  void run(
                    () => api.call(endPersonSession, { params: { ...params, session: one.id } }),
                    "The session is ended.",
                  )}
              >
                End
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Button
        onClick={() =>
          void run(
            () => api.call(endPersonSessions, { params }),
            say`${name} is signed out everywhere.`,
          )}
      >
        End all sessions
      </Button>
    </section>
  );
}
