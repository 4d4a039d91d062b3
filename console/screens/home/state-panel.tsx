import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { useDeadLetters } from "../../api/deliveries.ts";
import { getServerInfo } from "../../api/endpoints.ts";
import { type Expiries, useExpiries } from "../../api/expiries.ts";
import { useCall, useQuery } from "../../api/queries.ts";
import { known, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { dayOf, exactTime } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { lengthOf } from "../../parts/relative-words.ts";
import { calledKey, ownerOf } from "./key-words.ts";
import { EVERY_MS } from "./panel.tsx";

/** Something that is not well: what, what it means, and where one does something about it. */
interface Problem {
  readonly isBad: boolean;
  readonly what: string;
  readonly why: string;
  readonly action?: { readonly href: string; readonly text: string };
  /** The list of all of its kind. */
  readonly list?: { readonly href: string; readonly text: string };
}

/** Lines at the most. */
const MOST = 4;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The server's state for administrators; read once for every component on the page. */
export function useServer() {
  return useCall(["server"], getServerInfo, {}, {
    refetchInterval: EVERY_MS,
    enabled: may("admin:read"),
  });
}

/** The panel of several nodes, or of one that lags behind: loaded if there is such a thing. */
export function useNodes() {
  const nodes = useServer().data?.nodes ?? [];
  const isSaid = nodes.length > 1 || nodes.some(({ stale_ms }) => (stale_ms ?? 0) > 10_000);
  const { data, error } = useQuery({
    queryKey: ["node-problems"],
    queryFn: async () => (await import("./node-problems.ts")).nodeProblems,
    enabled: isSaid,
    staleTime: Infinity,
  });
  return {
    count: nodes.length,
    isThere: !isSaid || data !== undefined || error !== null,
    problems: isSaid ? data?.(nodes, Date.now(), exactTime) ?? [] : [],
  };
}

/** Whether all is well, as far as this person may know; the worst first. */
export function StatePanel() {
  const server = useServer();
  const dead = useDeadLetters();
  const ends = useExpiries(EVERY_MS);
  const nodes = useNodes();
  const isRead = (!may("admin:read") || (server.data && dead)) && ends.data && nodes.isThere;
  const { certificates } = ends.data ?? {};
  const hasFailed = server.error !== null || ends.error !== null;
  const problems = [
    ...(server.data?.problems ?? []).map(problemOf),
    ...nodes.problems,
    ...(known()?.approvals_closed ? [APPROVALS_CLOSED] : []),
    ...(ends.data?.keys?.leaked.next ?? []).map(leakOf),
    ...(certificates ? expiredOf(certificates.due.expired) : []),
    ...(certificates ? authoritiesOf(certificates.authorities) : []),
    ...(dead && dead.dead > 0 ? [givenUp(dead.dead)] : []),
    ...(server.data && may("config") ? filesOf(server.data.config) : []),
    ...(server.data?.damages ?? []).map((what): Problem => ({
      isBad: true,
      what: "The store is not as it was written",
      why: `${begun(what)}.`,
    })),
    ...(server.data ? backupOf(server.data.backup) : []),
    ...(server.data?.restored ? restoreOf(server.data.restored) : []),
    ...(certificates?.due.next ?? []).map(dueOf),
    ...(server.data?.warnings ?? []).filter((why) => !server.data?.damages.includes(why))
      .map((why): Problem => ({ isBad: false, what: "Note", why })),
  ].sort((a, b) => Number(b.isBad) - Number(a.isBad));
  // A person who may not see the server is not promised that all is well with it.
  const isSilent = !may("admin:read") && problems.length === 0;
  // One region that stays: what comes into it is announced.
  return (
    <div class="home-top" role="status" hidden={isSilent}>
      {problems.length > 0
        ? <Problems all={problems} more={unnamed(ends.data)} />
        : isRead && server.data
        ? (
          <p class="home-state">
            <span class="home-well" aria-hidden="true" /> <b>All is well</b>{" "}
            <span>
              {nodes.count > 1 && `${nodes.count} nodes, `}Version {server.data.version}, up for
              {" "}
              {lengthOf(server.data.uptime_seconds * 1000)} · No delivery given up
              {server.data.backup.at && ` · Backup ${lengthOf(ageOf(server.data.backup.at))} ago`}
              {certificates && " · No certificate to renew within 30 days"}
              {server.data.checkpoints_go_to.length === 0 &&
                " · No checkpoint of the audit log goes outside"}
            </span>{" "}
            <Link class="text-link" href="/settings?show=server">Details</Link>
          </p>
        )
        : hasFailed && (
          <p class="home-state">
            The state of the server could not be read. It is tried again by itself.
          </p>
        )}
    </div>
  );
}

const APPROVALS_CLOSED: Problem = {
  isBad: true,
  what: "Approvals are closed",
  why: "No passkey signs them any more. Set anew how they are made.",
  action: { href: "/settings?show=sign-in", text: "Show" },
};

/** `more`: lists of those that have no line here. */
function Problems({ all, more }: { all: readonly Problem[]; more: readonly Rest[] }) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, all.length - MOST);
  return (
    <ul class="home-problems" aria-label="What is not well">
      {all.slice(0, isWhole ? all.length : MOST).map(({ isBad, what, why, action, list }) => (
        <li key={what + why} class={isBad ? "is-bad" : "is-soon"}>
          <span>
            <b>{what}</b> {why}
            {list && (
              <>
                {" "}
                <Link class="text-link" href={list.href}>{list.text}</Link>
              </>
            )}
          </span>
          {action && (
            <Link class="button is-plain" href={action.href}>
              {action.text}
              <span class="unseen">: {what}</span>
            </Link>
          )}
        </li>
      ))}
      {(hidden > 0 || more.length > 0) && (
        <li class="home-rest">
          {hidden > 0 && (
            <Button kind="quiet" onClick={() => setWhole(true)}>
              Show {hidden.toLocaleString("en")} more
            </Button>
          )}
          {more.map(({ href, text }) => (
            <Link key={href} class="text-link" href={href}>{text}</Link>
          ))}
        </li>
      )}
    </ul>
  );
}

function problemOf({ name, reason, stops, since }: {
  name: string;
  reason: string;
  stops: string;
  since: string;
}): Problem {
  // The server's log names it by its ids.
  if (name === "channel_paused") {
    return {
      isBad: false,
      what: `A channel has been paused since ${dayOf(since)}`,
      why: "It kept failing. What waits is sent once it is resumed.",
      action: { href: "/settings?show=channels", text: "Show" },
    };
  }
  return {
    isBad: stops !== "nothing",
    what: begun(name.replaceAll("_", " ")),
    why: say`${begun(reason.replaceAll("`", ""))}. Since ${dayOf(since)}.`,
  };
}

/** With a capital letter and without a full stop. */
function begun(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1).replace(/\.$/, "");
}

const ageOf = (at: string) => Date.now() - Date.parse(at);
const HOUR_MS = 60 * 60 * 1000;

/** A backup that is late, or missing; nothing where Keydesk can't know of any. */
function backupOf({ at, missing_since }: {
  at: string | null;
  missing_since: string | null;
}): Problem[] {
  const age = at === null ? 0 : ageOf(at);
  if (at !== null && age > 26 * HOUR_MS) {
    const why = `Made ${dayOf(at)}. Find out why none came after it.`;
    return [{ isBad: age > 50 * HOUR_MS, what: `The last backup is ${lengthOf(age)} old`, why }];
  }
  if (missing_since === null || ageOf(missing_since) <= 24 * HOUR_MS) return [];
  const why = "keydesk backup makes one, keydesk backup --done notes one of another kind.";
  return [{ isBad: false, what: "No backup is known", why }];
}

/** A copy that took the store's place, where something that was ended may be open again. */
function restoreOf({ at, known, reopened }: {
  at: string;
  known: boolean;
  reopened: boolean;
}): Problem[] {
  if (known && !reopened) return [];
  return [{
    isBad: true,
    what: `The store was put back to a copy on ${dayOf(at)}`,
    why: reopened
      ? "Keys, access tokens and people that were revoked after the copy was made are valid again."
      : "It is not known what was revoked, suspended or narrowed after the copy was made. Look through keys, access tokens and people.",
    action: { href: "/keys", text: "Keys" },
  }];
}

function givenUp(n: number): Problem {
  return {
    isBad: false,
    what: `${n.toLocaleString("en")} ${n === 1 ? "delivery was" : "deliveries were"} given up`,
    why: n === 1 ? "It waits until it is tried again." : "They wait until they are tried again.",
    action: { href: "/settings?show=deliveries&state=dead", text: "Show" },
  };
}

/** Changes by files that wait for a person, and things that differ from their files. */
function filesOf({ drifted, waiting }: { drifted: number; waiting: number }): Problem[] {
  const lines = [
    [waiting, "Changes by files to confirm", "None is applied before."],
    [
      drifted,
      "Things that differ from their files",
      "Apply the files again, or adopt the changes.",
    ],
  ] as const;
  return lines.filter(([n]) => n > 0).map(([n, words, why]) => ({
    isBad: false,
    what: say`${words}: ${n.toLocaleString("en")}`,
    why,
    action: { href: "/settings?show=config", text: "Show" },
  }));
}

type Due = NonNullable<Expiries["certificates"]>["due"];

/** A list with problems that are not named here. */
interface Rest {
  readonly href: string;
  readonly text: string;
}

/** The lists of leaked keys and certificates that wait without a line of their own. */
function unnamed(ends: Expiries | undefined): Rest[] {
  const { due } = ends?.certificates ?? {};
  const { leaked } = ends?.keys ?? {};
  const certificates = due ? due.ended + due.within_30_days - due.next.length : 0;
  const leaks = leaked ? leaked.count - leaked.next.length : 0;
  return [
    ...certificates > 0
      ? [{
        href: "/certificates",
        text: say`${counted(certificates, "more certificate")} to renew`,
      }]
      : [],
    ...leaks > 0 ? [{ href: ALL_LEAKS, text: counted(leaks, "more leaked key") }] : [],
  ];
}

const counted = (n: number, one: string) =>
  say`${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

const ALL_LEAKS = "/keys?leaked=reports&state=open";

type Leak = NonNullable<Expiries["keys"]>["leaked"]["next"][number];

/** A key that was found in public. The place is text: anyone can have named it. */
function leakOf(key: Leak): Problem {
  const by = key.reported_by === "anybody" ? "a finder outside" : say`the ${key.reported_by}`;
  const where = key.url === null ? "" : say` at ${key.url}`;
  return {
    isBad: true,
    what: say`The key ${calledKey(key)} of ${ownerOf(key)} has leaked`,
    why: say`Found${where} by ${by}, ${
      lengthOf(ageOf(key.reported_at))
    } ago. Rotate or revoke it, or mark the report as a false positive.`,
    action: { href: `/keys/${encodeURIComponent(key.key_id)}`, text: "Show" },
    list: { href: ALL_LEAKS, text: "All leaks" },
  };
}

/** A certificate that is to be renewed: in red where it has ended, or does so within a week. */
function dueOf({ id, name, not_after, used_by }: Due["next"][number]): Problem {
  const left = Date.parse(not_after) - Date.now();
  const when = used_by ? say`expired ${lengthOf(-left)} ago` : say`expires in ${lengthOf(left)}`;
  const user = used_by && { plan: "The plan", api: "The API", key: "A key" }[used_by.object];
  return {
    isBad: left <= 7 * DAY_MS,
    what: say`The certificate ${name || id.slice(-12)} ${when}`,
    why: used_by
      ? say`${
        listed([user ?? "", used_by.name].filter(Boolean), " ")
      } still names it, and nothing that follows it was uploaded.`
      : "Nothing that follows it was uploaded.",
    action: { href: `/certificates/${encodeURIComponent(id)}`, text: "Show" },
  };
}

/** Expired certificates that nothing names: each is to be renewed or deleted. */
function expiredOf(count: number): Problem[] {
  if (count === 0) return [];
  return [{
    isBad: false,
    what: count === 1
      ? "A certificate has expired"
      : `${count.toLocaleString("en")} certificates have expired`,
    why: count === 1
      ? "Nothing that follows it was uploaded. Renew it, or delete it if it is not needed."
      : "Nothing that follows them was uploaded. Renew them, or delete those that are not needed.",
    action: { href: "/certificates?ends=over&ca=no", text: "Show" },
  }];
}

function authoritiesOf(
  { expired, within_30_days: soon }: NonNullable<Expiries["certificates"]>["authorities"],
): Problem[] {
  const line = (count: number, isOver: boolean): Problem[] => {
    if (count === 0) return [];
    const many = count.toLocaleString("en");
    const [who, verb, it] = count === 1
      ? ["A certificate authority", isOver ? "has expired" : "expires within 30 days", "it"]
      : [
        `${many} certificate authorities`,
        isOver ? "have expired" : "expire within 30 days",
        "they",
      ];
    return [{
      isBad: isOver,
      what: say`${who} ${verb}`,
      why: say`What ${it} issued is no longer trusted${isOver ? "" : " then"}.`,
      action: {
        href: `/certificates?ca=only&status=${isOver ? "expired" : "expiring"}`,
        text: "Show",
      },
    }];
  };
  return [...line(expired, true), ...line(soon, false)];
}
