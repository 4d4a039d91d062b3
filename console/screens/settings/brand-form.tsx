import type { z } from "zod";
import type { branding } from "../../../src/features/branding/branding.contract.ts";
import { api } from "../../api/client.ts";
import { putBranding } from "../../api/session-endpoints.ts";
import { queries } from "../../api/queries.ts";
import { known } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { BrandAccent } from "./brand-accent.tsx";
import { LogoField } from "./logo-field.tsx";

type Brand = z.output<typeof branding>;

const PLACES = {
  name: "name",
  logo: "logo",
  colour: "colour",
  support: "support",
  documentation: "documentation",
  base_url: "base_url",
  key_header: "key_header",
};

/** Changes what people outside see of the organisation. */
export function BrandForm({ brand, onClose }: { brand: Brand; onClose: () => void }) {
  return (
    <FormDialog
      name="brand"
      title="Change the brand"
      note="What is empty is not shown."
      action="Save"
      initial={brand}
      places={PLACES}
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
    >
      {({ draft, set, errors }) => (
        <>
          <TextField
            label="Name"
            hint="Empty: the organisation’s own."
            value={draft.name}
            error={errors.name}
            maxLength={100}
            autoFocus
            onInput={(name) => set({ name })}
          />
          <LogoField value={draft.logo} error={errors.logo} onChange={(logo) => set({ logo })} />
          {draft.logo !== "" && <Button onClick={() => set({ logo: "" })}>Remove the logo</Button>}
          <TextField
            label="Colour"
            hint="Of buttons, bars and links, such as #0f6b5c."
            value={draft.colour}
            error={errors.colour}
            maxLength={7}
            onInput={(colour) => set({ colour })}
          />
          <BrandAccent
            colour={draft.colour}
            name={draft.name || (known()?.organisation.name ?? "")}
          />
          <TextField
            label="Support address"
            hint="Whom people write to when a link is not theirs."
            type="email"
            value={draft.support}
            error={errors.support}
            onInput={(support) => set({ support })}
          />
          <TextField
            label="Documentation"
            type="url"
            placeholder="https://"
            value={draft.documentation}
            error={errors.documentation}
            onInput={(documentation) => set({ documentation })}
          />
          <TextField
            label="Base URL"
            hint="Where your gateway answers; a call with it is shown to try a key."
            type="url"
            placeholder="https://"
            value={draft.base_url}
            error={errors.base_url}
            onInput={(base_url) => set({ base_url })}
          />
          <TextField
            label="Header for keys"
            value={draft.key_header}
            error={errors.key_header}
            maxLength={100}
            required
            onInput={(key_header) => set({ key_header })}
          />
        </>
      )}
    </FormDialog>
  );
}
