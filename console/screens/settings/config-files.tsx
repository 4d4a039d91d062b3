import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { listConfigReviews, setConfigRule } from "../../api/config-endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useCall } from "../../api/queries.ts";
import { CopyField } from "../../parts/copy.tsx";
import { type ManagedConfig, useManagedConfig } from "../../parts/managed-notice.tsx";
import { Pill, Tag } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { fileOf, kinds, Members } from "./config-words.tsx";
import { InPlace } from "./in-place.tsx";

type Thing = ManagedConfig["data"][number];

/** Things of a list, at the most. */
const MOST = 100;

/** The things that files manage, how they differ, and the changes that wait for a person. */
export function ConfigFiles() {
  const read = useManagedConfig(0);
  if (!read.data) return <Unread of={read} />;
  const { data: things } = read.data;
  const drifted = things.filter(({ drifted_at }) => drifted_at !== null);
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label={TITLE}>
      <h2 class="group-title">{TITLE}</h2>
      <Waiting />
      {things.length === 0 ? <NoFile /> : (
        <>
          {drifted.length > 0 && <Drifted things={drifted} />}
          <Things things={things} />
          <Rule of={read.data} />
        </>
      )}
    </div>
  );
}

const TITLE = "Configuration files";

function NoFile() {
  return (
    <>
      <p>
        No file manages anything of this organisation yet: this command prints the organisation as a
        file, and <code>docs/organisation-as-code.md</code> says how it is applied.
      </p>
      <CopyField label="Command" text="keydesk export config >organisation.yaml" />
    </>
  );
}

/** The changes that wait for a person, or that one has confirmed. */
function Waiting() {
  const { data } = useCall(["config", "reviews"], listConfigReviews, {});
  if (!data || data.data.length === 0) return null;
  return (
    <>
      <h3 class="group-title">Changes to confirm</h3>
      <ul class="cards is-wide">
        {data.data.map((one) => (
          <li key={one.digest} class="card" aria-label={fileOf(one)}>
            <p class="card-head">
              <b>{fileOf(one)}</b> {one.confirmed_at === null
                ? <Pill tone="waiting">Waits</Pill>
                : <Pill tone="good">Confirmed</Pill>}
            </p>
            <p class="muted">
              {one.changes.length === 1 ? "1 change" : say`${grouped(one.changes.length)} changes`},
              {" "}
              requested <Time at={one.asked_at} />
            </p>
            <div class="card-actions">
              <Link
                class="button"
                href={`/settings/config/${encodeURIComponent(one.digest)}`}
                aria-label={say`Review the change by ${fileOf(one)}`}
              >
                Review
              </Link>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The things that were changed by another caller than their file. */
function Drifted({ things }: { things: readonly Thing[] }) {
  return (
    <>
      <h3 class="group-title">Drift {grouped(things.length)}</h3>
      <p class="muted">
        These things were changed otherwise than by their file. Apply the file again, or take the
        change into it: <code>keydesk config adopt</code>.
      </p>
      <ul class="cards is-wide">
        {things.slice(0, MOST).map((one) => (
          <li key={one.kind + one.id} class="card" aria-label={nameOf(one)}>
            <p class="card-head">
              <Named of={one} />
            </p>
            <p class="muted">
              {fileOf(one)} · changed <Time at={one.drifted_at} />
            </p>
            {one.drift.length === 0 && <p>No member differs: it was changed back, or removed.</p>}
            <Members label={nameOf(one)} members={one.drift} heads={["Now", "In the file"]} />
          </li>
        ))}
      </ul>
      <Rest all={things.length} />
    </>
  );
}

function Things({ things }: { things: readonly Thing[] }) {
  return (
    <>
      <h3 class="group-title" id="config-things">Managed by files {grouped(things.length)}</h3>
      <table class="config-members" aria-labelledby="config-things">
        <thead>
          <tr>
            <th scope="col">Thing</th>
            <th scope="col">File</th>
            <th scope="col">Applied</th>
          </tr>
        </thead>
        <tbody>
          {things.slice(0, MOST).map((one) => (
            <tr key={one.kind + one.id}>
              <th scope="row">
                <Named of={one} />
              </th>
              <td>
                {fileOf(one)} {!one.declared && <Tag>no longer declared</Tag>}
              </td>
              <td>
                <Time at={one.applied_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Rest all={things.length} />
    </>
  );
}

/** The command shows what has no room here. */
function Rest({ all }: { all: number }) {
  if (all <= MOST) return null;
  return (
    <p class="muted">
      The first {MOST} of {grouped(all)}. <code>keydesk config managed</code> lists all.
    </p>
  );
}

/** A thing by its kind and name, as a link to it. */
function Named({ of: one }: { of: Thing }) {
  const place = kinds[one.kind]?.place(one.id);
  return place ? <Link class="text-link" href={place}>{nameOf(one)}</Link> : <>{nameOf(one)}</>;
}

function nameOf({ kind, id, name }: Thing): string {
  const word = kinds[kind]?.word ?? kind;
  return id === "" ? word : say`${word} ${name}`;
}

function Rule({ of }: { of: ManagedConfig }) {
  return (
    <InPlace
      name="config-rule"
      title="Changes by people"
      level={3}
      base={{ changes: of.changes }}
      onSave={async ({ changes }) => {
        await api.call(setConfigRule, { body: { changes } });
        queries.setQueryData(["config", "managed"], { ...of, changes });
      }}
      fields={[{
        of: "changes",
        label: "Changes of managed things by anybody but their file",
        options: [
          { value: "warn", text: "Are made, and shown as drift" },
          { value: "refuse", text: "Are refused" },
        ],
      }]}
    />
  );
}
