import { useRef, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createOrganisation } from "../../api/token-endpoints.ts";
import { queries } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { IssuedToken } from "./access-token-dialogs.tsx";

/** Makes an organisation, and shows its first administrator's access token once. */
export function OrganisationForm({ onClose }: { onClose: () => void }) {
  const [issued, setIssued] = useState<
    { name: string; administrator: string; access_token: string }
  >();
  const isKept = useRef(false);
  const decision = useRef(decisionKey());
  if (issued) {
    const { name, administrator, access_token } = issued;
    return <IssuedToken name={administrator} token={{ name, access_token }} onDone={onClose} />;
  }
  return (
    <FormDialog
      name="organisation"
      title="Add an organisation"
      note="It begins empty, with an administrator who may do everything within it."
      action="Add"
      initial={{ name: "", administrator: "" }}
      onSave={async (draft) => {
        const [name, administrator] = [draft.name.trim(), draft.administrator.trim()];
        if (name === "") throw new Unfit({ name: "Write a name here." });
        if (administrator === "") throw new Unfit({ administrator: "Write a name here." });
        const answer = await api.call(createOrganisation, {
          body: { name, administrator },
          headers: decision.current,
        });
        void queries.invalidateQueries({ queryKey: ["organisations"] });
        isKept.current = true;
        setIssued({ name, administrator, access_token: answer.administrator.access_token });
      }}
      onClose={() => isKept.current || onClose()}
      fields={[
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        { of: "administrator", label: "Its first administrator", maxLength: 100, required: true },
      ]}
    />
  );
}
