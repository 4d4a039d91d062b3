import { api } from "../../api/client.ts";
import {
  endPersonSession,
  endPersonSessions,
  listPersonSessions,
} from "../../api/token-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { namedSession, SignedInBy } from "../../parts/session-cards.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { Person } from "./person.ts";

/**
 * A person's sessions, and the buttons with which an administrator revokes them. Nothing without
 * any.
 */
export default function PersonSessions({ person: { id, name } }: { person: Person }) {
  const key = ["people", id, "sessions"];
  const params = { id };
  const read = useCall(key, listPersonSessions, { params });
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const sessions = read.data?.data ?? [];
  if (sessions.length === 0) return null;
  return (
    <SignedInBy
      title="Sessions"
      read={key}
      all={sessions.map((one) => ({
        ...namedSession(one),
        id: one.id,
        about: (
          <>
            Signed in {one.address && say`from ${one.address} `}
            <Time at={one.date_created} /> · last used <Time at={one.last_used_at} />
          </>
        ),
        end: () => api.call(endPersonSession, { params: { ...params, session: one.id } }),
        ended: "The session is revoked.",
      }))}
      endAll={() => api.call(endPersonSessions, { params })}
      allEnded={say`${name} is signed out everywhere.`}
    >
      Revoke all sessions
    </SignedInBy>
  );
}
