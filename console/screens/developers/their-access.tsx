import { api } from "../../api/client.ts";
import {
  endDeveloperSession,
  endDeveloperSessions,
  endDeveloperToken,
  endDeveloperTokens,
  listDeveloperSessions,
  listDeveloperTokens,
} from "../../api/token-endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/** What a session began with. */
const OPENED = {
  code: "by a mailed code",
  password: "by password",
  link: "by your portal",
  nonce: "by your portal",
  provider: "by an identity provider",
  view: "to look at their pages",
} as const;

/** By what a developer is signed in, and how to end that. Nothing: by nothing. */
export default function TheirAccess({ id }: { id: string }) {
  const key = ["developers", id, "access"];
  const params = { id };
  const read = useQuery({
    queryKey: key,
    queryFn: async () => {
      const [sessions, tokens] = await Promise.all([
        api.call(listDeveloperSessions, { params }),
        api.call(listDeveloperTokens, { params }),
      ]);
      return { sessions: sessions.data, tokens: tokens.data };
    },
    gcTime: 30_000,
  });
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
  const { sessions = [], tokens = [] } = read.data ?? {};
  if (sessions.length + tokens.length === 0) return null;
  const endAll = async () => {
    await api.call(endDeveloperSessions, { params });
    await api.call(endDeveloperTokens, { params });
  };
  return (
    <section aria-label="Signed in">
      <h3 class="group-title">Signed in</h3>
      <ul class="cards">
        {sessions.map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.browser || "A program"}</b>
            </p>
            <p class="muted">
              Signed in {OPENED[one.opened_by]} <Time at={one.date_created} />
              {one.last_used_at !== null && (
                <>
                  {" "}· last used <Time at={one.last_used_at} />
                </>
              )}
            </p>
            <div class="card-actions">
              <Button
                label={say`End the session of ${one.browser || "A program"}, there since ${
                  exactTime(one.date_created)
                }`}
                onClick={() =>
                  void run(
                    () => api.call(endDeveloperSession, { params: { ...params, session: one.id } }),
                    "The session is ended.",
                  )}
              >
                End
              </Button>
            </div>
          </li>
        ))}
        {tokens.map((one) => (
          <li key={one.id} class="card">
            <p class="card-head">
              <b>{one.name}</b>
            </p>
            <p class="muted">
              Token · {one.scope === "keys" ? "asks and handles keys" : "reads"} · expires{" "}
              <Time at={one.expires_at} />
              {one.last_used_at !== null && (
                <>
                  {" "}· last used <Time at={one.last_used_at} />
                </>
              )}
            </p>
            <div class="card-actions">
              <Button
                label={say`End the token ${one.name}`}
                onClick={() =>
                  void run(
                    () => api.call(endDeveloperToken, { params: { ...params, token: one.id } }),
                    say`The token “${one.name}” is ended.`,
                  )}
              >
                End
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Button onClick={() => void run(endAll, "All sessions and tokens are ended.")}>
        End all sessions and tokens
      </Button>
    </section>
  );
}
