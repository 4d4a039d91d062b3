import { useState } from "preact/hooks";
import type { pagesFields } from "../../../src/features/portal/access/questions.operations.ts";
import type { z } from "zod";
import { api } from "../../api/client.ts";
import {
  getDeveloperPages,
  getPagesFields,
  putDeveloperPages,
  putPagesFields,
} from "../../api/endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { askedOf, QuestionLines } from "../../parts/question-lines.tsx";
import { Unread } from "../../parts/states.tsx";
import { listed, say } from "../../said.ts";
import { linkWords, type Pages, signUpWords } from "./pages-words.ts";

/** Whether developers have pages of their own, where, and who becomes one there. */
export default function PagesFacts() {
  const [changes, setChanges] = useState<"pages" | "questions">();
  const { data, error, refetch } = useCall(["developer-pages"], getDeveloperPages, {});
  const { data: asked } = useCall(["pages-fields"], getPagesFields, {});
  const stop = () => setChanges(undefined);
  if (!data) return <Unread of={{ error, refetch }} />;
  const { enabled, host, sign_up, mail_domains, passwords, back_end_access } = data;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Pages">
      <h2 class="group-title">The pages on which developers request access</h2>
      <Facts>
        <Fact name="Pages">{enabled ? "On" : "Off: no developer is signed in"}</Fact>
        <Fact name="Host">{host || "The address of this server, or KEYDESK_PORTAL_URL"}</Fact>
        <Fact name="Who signs up">{signUpWords[sign_up]}</Fact>
        <Fact name="Mail domains">{listed(mail_domains) || "None"}</Fact>
        <Fact name="Passwords">{passwords ? "Sign in" : "Sign no one in"}</Fact>
        <Fact name="A portal’s link">{linkWords[back_end_access]}</Fact>
      </Facts>
      {may("admin") && (
        <div class="settings-action">
          <Button onClick={() => setChanges("pages")}>Change</Button>
        </div>
      )}
      <h2 class="group-title">What they are asked for</h2>
      <Facts>
        <Fact name="At sign-up">Address and name{asked && also(asked.sign_up_fields)}</Fact>
        <Fact name="With a request">
          {asked && (namesOf(asked.key_request_fields) || "What a plan asks for by itself")}
        </Fact>
      </Facts>
      {may("admin") && (
        <div class="settings-action">
          <Button disabled={!asked} onClick={() => setChanges("questions")}>
            Change the questions
          </Button>
        </div>
      )}
      {changes === "pages" && <PagesForm pages={data} onClose={stop} />}
      {changes === "questions" && asked && <PagesQuestions asked={asked} onClose={stop} />}
    </div>
  );
}

type Fields = Asked["key_request_fields"];

function namesOf(fields: Fields): string {
  return listed(fields.map(({ name, required }) => required ? say`${name} (must)` : name));
}

function also(fields: Fields): string {
  return fields.length === 0 ? "" : say`, besides ${namesOf(fields)}`;
}

// as: the names are the keys.
const choices = <Name extends string>(words: Readonly<Record<Name, string>>) =>
  Object.entries<string>(words).map(([value, text]) => ({ value: value as Name, text }));

/** Changes what the developer's pages are set to. */
function PagesForm({ pages, onClose }: { pages: Pages; onClose: () => void }) {
  return (
    <FormDialog
      name="pages"
      title="Change the developer’s pages"
      note="Takes effect at once."
      action="Save"
      initial={{ ...pages, domains: pages.mail_domains.join("\n") }}
      places={{ mail_domains: "domains" }}
      onSave={async ({ domains, ...draft }) => {
        const mail_domains = domains.split(/[\s,]+/).filter((domain) => domain !== "");
        const body = { ...draft, mail_domains };
        queries.setQueryData(["developer-pages"], await api.call(putDeveloperPages, { body }));
      }}
      onClose={onClose}
      fields={[
        {
          of: "enabled",
          label: "Developers have pages of their own",
          hint: "Off: their sessions and tokens are not valid.",
        },
        {
          of: "host",
          label: "Host",
          hint: "Such as developers.example.org. Empty: the address of this server.",
          maxLength: 259,
        },
        { of: "sign_up", label: "Who signs up", options: choices(signUpWords) },
        {
          of: "domains",
          label: "Mail domains",
          hint: "Such as example.org, one on a line.",
          rows: 3,
        },
        { of: "passwords", label: "A password signs in" },
        {
          of: "back_end_access",
          label: "A link of a portal’s back end",
          options: choices(linkWords),
        },
      ]}
    />
  );
}

/** What developers are asked for. */
type Asked = z.output<typeof pagesFields>;

const PLACES = { sign_up_fields: "sign_up_fields", key_request_fields: "key_request_fields" };

/** Changes what developers are asked for. */
function PagesQuestions({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  return (
    <FormDialog
      name="questions"
      title="Change what developers are asked for"
      note="A plan that asks for something of its own goes on doing so."
      action="Save"
      initial={asked}
      places={PLACES}
      onSave={async ({ sign_up_fields, key_request_fields }) => {
        const body = {
          sign_up_fields: askedOf(sign_up_fields, "sign_up_fields"),
          key_request_fields: askedOf(key_request_fields, "key_request_fields"),
        };
        queries.setQueryData(["pages-fields"], await api.call(putPagesFields, { body }));
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        <QuestionLines
          key="sign_up_fields"
          legend="At sign-up, beside address and name"
          add="Add a question at sign-up"
          questions={draft.sign_up_fields}
          error={errors.sign_up_fields}
          onChange={(sign_up_fields) => set({ sign_up_fields })}
        />,
        <QuestionLines
          key="key_request_fields"
          legend="With a key request"
          add="Add a question to requests"
          questions={draft.key_request_fields}
          error={errors.key_request_fields}
          onChange={(key_request_fields) => set({ key_request_fields })}
        />,
      ]}
    />
  );
}
