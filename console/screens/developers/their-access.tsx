import { api } from "../../api/client.ts";
import {
  endDeveloperSession,
  endDeveloperSessions,
  endDeveloperToken,
  endDeveloperTokens,
  listDeveloperSessions,
  listDeveloperTokens,
} from "../../api/token-endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { namedSession, SignedInBy } from "../../parts/session-cards.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";

/** The start of a session, in words. */
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
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const { sessions = [], tokens = [] } = read.data ?? {};
  if (sessions.length + tokens.length === 0) return null;
  const endAll = async () => {
    await api.call(endDeveloperSessions, { params });
    await api.call(endDeveloperTokens, { params });
  };
  const lastUsed = (at: string | null) =>
    at !== null && (
      <>
        {" "}· last used <Time at={at} />
      </>
    );
  return (
    <SignedInBy
      title="Signed in"
      read={key}
      all={[
        ...sessions.map((one) => ({
          ...namedSession(one),
          id: one.id,
          about: (
            <>
              Signed in {OPENED[one.signed_in_by]} <Time at={one.date_created} />
              {lastUsed(one.last_used_at)}
            </>
          ),
          end: () => api.call(endDeveloperSession, { params: { ...params, session: one.id } }),
          ended: "The session is revoked.",
        })),
        ...tokens.map((one) => ({
          id: one.id,
          name: one.name,
          what: say`the token ${one.name}`,
          about: (
            <>
              Token · {one.scope === "keys" ? "asks and handles keys" : "reads"} · expires{" "}
              <Time at={one.expires_at} />
              {lastUsed(one.last_used_at)}
            </>
          ),
          end: () => api.call(endDeveloperToken, { params: { ...params, token: one.id } }),
          ended: say`The token “${one.name}” is revoked.`,
        })),
      ]}
      endAll={endAll}
      allEnded="All sessions and tokens are revoked."
    >
      Revoke all sessions and tokens
    </SignedInBy>
  );
}
