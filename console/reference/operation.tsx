import { useId, useState } from "preact/hooks";
import { callOf, exampleOf, type Filled } from "./call.ts";
import { addressOf, type Document, followed, type Operation, type Response } from "./document.ts";
import { Body, Folded, Parameters } from "./members.tsx";
import { LANGUAGES } from "./samples.ts";
import { inline, Texts } from "./texts.tsx";
import { TryIt } from "./try-it.tsx";

/** An operation: a line that opens to its description. */
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
  // Paths are typed: an example's id does not exist here.
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

/** The typed values over the examples. */
function over(examples: Filled["values"], typed: Filled["values"]): Filled["values"] {
  return { ...examples, ...Object.fromEntries(Object.entries(typed).filter(([, v]) => v !== "")) };
}

function who({ security = [], isMessage }: Operation): string {
  if (isMessage) return "Keydesk sends this to its channels.";
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
        {answers.map(([status, response]) => (
          <li key={status}>
            <Folded
              title={
                <>
                  <code class={status.startsWith("2") ? "is-good" : ""}>{status}</code>{" "}
                  {inline(firstLine(followed(document, response)))}
                </>
              }
            >
              <AnswerBody document={document} response={followed(document, response)} />
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

function AnswerBody({ document, response }: { document: Document; response: Response }) {
  return (
    <>
      <Texts source={response.description} />
      {Object.entries(response.content ?? {}).map(([type, media]) => (
        <Body key={type} document={document} type={type} media={media} />
      ))}
      <ul class="members">
        {Object.entries(response.headers ?? {}).map(([name, header]) => (
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
        <code>DESK</code> is this server's address{operation.security?.length
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
