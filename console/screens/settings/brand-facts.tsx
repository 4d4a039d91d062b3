import { api } from "../../api/client.ts";
import { getBranding, putBranding } from "../../api/session-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { known } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { Unread } from "../../parts/states.tsx";
import { BrandAccent } from "./brand-accent.tsx";
import { InPlace } from "./in-place.tsx";
import { LogoField } from "./logo-field.tsx";

/** The organisation's branding for people outside. */
export default function BrandFacts() {
  const { data, error, refetch } = useCall(["branding"], getBranding, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Branding">
      <InPlace
        name="brand"
        managed="branding"
        title="On the sign-in, the page of a one-time link and in mails"
        note="Empty fields are not shown to developers."
        base={data}
        places={{ logo: "logo" }}
        onSave={async (draft) => {
          const colour = draft.colour.trim().toLowerCase();
          if (!/^(#[0-9a-f]{6})?$/.test(colour)) {
            throw new Unfit({ colour: "Write a colour such as #0f6b5c here." });
          }
          if (draft.key_header.trim() === "") {
            throw new Unfit({ key_header: "Write a header here." });
          }
          const body = { ...draft, colour, key_header: draft.key_header.trim() };
          queries.setQueryData(["branding"], await api.call(putBranding, { body }));
        }}
        fields={({ draft, set, errors }) => [
          {
            of: "name",
            label: "Name",
            hint: "Empty: the organisation’s own.",
            maxLength: 100,
          },
          <LogoField
            key="logo"
            value={draft.logo}
            error={errors.logo}
            onChange={(logo) => set({ logo })}
          />,
          draft.logo !== "" && (
            <Button key="remove" onClick={() => set({ logo: "" })}>Remove the logo</Button>
          ),
          {
            of: "colour",
            label: "Colour",
            hint: "Of buttons, bars and links, such as #0f6b5c.",
            maxLength: 7,
          },
          <BrandAccent
            key="accent"
            colour={draft.colour}
            name={draft.name || (known()?.organisation.name ?? "")}
          />,
          {
            of: "support",
            label: "Support address",
            hint: "People write to this address when a link is not theirs.",
            type: "email",
          },
          { of: "documentation", label: "Documentation", type: "url", placeholder: "https://" },
          {
            of: "base_url",
            label: "Base URL",
            hint: "Where your gateway answers; a call with it is shown to try a key.",
            type: "url",
            placeholder: "https://",
          },
          { of: "key_header", label: "Header for keys", maxLength: 100, required: true },
        ]}
      />
    </div>
  );
}
