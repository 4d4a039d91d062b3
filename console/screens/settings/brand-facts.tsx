import { useState } from "preact/hooks";
import { getBranding } from "../../api/session-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { known, may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unread } from "../../parts/states.tsx";
import { Swatch } from "./brand-accent.tsx";
import { BrandForm } from "./brand-form.tsx";

/** What people outside see of the organisation. */
export default function BrandFacts() {
  const [changes, setChanges] = useState(false);
  const { data, error, refetch } = useCall(["branding"], getBranding, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  const { name, logo, colour, support, documentation, base_url, key_header } = data;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Brand">
      <h2 class="group-title">On the sign-in, the claim page and in mails</h2>
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
