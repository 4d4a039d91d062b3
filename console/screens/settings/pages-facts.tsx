import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getDeveloperPages } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Loading, Problem } from "../../parts/states.tsx";
import { listed } from "../../said.ts";
import { PagesForm } from "./pages-form.tsx";
import { linkWords, signUpWords } from "./pages-words.ts";

/** Whether developers have pages of their own, where, and who becomes one there. */
export default function PagesFacts() {
  const [changes, setChanges] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["developer-pages"],
    queryFn: () => api.call(getDeveloperPages, {}),
  });
  if (!data) {
    return error === null ? <Loading /> : <Problem error={error} onRetry={() => void refetch()} />;
  }
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
      <div class="settings-action">
        <Button onClick={() => setChanges(true)}>Change</Button>
      </div>
      {changes && <PagesForm pages={data} onClose={() => setChanges(false)} />}
    </div>
  );
}
