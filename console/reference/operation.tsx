import { useId, useState } from "preact/hooks";
import { bodyText, callOf, exampleOf, type Filled } from "./call.ts";
import {
  addressOf,
  type Document,
  followed,
  type Media,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
} from "./document.ts";
import { kindOf, type Member, memberOf, membersOf } from "./member-list.ts";
import { LANGUAGES } from "./samples.ts";
import { inline, Texts } from "./texts.tsx";
import { TryIt } from "./try-it.tsx";

/** An operation: a line that opens to all that is told of it. */
export function OperationLine({ document, operation, isOpen, onToggle }: {
  document: Document;
  operation: Operation;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const { operationId, method, path, summary, isMessage } = operation;
  return (
    <article class="operation" data-id={operationId}>
      <h3>
        <button
          type="button"
          class="operation-head"
          id={operationId}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <span class={`method is-${method.toLowerCase()}`}>{isMessage ? "sent" : method}</span>
          <span class="path">{path}</span>
          <span class="summary">{inline(summary)}</span>
        </button>
      </h3>
      {isOpen && <Opened document={document} operation={operation} />}
    </article>
  );
}

function Opened({ document, operation }: { document: Document; operation: Operation }) {
  const example = exampleOf(document, operation);
  // Paths are typed: an example's id is nobody's here.
  const inPath = (operation.parameters ?? []).filter((one) => one.in === "path");
  const begun = Object.entries(example.values).filter(([name]) =>
    !inPath.some((one) => one.name === name)
  );
  const [filled, setFilled] = useState<Filled>({ ...example, values: Object.fromEntries(begun) });
  return (
    <div class="operation-body">
      <Texts source={operation.description} />
      <p class="muted">
        {who(operation)} <a class="text-link" href={addressOf(operation)}>Link to this</a>
      </p>
      <Parameters document={document} list={operation.parameters ?? []} />
      {operation.requestBody && (
        <section>
          <h4>Body</h4>
          {Object.entries(operation.requestBody.content).map(([type, media]) => (
            <Body key={type} document={document} type={type} media={media} />
          ))}
        </section>
      )}
      <Answers document={document} operation={operation} />
      {!operation.isMessage && (
        <>
          <TryIt
            document={document}
            operation={operation}
            filled={filled}
            onFill={(more) => setFilled((before) => ({ ...before, ...more }))}
          />
          <Samples
            document={document}
            operation={operation}
            filled={{ ...filled, values: over(example.values, filled.values) }}
          />
        </>
      )}
    </div>
  );
}

/** What was typed in the place of the examples. */
function over(examples: Filled["values"], typed: Filled["values"]): Filled["values"] {
  return { ...examples, ...Object.fromEntries(Object.entries(typed).filter(([, v]) => v !== "")) };
}

function who({ security = [], isMessage }: Operation): string {
  if (isMessage) return "The desk sends this to its targets.";
  const names = new Set(security.flatMap((one) => Object.keys(one)));
  if (names.size === 0) return "Takes no access token.";
  if (names.has("developer")) return "For developers, by a token or a session of their own.";
  return names.has("session_cookie")
    ? "Takes an access token or a session."
    : "Takes an access token.";
}

function Answers({ document, operation }: { document: Document; operation: Operation }) {
  const answers = Object.entries(operation.responses);
  return (
    <section>
      <h4>Answers</h4>
      <ul class="answers">
        {answers.map(([status, told]) => (
          <li key={status}>
            <Folded
              title={
                <>
                  <code class={status.startsWith("2") ? "is-good" : ""}>{status}</code>{" "}
                  {inline(firstLine(followed(document, told)))}
                </>
              }
            >
              <AnswerBody document={document} told={followed(document, told)} />
            </Folded>
          </li>
        ))}
      </ul>
    </section>
  );
}

function firstLine({ description = "" }: Response): string {
  return description.split("\n\n").map((one) => /^`([^`]+)`:/.exec(one)?.[1] ?? one).join(", ");
}

function AnswerBody({ document, told }: { document: Document; told: Response }) {
  return (
    <>
      <Texts source={told.description} />
      {Object.entries(told.content ?? {}).map(([type, media]) => (
        <Body key={type} document={document} type={type} media={media} />
      ))}
      <ul class="members">
        {Object.entries(told.headers ?? {}).map(([name, header]) => (
          <li key={name}>
            <p class="member">
              <code>{name}</code> <span class="tag">header</span>
            </p>
            <p>{inline(followed(document, header).description ?? "")}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

function Samples({ document, operation, filled }: {
  document: Document;
  operation: Operation;
  filled: Filled;
}) {
  const [language, setLanguage] = useState("curl");
  const name = useId();
  const text = LANGUAGES[language]?.(callOf(document, operation, filled)) ?? "";
  return (
    <section>
      <h4>Samples</h4>
      <fieldset class="tabs">
        <legend class="unseen">Language</legend>
        {Object.keys(LANGUAGES).map((one) => (
          <label class="tab" key={one}>
            <input
              type="radio"
              class="unseen"
              name={name}
              checked={one === language}
              onChange={() => setLanguage(one)}
            />
            {one}
          </label>
        ))}
      </fieldset>
      <pre class="sample" tabIndex={0}>{text}</pre>
      <p class="muted">
        <code>DESK</code> is this desk's address{operation.security?.length
          ? (
            <>
              , <code>CREDENTIAL</code> an access token
            </>
          )
          : null}.
      </p>
    </section>
  );
}

/** Parameters of an operation, those that it needs first. */
function Parameters({ document, list }: { document: Document; list: Parameter[] }) {
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
function Body({ document, type, media }: { document: Document; type: string; media: Media }) {
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

function Line({ document, member, place }: { document: Document; member: Member; place?: string }) {
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

/** What is drawn only once it is opened: schemas may hold themselves. */
function Folded({ title, of, children }: {
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
