import { say } from "../../said.ts";

/** A member of a thing, before and after a change. */
interface MovedMember {
  readonly member: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The word for one thing of a kind; `place`: the screen that shows it, by its id. */
export interface KindWords {
  readonly word: string;
  readonly place: (id: string) => string;
}

const shown = (show: string) => () => `/settings?show=${show}`;
const opened = (show: string) => (id: string) => `/settings/${encodeURIComponent(id)}?show=${show}`;
const below = (path: string) => (id: string) => `${path}/${encodeURIComponent(id)}`;

/** By the member of a file. */
export const kinds: Readonly<Record<string, KindWords>> = {
  branding: { word: "Branding", place: shown("brand") },
  portal: { word: "Developer pages", place: shown("pages") },
  portal_questions: { word: "Questions to developers", place: shown("pages") },
  alerts: { word: "Alerts", place: shown("alerts") },
  sign_in: { word: "Sign-in", place: shown("sign-in") },
  roles: { word: "Role", place: shown("roles") },
  plans: { word: "Plan", place: below("/apis/plans") },
  apis: { word: "API", place: below("/apis") },
  default_approval_policy: { word: "Default approval policy", place: () => "/apis" },
  approval_policies: { word: "Approval policy", place: below("/apis/plans") },
  unused_key_rules: { word: "Rule for unused keys", place: below("/apis/plans") },
  channels: { word: "Channel", place: opened("channels") },
  gateways: { word: "Gateway", place: below("/gateways") },
  identity_providers: { word: "Identity provider", place: shown("sign-in") },
  temporary_access_rules: {
    word: "Rule of temporary access",
    place: shown("temporary-access"),
  },
  access_tokens: { word: "Access token", place: opened("access-tokens") },
};

/** A file and its revision, if it said one. */
export function fileOf({ source, revision }: { source: string; revision: string }): string {
  return revision === "" ? source : say`${source}, revision ${revision}`;
}

/**
 * The members of a thing in a table. `heads`: the words for before and after; something new has no
 * before.
 */
export function Members({ label, members, heads }: {
  label: string;
  members: readonly MovedMember[];
  heads: readonly [before: string, after: string];
}) {
  if (members.length === 0) return null;
  const isNew = members.every(({ before }) => before === undefined);
  return (
    <table class="config-members" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Member</th>
          {!isNew && <th scope="col">{heads[0]}</th>}
          <th scope="col">{heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ member, before, after }) => (
          <tr key={member}>
            <th scope="row">{member}</th>
            {!isNew && <td>{valueOf(before)}</td>}
            <td>{valueOf(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Characters of a value, at the most: a document of an API is long. */
const LONGEST = 400;

function valueOf(value: unknown) {
  if (value === undefined) return <span class="muted">none</span>;
  const text = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return text.length > LONGEST ? say`${text.slice(0, LONGEST).toWellFormed()}…` : text;
}
