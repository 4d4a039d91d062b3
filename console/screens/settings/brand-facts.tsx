import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import type { branding } from "../../../src/features/branding/branding.contract.ts";
import type { z } from "zod";
import { getBranding, putBranding } from "../../api/session-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { known, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unread } from "../../parts/states.tsx";
import { BrandAccent, Swatch } from "./brand-accent.tsx";
import { LogoField } from "./logo-field.tsx";

/** What people outside see of the organisation. */
export default function BrandFacts() {
  const [changes, setChanges] = useState(false);
  const { data, error, refetch } = useCall(["branding"], getBranding, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  const { name, logo, colour, support, documentation, base_url, key_header } = data;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Brand">
      <h2 class="group-title">On the sign-in, the page of a one-time link and in mails</h2>
      <Facts>
        <Fact name="Name">{name || known()?.organisation.name}</Fact>
        <Fact name="Logo">
          {logo === "" ? "None" : <img class="brand-logo" src={logo} alt="The logo" />}
        </Fact>
        <Fact name="Colour">
          {colour === "" ? "Keydesk’s own" : (
            <>
              <Swatch colour={colour} />
              {colour}
            </>
          )}
        </Fact>
        <Fact name="Support">{support || "Nobody is named"}</Fact>
        <Fact name="Documentation">{documentation || "No link"}</Fact>
        <Fact name="Base URL">{base_url || "Unknown: no call to try a key with is shown"}</Fact>
        <Fact name="Keys are sent in">{key_header}</Fact>
      </Facts>
      {may("admin") && (
        <div class="settings-action">
          <Button onClick={() => setChanges(true)}>Change</Button>
        </div>
      )}
      {changes && <BrandForm brand={data} onClose={() => setChanges(false)} />}
    </div>
  );
}

type Brand = z.output<typeof branding>;

/** Changes what people outside see of the organisation. */
function BrandForm({ brand, onClose }: { brand: Brand; onClose: () => void }) {
  return (
    <FormDialog
      name="brand"
      title="Change the brand"
      note="What is empty is not shown."
      action="Save"
      initial={brand}
      places={{ logo: "logo" }}
      onSave={async (draft) => {
        const colour = draft.colour.trim().toLowerCase();
        if (!/^(#[0-9a-f]{6})?$/.test(colour)) {
          throw new Unfit({ colour: "Write a colour such as #0f6b5c here." });
        }
        if (draft.key_header.trim() === "") throw new Unfit({ key_header: "Write a header here." });
        const body = { ...draft, colour, key_header: draft.key_header.trim() };
        queries.setQueryData(["branding"], await api.call(putBranding, { body }));
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        {
          of: "name",
          label: "Name",
          hint: "Empty: the organisation’s own.",
          maxLength: 100,
          autoFocus: true,
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
          hint: "Whom people write to when a link is not theirs.",
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
  );
}
