import { useState } from "preact/hooks";
import type { Document, Media, Parameter, Schema } from "./document.ts";
import { kindOf, type Member, memberOf, membersOf } from "./member-list.ts";
import { inline } from "./texts.tsx";
import { bodyText } from "./call.ts";

/** Parameters of an operation, those that it needs first. */
export function Parameters({ document, list }: { document: Document; list: Parameter[] }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h4>Parameters</h4>
      <ul class="members">
        {list.map((one) => {
          const member = memberOf(document, one.name, one.schema ?? {}, one.required ?? false);
          const description = one.description ?? member.description;
          return (
            <Line
              key={`${one.in} ${one.name}`}
              document={document}
              member={{ ...member, ...description === undefined ? {} : { description } }}
              place={one.in}
            />
          );
        })}
      </ul>
    </section>
  );
}

/** A body in one media type: its kind, its members, and its example where it is asked for. */
export function Body({ document, type, media }: {
  document: Document;
  type: string;
  media: Media;
}) {
  const example = bodyText(document, type, media);
  return (
    <div class="body">
      <p>
        <code>{type}</code>{" "}
        {media.schema && <span class="muted">{kindOf(document, media.schema)}</span>}
      </p>
      {media.schema && <Members document={document} schema={media.schema} />}
      {example !== "" && (
        <Folded title="Example">
          <pre tabIndex={0}>{example}</pre>
        </Folded>
      )}
    </div>
  );
}

function Members({ document, schema }: { document: Document; schema: Schema }) {
  const members = membersOf(document, schema);
  if (members.length === 0) return null;
  return (
    <ul class="members">
      {members.map((one) => <Line key={one.name} document={document} member={one} />)}
    </ul>
  );
}

function Line({ document, member, place }: {
  document: Document;
  member: Member;
  place?: string;
}) {
  return (
    <li>
      <p class="member">
        <code>{member.name}</code> <span class="muted">{member.kind}</span>
        {place && place !== "query" && <span class="tag">{place}</span>}
        {member.isRequired && <span class="tag is-needed">required</span>}
      </p>
      {member.limits.length > 0 && <p class="limits">{member.limits.join("; ")}</p>}
      {member.description && <p>{inline(member.description)}</p>}
      {member.inside && (
        <Folded title="Members" of={member.name}>
          <Members document={document} schema={member.inside} />
        </Folded>
      )}
    </li>
  );
}

/** Content that is drawn only once it is opened: schemas may contain themselves. */
export function Folded({ title, of, children }: {
  title: preact.ComponentChildren;
  of?: string;
  children: preact.ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}
        {of && <span class="unseen">{` of ${of}`}</span>}
      </summary>
      {isOpen && children}
    </details>
  );
}
