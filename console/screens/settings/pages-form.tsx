import { api } from "../../api/client.ts";
import { putDeveloperPages } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { linkWords, type Pages, signUpWords } from "./pages-words.ts";

const PLACES = { host: "host", mail_domains: "domains" };

const choices = <Name extends string>(words: Readonly<Record<Name, string>>) =>
  Object.entries<string>(words).map(([value, text]) => ({ value, text }));

/** Changes what the developer's pages are set to. */
export function PagesForm({ pages, onClose }: { pages: Pages; onClose: () => void }) {
  return (
    <FormDialog
      name="pages"
      title="Change the developer’s pages"
      note="Takes effect at once."
      action="Save"
      initial={{ ...pages, domains: pages.mail_domains.join("\n") }}
      places={PLACES}
      onSave={async ({ domains, ...draft }) => {
        const mail_domains = domains.split(/[\s,]+/).filter((domain) => domain !== "");
        const body = { ...draft, mail_domains };
        queries.setQueryData(["developer-pages"], await api.call(putDeveloperPages, { body }));
      }}
      onClose={onClose}
    >
      {({ draft, set, errors }) => (
        <>
          <CheckField
            label="Developers have pages of their own"
            hint="Off: their sessions and tokens open nothing."
            checked={draft.enabled}
            onChange={(enabled) => set({ enabled })}
          />
          <TextField
            label="Host"
            hint="Such as developers.example.org. Empty: the address of this desk."
            value={draft.host}
            error={errors.host}
            maxLength={259}
            onInput={(host) => set({ host })}
          />
          <SelectField
            label="Who signs up"
            value={draft.sign_up}
            options={choices(signUpWords)}
            // as: the options are its values.
            onChange={(sign_up) => set({ sign_up: sign_up as Pages["sign_up"] })}
          />
          <TextField
            label="Mail domains"
            hint="Such as example.org, one on a line."
            rows={3}
            value={draft.domains}
            error={errors.domains}
            onInput={(domains) => set({ domains })}
          />
          <CheckField
            label="A password signs in"
            checked={draft.passwords}
            onChange={(passwords) => set({ passwords })}
          />
          <SelectField
            label="A link of a portal’s back end"
            value={draft.back_end_opens}
            options={choices(linkWords)}
            // as: the options are its values.
            onChange={(opens) => set({ back_end_opens: opens as Pages["back_end_opens"] })}
          />
        </>
      )}
    </FormDialog>
  );
}
