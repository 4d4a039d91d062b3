import { useState } from "preact/hooks";
import {
  deleteMailServer,
  getMailServer,
  setMailServer,
  testMailServer,
} from "../../api/channel-endpoints.ts";
import { api, wordsOf } from "../../api/client.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { Unread } from "../../parts/states.tsx";
import { say } from "../../said.ts";
import { InPlace } from "./in-place.tsx";

const securities = [
  { value: "tls", text: "TLS" },
  { value: "starttls", text: "STARTTLS" },
] as const;

/** The server that mails are handed to, and a test of it. */
export default function MailServerFacts() {
  const { data, error, refetch } = useCall(["mail-server"], getMailServer, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  const keep = (answer: typeof data) => {
    queries.setQueryData(["mail-server"], answer);
    void queries.invalidateQueries({ queryKey: ["developer-pages"] });
    void queries.invalidateQueries({ queryKey: ["channels"] });
  };
  const remove = () =>
    ask({
      title: "Remove the mail server?",
      note: "Mails wait until there is one again. Its password is deleted.",
      action: "Remove",
      danger: true,
      run: async () => keep(await api.call(deleteMailServer, {})),
      done: "The mail server is removed.",
    });
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Mail server">
      {data.source === "environment" ? <FromEnvironment of={data} /> : (
        <InPlace
          name="mail-server"
          title="Mail server"
          note="Mails of all organisations are handed to it. KEYDESK_OUTBOUND must name it."
          needs="operator"
          base={draftOf(data)}
          onSave={async ({ port, password, ...draft }) => {
            const body = {
              ...draft,
              ...portOf(port),
              ...password === "" ? {} : { password },
            };
            keep(await api.call(setMailServer, { body }));
          }}
          fields={[
            { of: "host", label: "Host", placeholder: "mail.example.org", maxLength: 253 },
            { of: "port", label: "Port", hint: "Empty: 465 with TLS, 587 with STARTTLS." },
            { of: "security", label: "Encryption", options: securities },
            { of: "user", label: "User", autocomplete: "off", maxLength: 255 },
            {
              of: "password",
              label: "Password",
              hint: data.has_password
                ? "Stored. It is needed again with another host, port or user."
                : "Stored sealed, and never shown.",
              type: "password",
              autocomplete: "new-password",
              maxLength: 1000,
            },
            { of: "from", label: "Sender", placeholder: "keys@example.org", maxLength: 254 },
          ]}
        />
      )}
      {data.missing_outbound !== null && (
        <p class="notice is-warning">
          KEYDESK_OUTBOUND does not name {data.missing_outbound}, so no mail is sent.
        </p>
      )}
      {data.source !== "none" && <TestMail />}
      {data.source === "stored" && (
        <p>
          <LinkButton onClick={remove}>Remove the mail server</LinkButton>
        </p>
      )}
    </div>
  );
}

type View = Awaited<ReturnType<typeof read>>;
const read = () => api.call(getMailServer, {});

function FromEnvironment({ of: { host, port, security, user, from } }: { of: View }) {
  return (
    <>
      <h2 class="group-title">Mail server</h2>
      <p class="muted">KEYDESK_SMTP_URL names it, and counts before what is set here.</p>
      <Facts>
        <Fact name="Host">{host}:{port}</Fact>
        <Fact name="Encryption">{security === "tls" ? "TLS" : "STARTTLS"}</Fact>
        <Fact name="User">{user || "none"}</Fact>
        <Fact name="Sender">{from || "none: channels name their own"}</Fact>
      </Facts>
    </>
  );
}

function TestMail() {
  const [to, setTo] = useState("");
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ ok: boolean; text: string }>();
  const send = async () => {
    setBusy(true);
    try {
      const { ok, status, answer, error } = await api.call(testMailServer, { body: { to } });
      const reason = error || answer;
      setTold(
        ok ? { ok, text: say`Sent to ${to}.` } : {
          ok,
          text: say`Not sent: ${status > 0 ? `${status} ` : ""}${reason}`,
        },
      );
    } catch (error) {
      setTold({ ok: false, text: wordsOf(error) });
    }
    setBusy(false);
  };
  return (
    <form
      class="in-place"
      aria-label="Test mail"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send();
      }}
    >
      <h3 class="group-title">Test mail</h3>
      <TextField label="To" type="email" value={to} required maxLength={254} onInput={setTo} />
      <Button type="submit" busy={busy}>Send a test mail</Button>
      {told && <p class={told.ok ? "notice is-good" : "notice is-bad"} role="status">{told.text}
      </p>}
    </form>
  );
}

function draftOf({ host, port, security, user, from }: View) {
  return {
    host,
    port: port === null ? "" : String(port),
    security: security ?? "tls" as const,
    user,
    password: "",
    from,
  };
}

function portOf(text: string): { port?: number } {
  const port = text.trim();
  if (port === "") return {};
  if (!/^\d{1,5}$/.test(port)) throw new Unfit({ port: "Write a number, or nothing." });
  return { port: Number(port) };
}
