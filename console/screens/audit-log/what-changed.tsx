import { say } from "../../said.ts";
import type { GroupedEvent as Event } from "./grouped.ts";
import type { Detail } from "./kind.ts";
import { NotedValue } from "./noted-value.tsx";
import { memberName } from "./words.ts";

interface Change {
  /** As the server names the member, and as people read it. */
  readonly member: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The values before and after a change; nothing for events without a change. */
export function WhatChanged({ event }: { event: Event }) {
  const { detail } = event;
  const changes = changesOf(detail);
  if (changes.length === 0) return null;
  return (
    <>
      <h3 class="group-title" id="what-changed">What changed</h3>
      <table class="event-changes" aria-labelledby="what-changed">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ member, name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {before === undefined ? <span class="muted">none</span> : (
                  <del>
                    <NotedValue name={member} value={before} event={event} />
                  </del>
                )}
              </td>
              <td>
                {after === undefined ? <span class="muted">none</span> : (
                  <ins>
                    <NotedValue name={member} value={after} event={event} />
                  </ins>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {detail.shortened === true && <p class="muted">More changed than is kept.</p>}
    </>
  );
}

/** The members that changed, those of records each for itself. */
function changesOf({ before, after }: Detail): Change[] {
  return isRecord(before) || isRecord(after)
    ? changesIn(isRecord(before) ? before : {}, isRecord(after) ? after : {}, "")
    : [];
}

function changesIn(before: Detail, after: Detail, prefix: string): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    const text = prefix === ""
      ? memberName(name)
      : say`${prefix}, ${memberName(name).toLowerCase()}`;
    return isRecord(was) || isRecord(is)
      ? changesIn(isRecord(was) ? was : {}, isRecord(is) ? is : {}, text)
      : [{ member: name, name: text, before: was, after: is }];
  });
}

function isRecord(value: unknown): value is Detail {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
