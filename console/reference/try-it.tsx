import { useId, useState } from "preact/hooks";
import { listed, say } from "../said.ts";
import { bodyText, callOf, type Filled, isJson, missing, sendable } from "./call.ts";
import { send, session, token } from "./caller.ts";
import type { Document, Operation, Parameter } from "./document.ts";

/** An answer as it came. */
interface Came {
  readonly status: number;
  readonly words: string;
  readonly ms: number;
  readonly headers: readonly [string, string][];
  readonly text: string;
}

/** More than this of an answer is left out: browsers lay out no megabytes of text in time. */
const MOST_SHOWN = 200_000;

/** The fields of an operation, and the server's answer. */
export function TryIt({ document, operation, filled, onFill }: {
  document: Document;
  operation: Operation;
  filled: Filled;
  onFill: (more: Partial<Filled>) => void;
}) {
  const [isUnderWay, setUnderWay] = useState(false);
  const [came, setCame] = useState<Came | string>();
  const types = sendable(operation);
  const bySession = takesSession(operation);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isUnderWay) return;
    const empty = missing(operation, filled);
    if (empty.length > 0) return setCame(say`Fill in first: ${listed(empty)}`);
    setUnderWay(true);
    setCame(undefined);
    try {
      const since = performance.now();
      const response = await send(callOf(document, operation, filled), bySession);
      setCame(await cameOf(response, since));
    } catch {
      setCame("No answer came. Keydesk can't be reached, or the call was refused on its way.");
    }
    setUnderWay(false);
  }

  return (
    <section class="try">
      <h4>Try it</h4>
      <form onSubmit={(event) => void submit(event)} noValidate>
        {(operation.parameters ?? []).map((one) => (
          <Field
            key={`${one.in} ${one.name}`}
            parameter={one}
            value={filled.values[one.name] ?? ""}
            onChange={(value) => onFill({ values: { ...filled.values, [one.name]: value } })}
          />
        ))}
        {types.length > 1 && (
          <Choice
            label="Media type"
            value={filled.type ?? ""}
            choices={types.map(([type]) => type)}
            onChange={(type) => {
              const media = types.find(([one]) => one === type)?.[1] ?? {};
              onFill({ type, text: bodyText(document, type, media), file: undefined });
            }}
          />
        )}
        {filled.type !== undefined && (
          <BodyField type={filled.type} filled={filled} onFill={onFill} />
        )}
        <p class="send">
          <button type="submit" class="button is-primary" aria-disabled={isUnderWay}>Send</button>
          <span class="muted">{callerWords(operation, bySession)}</span>
        </p>
      </form>
      <div role="status">
        {isUnderWay && <p class="muted">Sent…</p>}
        {typeof came === "string" && <p class="is-bad">{came}</p>}
        {typeof came === "object" && (
          <p class="outcome">
            <b class={came.status < 400 ? "is-good" : "is-bad"}>{came.status} {came.words}</b>{" "}
            <span class="muted">{came.ms} ms</span>
          </p>
        )}
      </div>
      {typeof came === "object" && (
        <>
          <pre class="answer" tabIndex={0} aria-label="Answer" role="region">{came.text}</pre>
          <details>
            <summary>Headers of the answer</summary>
            <pre tabIndex={0}>{came.headers.map((one) => one.join(": ")).join("\n")}</pre>
          </details>
        </>
      )}
    </section>
  );
}

function takesSession({ security = [] }: Operation): boolean {
  return security.some((one) => "session_cookie" in one);
}

function callerWords({ security = [] }: Operation, bySession: boolean): string {
  if (token.value !== "") return "With the access token";
  if (bySession && session.value) return "As you";
  return security.length === 0 ? "" : "Without signing in";
}

function Field({ parameter, value, onChange }: {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, required, schema = {}, example } = parameter;
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  if (choices) {
    return <Choice label={name} value={value} choices={["", ...choices]} onChange={onChange} />;
  }
  return (
    <label class="field">
      <span class="field-label">{name}{required && " (required)"}</span>
      <input
        class="input"
        value={value}
        placeholder={example === undefined ? "" : String(example)}
        autocomplete="off"
        spellcheck={false}
        required={required ?? false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function Choice({ label, value, choices, onChange }: {
  label: string;
  value: string;
  choices: readonly string[];
  onChange: (value: string) => void;
}) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
    </label>
  );
}

function BodyField({ type, filled, onFill }: {
  type: string;
  filled: Filled;
  onFill: (more: Partial<Filled>) => void;
}) {
  const hint = useId();
  const isFile = !isJson(type) && type !== "application/x-www-form-urlencoded";
  return (
    <>
      {isFile && (
        <label class="field">
          <span class="field-label">File</span>
          <input
            class="input"
            type="file"
            onChange={(event) => onFill({ file: event.currentTarget.files?.[0] })}
          />
        </label>
      )}
      <label class="field is-wide">
        <span class="field-label">{isFile ? "or the body as a text" : "Body"}</span>
        <textarea
          class="input body-text"
          rows={Math.min(16, filled.text.split("\n").length + 1)}
          value={filled.text}
          spellcheck={false}
          aria-describedby={hint}
          onInput={(event) => onFill({ text: event.currentTarget.value })}
        />
        <small class="field-hint" id={hint}>{isJson(type) ? problemOf(filled.text) : ""}</small>
      </label>
    </>
  );
}

/** Invalid JSON is sent all the same: the server describes the problem best. */
function problemOf(text: string): string {
  if (text === "") return "";
  try {
    JSON.parse(text);
    return "";
  } catch {
    return "This is no JSON yet.";
  }
}

async function cameOf(response: Response, since: number): Promise<Came> {
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  return {
    status: response.status,
    words: response.statusText,
    ms: Math.round(performance.now() - since),
    headers: [...response.headers],
    text: shown(isJson(type) ? pretty(text) : text),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shown(text: string): string {
  if (text === "") return "(nothing)";
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text;
}
