import { useRef } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createDeveloper, editDeveloper, getDeveloper } from "../../api/endpoints.ts";
import { CloseButton, LinkButton } from "../../parts/button.tsx";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";
import { type AccountOwner, AccountOwnerFields, saidOf } from "./account-owner.tsx";

interface Line {
  name: string;
  value: string;
}

interface Draft extends AccountOwner {
  email: string;
  lines: Line[];
}

const fresh: Draft = {
  email: "",
  lines: [{ name: "name", value: "" }, { name: "company", value: "" }],
};

/** Registers a developer, or changes address and fields of one. */
export function DeveloperForm({ developer, onSaved, onClose }: {
  developer?: DeveloperDetail;
  onSaved: (developer: DeveloperDetail) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  // The newest that was seen: what is no text is not edited here, and stays.
  const known = useRef(developer);
  const save = async (draft: Draft) => {
    const body = { email: draft.email.trim(), fields: fieldsOf(draft.lines, known.current) };
    if (body.email === "") throw new Unfit({ email: "Write an e-mail address here." });
    const { id } = developer ?? { id: "" };
    const owner = isOther(draft.email, known.current)
      ? saidOf(draft, known.current?.keys ?? 0)
      : {};
    const saved = developer
      ? await saveUnlessChanged(
        id,
        () =>
          api.call(editDeveloper, {
            params: { id },
            body: { ...body, ...owner },
            headers: { "if-match": `"${known.current?.revision}"` },
          }),
        async () => {
          known.current = await api.call(getDeveloper, { params: { id } });
          return draftOf(known.current);
        },
      )
      : await api.call(createDeveloper, { body, headers: decision.current });
    forgetDevelopers();
    toast({
      text: developer ? say`${nameOf(saved)} is changed.` : say`${nameOf(saved)} is registered.`,
    });
    onSaved(saved);
  };
  return (
    <FormDialog<Draft>
      name={`developer ${developer?.id ?? "new"}`}
      title={developer ? say`Change ${nameOf(developer)}` : "Register a developer"}
      note={developer ? undefined : "Without a password: they choose one in your portal."}
      action={developer ? "Save" : "Register"}
      initial={developer ? draftOf(developer) : fresh}
      places={{ fields: "lines", account: "account", predecessor_keys: "account" }}
      onSave={save}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        {
          of: "email",
          label: "E-mail address",
          type: "email",
          maxLength: 320,
          autoFocus: true,
          required: true,
        },
        isOther(draft.email, known.current) && (
          <AccountOwnerFields
            owner={draft}
            count={known.current?.keys ?? 0}
            error={errors.account}
            onChange={({ account, predecessor_keys }) => set({ account, predecessor_keys })}
          />
        ),
        <Lines
          key="lines"
          lines={draft.lines}
          error={errors.lines}
          onChange={(lines) => set({ lines })}
        />,
      ]}
    />
  );
}

/** Whether it is another address than the one that the developer had. */
function isOther(email: string, developer: DeveloperDetail | undefined): boolean {
  const before = developer?.email.trim().toLowerCase() ?? "";
  const after = email.trim().toLowerCase();
  return before !== "" && after !== "" && after !== before;
}

function Lines({ lines, error, onChange }: {
  lines: readonly Line[];
  error: string | undefined;
  onChange: (lines: Line[]) => void;
}) {
  const change = (at: number, part: Partial<Line>) =>
    onChange(lines.map((line, index) => index === at ? { ...line, ...part } : line));
  return (
    <fieldset class="lines">
      <legend class="field-label">What is known about them</legend>
      {lines.map((line, at) => (
        <div key={at} class="line">
          <input
            class="input"
            aria-label={`Name of field ${at + 1}`}
            placeholder="Field"
            value={line.name}
            maxLength={100}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <input
            class="input"
            aria-label={line.name === "" ? `Value of field ${at + 1}` : line.name}
            value={line.value}
            onInput={(event) => change(at, { value: event.currentTarget.value })}
          />
          <CloseButton
            label={say`Remove ${line.name || `field ${at + 1}`}`}
            onClick={() => onChange(lines.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <LinkButton onClick={() => onChange([...lines, { name: "", value: "" }])}>
        Add a field
      </LinkButton>
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

function draftOf({ email, fields }: DeveloperDetail): Draft {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" ? [{ name, value }] : []
  );
  return { email, lines };
}

/**
 * The fields to send: the lines, and what is no text as it was. Throws Unfit for a name that stands
 * twice.
 */
function fieldsOf(lines: readonly Line[], known: DeveloperDetail | undefined) {
  const others = Object.entries(known?.fields ?? {}).filter(([, value]) =>
    typeof value !== "string"
  );
  const fields = new Map(others);
  for (const { name, value } of lines) {
    const key = name.trim();
    if (key === "" && value === "") continue;
    if (key === "") throw new Unfit({ lines: say`“${value}” needs a name before it.` });
    if (fields.has(key)) throw new Unfit({ lines: say`“${key}” occurs twice.` });
    fields.set(key, value);
  }
  return Object.fromEntries(fields);
}
