import { useState } from "preact/hooks";
import { getDeveloperPages, getPagesFields } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unread } from "../../parts/states.tsx";
import { listed, say } from "../../said.ts";
import { PagesForm } from "./pages-form.tsx";
import { type Asked, PagesQuestions } from "./pages-questions.tsx";
import { linkWords, signUpWords } from "./pages-words.ts";

/** Whether developers have pages of their own, where, and who becomes one there. */
export default function PagesFacts() {
  const [changes, setChanges] = useState<"pages" | "questions">();
  const { data, error, refetch } = useCall(["developer-pages"], getDeveloperPages, {});
  const { data: asked } = useCall(["pages-fields"], getPagesFields, {});
  const stop = () => setChanges(undefined);
  if (!data) return <Unread of={{ error, refetch }} />;
  const { enabled, host, sign_up, mail_domains, passwords, back_end_opens } = data;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Pages">
      <h2 class="group-title">What developers open to ask for keys</h2>
      <Facts>
        <Fact name="Pages">{enabled ? "On" : "Off: no developer is signed in"}</Fact>
        <Fact name="Host">{host || "The address of this desk, or KEYDESK_PORTAL_URL"}</Fact>
        <Fact name="Who signs up">{signUpWords[sign_up]}</Fact>
        <Fact name="Mail domains">{listed(mail_domains) || "None"}</Fact>
        <Fact name="Passwords">{passwords ? "Sign in" : "Sign nobody in"}</Fact>
        <Fact name="A portal’s link">{linkWords[back_end_opens]}</Fact>
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
