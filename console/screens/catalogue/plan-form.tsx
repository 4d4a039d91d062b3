import { useRef } from "preact/hooks";
import { type Api, forgetApis } from "../../api/apis.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createPlan, editApi, getApi } from "../../api/endpoints.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/**
 * Adds a plan that opens an API and offers it: a name and a rate. What else it may say stands on
 * Plans.
 */
export function PlanForm({ of: { id: api_id, name: api_name }, onSaved, onClose }: {
  of: Api;
  onSaved: (api: Api) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  /** The plan, once it is made: what is refused after it leaves it there for the next try. */
  const made = useRef("");
  const save = async (draft: { name: string; rate: string }) => {
    const name = draft.name.trim();
    const plain = draft.rate.replaceAll(/[\s,_]/g, "");
    if (name === "") throw new Unfit({ name: "Write a name here." });
    if (!/^\d{0,12}$/.test(plain)) {
      throw new Unfit({ rate: "Write a whole number, or nothing for no limit." });
    }
    const limits = Number(plain) > 0 ? { rate: Number(plain), per: 60 } : {};
    const access_rights = { [api_id]: { api_id, api_name, versions: ["Default"] } };
    made.current ||= (await api.call(createPlan, {
      body: { name, ...limits, access_rights },
      headers: decision.current,
    })).id;
    // The list is sent whole: it must be the newest.
    const { plans, revision } = await api.call(getApi, { params: { id: api_id } });
    const saved = await api.call(editApi, {
      params: { id: api_id },
      body: { plans: [...plans.map(({ id }) => id), made.current] },
      headers: { "if-match": `"${revision}"` },
    });
    forgetApis();
    toast({ text: say`${name} is added.` });
    onSaved(saved);
  };
  return (
    <FormDialog
      name={`plan of ${api_id}`}
      title={say`A plan for ${api_name || api_id}`}
      note="Quota, tags and the life of its keys can be set on Plans."
      action="Add"
      initial={{ name: "", rate: "60" }}
      places={{ plan_name_taken: "name" }}
      onSave={save}
      onClose={onClose}
      fields={[
        {
          class: "pair",
          fields: [
            { of: "name", label: "Name", maxLength: 255, autoFocus: true, required: true },
            { of: "rate", label: "Calls a minute", placeholder: "No limit" },
          ],
        },
      ]}
    />
  );
}
