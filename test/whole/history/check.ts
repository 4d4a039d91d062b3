/**
 * Checks a history against what the store promises. Each request is looked at by itself: it is one
 * value that is overwritten, and three facts that become true once: approved, revoked, deleted. A
 * call whose outcome is unknown may have been done at any time after it began, or never.
 */
import type { Change, History, Sight, Verdict } from "./history.ts";

/** How long after a revocation a key may still be let in, in milliseconds. */
const HEEDED_MS = 1000;

/**
 * Every promise that was broken, in words; none for a history that is right. `unnoticedMs`: for how
 * long a node may not know what was done or shown through another one (on SQLite, `UNNOTICED_MS`).
 */
export function check(history: History, unnoticedMs = 0): string[] {
  const known = (a: Change | Sight, b: Sight) =>
    a.end + (a.node === b.node ? 0 : unnoticedMs) < b.begin;
  const changes = Map.groupBy(history.changes, ({ id }) => id);
  const sights = Map.groupBy(history.sights, ({ id }) => id);
  const verdicts = Map.groupBy(history.verdicts, ({ id }) => id);
  const told = history.ids().flatMap((id) => {
    const own = changes.get(id) ?? [];
    const seen = sights.get(id) ?? [];
    return [
      ...checkOnce(own),
      ...checkRefusals(own),
      ...checkValues(own, seen, known),
      ...checkFacts(own, seen, known),
      ...checkKeys(own, verdicts.get(id) ?? []),
    ].map((broken) => `${id}: ${broken}`);
  });
  return [...told, ...checkRepeats(history)];
}

/** It is over before the other begins. */
const before = (a: { end: number }, b: { begin: number }) => a.end < b.begin;
/** It is over, and whoever serves the later look knows it. */
type Known = (earlier: Change | Sight, later: Sight) => boolean;
const isDone = ({ outcome }: Change) => outcome === "ok";
const mayBeDone = ({ outcome }: Change) => outcome !== "refused";
const of = (changes: readonly Change[], kind: Change["kind"]) =>
  changes.filter((change) => change.kind === kind);

function checkOnce(changes: readonly Change[]): string[] {
  const decisions = [...of(changes, "approve"), ...of(changes, "decline")].filter(isDone);
  const kinds = new Set(decisions.map(({ kind }) => kind));
  return [
    ...kinds.size > 1 ? ["it was approved and declined"] : [],
    ...(["approve", "decline", "open", "delete"] as const).flatMap((kind) => {
      const done = of(changes, kind).filter(isDone);
      return done.length > 1 ? [`${kind} succeeded ${done.length} times`] : [];
    }),
  ];
}

/** Who is refused must have been overtaken by one of these. */
const CAUSES: Partial<Record<Change["kind"], readonly Change["kind"][]>> = {
  approve: ["approve", "decline", "delete"],
  decline: ["approve", "decline", "delete"],
  update: ["decline", "delete"],
  delete: ["decline", "delete"],
  open: ["open"],
  revoke: ["revoke"],
  rotate: ["revoke", "rotate"],
};

function checkRefusals(changes: readonly Change[]): string[] {
  return changes.filter(({ outcome }) => outcome === "refused").flatMap((refused) => {
    const overtaken = changes.some((other) =>
      other !== refused && CAUSES[refused.kind]?.includes(other.kind) && mayBeDone(other) &&
      other.begin < refused.end
    );
    return overtaken ? [] : [`${refused.kind} was refused although nobody had come before`];
  });
}

/**
 * What is seen was written before, and not yet overwritten: neither by a call nor by what somebody
 * saw before.
 */
function checkValues(
  changes: readonly Change[],
  sights: readonly Sight[],
  known: Known,
): string[] {
  const writes = changes.filter(({ value }) => value !== undefined).filter(mayBeDone);
  const writeOf = (sight: Sight) => writes.find(({ value }) => value === sight.value);
  return sights.filter(({ value }) => value !== null).flatMap((sight) => {
    const written = writeOf(sight);
    if (!written || written.begin > sight.end) return [`${sight.kind} saw what nobody had written`];
    const newer = writes.filter((other) => before(written, other));
    if (newer.some((other) => isDone(other) && known(other, sight))) {
      return [`${sight.kind} saw a value that an acknowledged update had overwritten`];
    }
    const earlier = sights.filter((other) => known(other, sight));
    return earlier.some((other) => newer.some(({ value }) => value === other.value))
      ? [`${sight.kind} saw a value older than one that was seen before`]
      : [];
  });
}

/**
 * A fact is true for every sight after it was acknowledged or seen, and for none before somebody
 * wanted it.
 */
function checkFacts(
  changes: readonly Change[],
  sights: readonly Sight[],
  known: Known,
): string[] {
  const created = of(changes, "create").filter(isDone);
  const isGone = ({ value }: Sight) => value === null;
  const facts = [
    {
      kind: "approve",
      by: ["approve"],
      holds: (sight: Sight) => isGone(sight) || sight.approved,
    },
    // The older interface shows a request that was declined to nobody.
    { kind: "delete", by: ["delete", "decline"], holds: isGone },
  ] as const;
  return facts.flatMap(({ kind, by, holds }) => {
    const wanted = by.flatMap((one) => of(changes, one)).filter(mayBeDone);
    const isShown = (sight: Sight) => kind === "delete" ? isGone(sight) : sight.approved;
    return sights.filter((sight) => created.some((create) => known(create, sight))).flatMap(
      (sight) => {
        if (isShown(sight) && !wanted.some(({ begin }) => begin < sight.end)) {
          return [`${sight.kind} saw a ${kind} that nobody had asked for`];
        }
        if (holds(sight)) return [];
        if (wanted.some((change) => isDone(change) && known(change, sight))) {
          return [`${sight.kind} did not see an acknowledged ${kind}`];
        }
        return sights.some((other) => known(other, sight) && isShown(other))
          ? [`${sight.kind} did not see a ${kind} that was seen before`]
          : [];
      },
    );
  });
}

/**
 * A key that was handed out opens from then on, until its end is asked for, and never once its
 * revocation is heeded.
 */
function checkKeys(
  changes: readonly Change[],
  verdicts: readonly Verdict[],
): string[] {
  const issued = (["approve", "open", "issue"] as const).flatMap((kind) => of(changes, kind))
    .filter(
      isDone,
    );
  const revokes = of(changes, "revoke").filter(mayBeDone);
  const rotations = of(changes, "rotate").filter(mayBeDone);
  return verdicts.flatMap((said) => {
    if (!issued.some(({ key, end }) => key === said.key && end < said.begin)) return [];
    if (said.verdict === "valid") {
      return revokes.some((one) => isDone(one) && one.end + HEEDED_MS < said.begin)
        ? ["a key was let in more than a second after its revocation"]
        : [];
    }
    const isAsked = ({ begin }: Change) => begin < said.end;
    return (said.verdict === "revoked" && revokes.some(isAsked)) || rotations.some(isAsked)
      ? []
      : [`a key that was handed out is ${said.verdict}`];
  });
}

/** Whoever asks again is answered the same. */
function checkRepeats({ answers }: History): string[] {
  return [...Map.groupBy(answers, ({ key }) => key)].flatMap(([key, own]) =>
    new Set(own.map(({ text }) => text)).size > 1 ? [`${key}: a repeat was answered otherwise`] : []
  );
}
