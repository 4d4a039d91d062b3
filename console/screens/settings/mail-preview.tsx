import { useEffect, useRef, useState } from "preact/hooks";
import type { MailName } from "../../../src/contract/mail-names.ts";
import { api, wordsOf } from "../../api/client.ts";
import { previewMail } from "../../api/target-endpoints.ts";
import { Tabs } from "../../parts/tabs.tsx";
import type { MailDraft } from "./mail-config.ts";

type Preview = Awaited<ReturnType<typeof read>>;

const read = (id: string, mail: MailName, draft: MailDraft) =>
  api.call(previewMail, { params: { id }, body: { mail, draft } });

const forms = [
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
  { value: "plain", text: "Plain text" },
] as const;

/** How somebody gets a mail, with made-up values: anew whenever its words rest for a moment. */
export function MailPreview({ id, mail, draft }: {
  id: string;
  mail: MailName;
  draft: MailDraft;
}) {
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
