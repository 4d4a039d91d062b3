import { api } from "../../api/client.ts";
import { putDeveloperPages } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { linkWords, type Pages, signUpWords } from "./pages-words.ts";

// as: the names are the keys.
const choices = <Name extends string>(words: Readonly<Record<Name, string>>) =>
  Object.entries<string>(words).map(([value, text]) => ({ value: value as Name, text }));

/** Changes what the developer's pages are set to. */
export function PagesForm({ pages, onClose }: { pages: Pages; onClose: () => void }) {
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
          hint: "Off: their sessions and tokens open nothing.",
        },
        {
          of: "host",
          label: "Host",
          hint: "Such as developers.example.org. Empty: the address of this desk.",
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
          of: "back_end_opens",
          label: "A link of a portal’s back end",
          options: choices(linkWords),
        },
      ]}
    />
  );
}
