import { useEffect, useRef, useState } from "preact/hooks";
import type { MailKind } from "../../../src/contract/mail-kind.ts";
import type { MailName } from "../../../src/contract/mail-names.ts";
import { placeholdersOf } from "../../../src/contract/mail-placeholders.ts";
import { api, wordsOf } from "../../api/client.ts";
import { getChannel, previewMail, updateChannel } from "../../api/channel-endpoints.ts";
import type { Channel } from "../../api/channels.ts";
import { LinkButton } from "../../parts/button.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { listed, say } from "../../said.ts";
import { draftOf, type MailDraft, type MailView, unknownIn } from "./mail-config.ts";
import { mailTitles, recipients } from "./mail-titles.ts";

interface Draft {
  subject: string;
  text: string;
  button: string;
}

/** The words of one mail, and how its reader gets it. */
export function MailWords({ kind, channel: { id }, mail, onSaved, onClose }: {
  kind: MailKind;
  channel: Channel;
  mail: MailView;
  onSaved: (saved: Channel) => void;
  onClose: () => void;
}) {
  const { name } = kind;
  const usual = { subject: kind.subject, text: kind.text, button: kind.button ?? "" };
  const { enabled, ...words } = mail.mails[name] ?? {};
  const known = placeholdersOf(name);
  /**
   * The saved words: texts equal to the usual ones are left out, so that they stay the usual ones.
   */
  const withWords = (all: MailDraft, draft: Draft): MailDraft => {
    const changed = (["subject", "text", "button"] as const).filter((one) =>
      draft[one].trim() !== "" && draft[one] !== usual[one]
    );
    const template = {
      ...enabled === undefined ? {} : { enabled },
      ...Object.fromEntries(changed.map((one) => [one, draft[one]])),
    };
    return { ...all, mails: { ...all.mails, [name]: template } };
  };
  return (
    <FormDialog<Draft>
      name={`mail ${id} ${name}`}
      title={mailTitles[name]}
      note={say`Goes to ${
        recipients[kind.to]
      }. Greeting, link, the table and the last line are fixed.`}
      action="Save"
      wide
      initial={{ ...usual, ...words }}
      onSave={async (draft) => {
        const wrong = problemsIn(draft, known);
        if (Object.keys(wrong).length > 0) throw new Unfit(wrong);
        const params = { id };
        // With what was changed elsewhere meanwhile.
        const now = await api.call(getChannel, { params });
        const body = {
          name: now.name,
          topics: now.topics,
          mail: withWords(draftOf(now.mail ?? mail), draft),
        };
        onSaved(await api.call(updateChannel, { params, body }));
      }}
      onClose={onClose}
      fields={({ draft, set }) => {
        const wrong = problemsIn(draft, known);
        const isUsual = withWords({}, draft).mails?.[name];
        return [
          {
            of: "subject",
            label: "Subject",
            wrong: wrong.subject,
            placeholder: usual.subject,
            maxLength: 200,
          },
          {
            of: "text",
            label: kind.button === undefined ? "Text" : "Text before the button",
            hint: `You can use ${listed(known.map((one) => `{{${one}}}`), " ")}.`,
            wrong: wrong.text,
            rows: 4,
            placeholder: usual.text,
            maxLength: 10_000,
          },
          kind.button !== undefined &&
          {
            of: "button",
            label: "Button",
            wrong: wrong.button,
            placeholder: usual.button,
            maxLength: 100,
          },
          (isUsual?.subject ?? isUsual?.text ?? isUsual?.button) !== undefined && (
            <p>
              <LinkButton onClick={() => set(usual)}>Back to the first wording</LinkButton>
            </p>
          ),
          <MailPreview
            key="mail-preview"
            id={id}
            mail={name}
            draft={withWords(draftOf(mail), draft)}
          />,
        ];
      }}
    />
  );
}

/** The problems of the words, by field: placeholders that would be mailed as they are written. */
function problemsIn({ subject, text, button }: Draft, known: readonly string[]) {
  const problems: Record<string, string> = {};
  for (const [field, words] of Object.entries({ subject, text })) {
    const unknown = unknownIn(words, known);
    if (unknown.length > 0) problems[field] = `${listed(unknown)}: this mail has no such value.`;
  }
  const [first] = unknownIn(button, []);
  if (first) problems.button = say`${first}: a button has no values.`;
  return problems;
}

type Preview = Awaited<ReturnType<typeof read>>;

const read = (id: string, mail: MailName, draft: MailDraft) =>
  api.call(previewMail, { params: { id }, body: { mail, draft } });

const forms = [
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
  { value: "plain", text: "Plain text" },
] as const;

/**
 * A mail as its recipient gets it, with made-up values: drawn again whenever its words rest for a
 * moment.
 */
function MailPreview({ id, mail, draft }: { id: string; mail: MailName; draft: MailDraft }) {
  const [form, setForm] = useState<typeof forms[number]["value"]>("light");
  const [preview, setPreview] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const words = JSON.stringify(draft);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(async () => {
      try {
        const answer = await read(id, mail, draft);
        if (isOver) return;
        setPreview(answer);
        setProblem("");
      } catch (error) {
        if (!isOver) setProblem(wordsOf(error));
      }
    }, preview ? 300 : 0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [words]);
  return (
    <section class="mail-preview" aria-label="Preview">
      <div class="mail-preview-head">
        <h3 class="field-label">Preview, with made-up values</h3>
        <Tabs label="Form" value={form} tabs={forms} onChange={setForm} />
      </div>
      {problem !== "" && <p class="notice is-bad">{problem}</p>}
      {preview?.worded_by === "configuration" && (
        <p class="notice">
          The portal’s configuration words this mail: its words are sent in place of these.
        </p>
      )}
      {preview && (
        <dl class="mail-envelope">
          <dt>From</dt>
          <dd>{preview.from}</dd>
          <dt>Subject</dt>
          <dd class="mail-subject">{preview.subject}</dd>
        </dl>
      )}
      {preview && (form === "plain"
        ? <pre class="mail-plain" tabIndex={0}>{preview.text}</pre>
        : <MailFrame html={preview.html} theme={form} />)}
    </section>
  );
}

/**
 * A mail's HTML in a frame where no script runs and nothing is loaded: the server gives the empty
 * page of it a policy of its own. Links lead nowhere.
 */
function MailFrame({ html, theme }: { html: string; theme: "light" | "dark" }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const inner = frame.current?.contentDocument;
    if (isThere && inner) show(inner, html, theme);
  }, [isThere, html, theme]);
  return (
    <iframe
      ref={frame}
      class="mail-frame"
      title="The mail"
      src="/console/mail-frame"
      sandbox="allow-same-origin"
      onLoad={() => setThere(true)}
    />
  );
}

function show(inner: Document, html: string, theme: "light" | "dark"): void {
  inner.documentElement.innerHTML = html;
  // A new window is what the sandbox never opens.
  const base = inner.createElement("base");
  base.target = "_blank";
  inner.head.append(base);
  inner.documentElement.style.colorScheme = theme;
  for (const { cssRules } of inner.styleSheets) {
    for (const rule of cssRules) {
      // as: `media` is a member of no other rule of a mail's styles.
      const { media } = rule as CSSMediaRule;
      if (media?.mediaText.includes("dark")) media.mediaText = theme === "dark" ? "all" : "not all";
    }
  }
}
