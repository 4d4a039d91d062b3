import { api } from "../../api/client.ts";
import {
  getDeveloperPages,
  getPagesFields,
  putDeveloperPages,
  putPagesFields,
} from "../../api/endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { askedOf, QuestionLines } from "../../parts/question-lines.tsx";
import { Unread } from "../../parts/states.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { InPlace } from "./in-place.tsx";
import { linkWords, signUpWords } from "./pages-words.ts";

/** Whether developers have pages of their own, where, and who becomes one there. */
export default function PagesFacts() {
  const { data: pages, error, refetch } = useCall(["developer-pages"], getDeveloperPages, {});
  if (!pages) return <Unread of={{ error, refetch }} />;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Pages">
      <InPlace
        name="pages"
        managed="portal"
        title="The pages on which developers request access"
        base={{ ...pages, domains: pages.mail_domains.join("\n") }}
        places={{ mail_domains: "domains" }}
        note={!pages.codes_mailed && (
          <>
            No code can be mailed yet, so developers can’t sign up. It takes a{" "}
            <a class="link" href="/settings?show=mail-server">mail server</a> and a{" "}
            <a class="link" href="/settings?show=channels">mail channel</a>.
          </>
        )}
        confirms={{
          enabled: {
            title: "Switch the developer pages off?",
            note: "Sessions and tokens of developers are not valid while they are off.",
            action: "Switch off",
            danger: true,
          },
        }}
        onSave={async ({ domains, codes_mailed, ...draft }) => {
          if (!codes_mailed && draft.sign_up !== "closed" && draft.sign_up !== pages.sign_up) {
            throw new Unfit({ sign_up: "Sign-up needs mail: set it up first, see above." });
          }
          const mail_domains = domains.split(/[\s,]+/).filter((domain) => domain !== "");
          const body = { ...draft, mail_domains };
          queries.setQueryData(["developer-pages"], await api.call(putDeveloperPages, { body }));
        }}
        fields={[
          {
            of: "enabled",
            label: "Developers have pages of their own",
            hint: "At /portal. Off: their sessions and tokens are not valid.",
          },
          {
            of: "host",
            label: "Host",
            hint:
              "Such as developers.example.org. Empty: the address of this server, or KEYDESK_PORTAL_URL.",
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
      <PagesQuestions />
    </div>
  );
}

// as: the names are the keys.
const choices = <Name extends string>(words: Readonly<Record<Name, string>>) =>
  Object.entries<string>(words).map(([value, text]) => ({ value: value as Name, text }));

/** Questions to developers. */
function PagesQuestions() {
  const read = useCall(["pages-fields"], getPagesFields, {});
  if (!read.data) return <Unread of={read} />;
  return (
    <InPlace
      name="questions"
      managed="portal_questions"
      title="Questions to developers"
      note="Plans keep their own questions."
      base={read.data}
      places={{ sign_up_fields: "sign_up_fields", key_request_fields: "key_request_fields" }}
      onSave={async ({ sign_up_fields, key_request_fields }) => {
        const body = {
          sign_up_fields: askedOf(sign_up_fields, "sign_up_fields"),
          key_request_fields: askedOf(key_request_fields, "key_request_fields"),
        };
        queries.setQueryData(["pages-fields"], await api.call(putPagesFields, { body }));
      }}
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
