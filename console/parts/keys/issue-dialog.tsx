import { useEffect, useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { issueKey } from "../../api/endpoints.ts";
import { usePlans } from "../../api/plans.ts";
import { useQuery } from "../../api/queries.ts";
import { Combobox } from "../combobox.tsx";
import { Confirm } from "../confirm.tsx";
import { DeliveryChoice, useDelivery } from "../delivery.tsx";
import { TextField } from "../fields.tsx";
import { developersOf } from "../find-key.tsx";
import { useKeyEnd } from "../key-end.tsx";
import { lazily } from "../lazily.tsx";
import { listed, say } from "../../said.ts";
import { FreshKey } from "./fresh-key.tsx";
import { authTypes, type Fresh, type Key } from "./key.ts";
import { PlanChoice } from "./plan-choice.tsx";

const LabelFold = lazily(() => import("../labels/fold.tsx"));

const PAUSE_MS = 200;
const SHOWN = 5;
const allTypes = Object.values(authTypes).flat();

/** Issues a key to a developer without a request. */
export function IssueDialog({ like, onIssued, onClose }: {
  /** For the developer and the plans of this key. */
  like?: Key | undefined;
  onIssued: (id: string) => void;
  onClose: () => void;
}) {
  const [developer, setDeveloper] = useState<{ id: string; email: string } | undefined>(
    like && { id: like.developer_id, email: like.developer_email },
  );
  const [plans, setPlans] = useState<string[]>(like?.plans ?? []);
  const [problems, setProblems] = useState({ developer: "", plans: "" });
  const [fresh, setFresh] = useState<Fresh>();
  const [deliver, setDeliver] = useDelivery();
  const [labels, setLabels] = useState({});
  const [reason, setReason] = useState("");
  const end = useKeyEnd();
  const headers = useMemo(decisionKey, [developer?.id, plans, deliver, labels, reason, end.text]);
  const known = usePlans();
  if (fresh) {
    return (
      <FreshKey
        title={say`Key issued to ${developer?.email || developer?.id}`}
        note={listed(plans.map((id) => known.get(id)?.name ?? id))}
        fresh={fresh}
        to={developer?.email || developer?.id || "the developer"}
        onDone={() => onIssued(fresh.key_id)}
      />
    );
  }
  // A key opens plans of one auth type alone.
  const type = plans.map((id) => known.get(id)?.authType).find((one) => one !== undefined);
  const fitting = Object.values(authTypes).find((types) =>
    type !== undefined && types.includes(type)
  );
  return (
    <Confirm
      title="Issue a key"
      note="Without a request. It is live at once."
      action="Issue key"
      onClose={onClose}
      onConfirm={async () => {
        const missing = {
          developer: developer ? "" : "Choose a developer from the list.",
          plans: plans.length > 0 ? "" : "Choose a plan.",
        };
        setProblems(missing);
        const ends = end.sent();
        if (!developer || plans.length === 0 || !ends) return false;
        setFresh(
          await api.call(issueKey, {
            params: { id: developer.id },
            body: { plans, deliver, reason: reason.trim() || undefined, ...labels, ...ends },
            headers,
          }),
        );
        return false;
      }}
    >
      <DeveloperChoice chosen={developer} error={problems.developer} onChange={setDeveloper} />
      <PlanChoice
        chosen={plans}
        authTypes={fitting ?? allTypes}
        error={problems.plans}
        onChange={setPlans}
      />
      <DeliveryChoice
        to={developer?.email || "The developer"}
        value={deliver}
        onChange={setDeliver}
      />
      {end.field}
      <TextField
        label="Why (optional)"
        hint="It is shown in the audit log."
        value={reason}
        maxLength={500}
        onInput={setReason}
      />
      <LabelFold onChange={setLabels} />
    </Confirm>
  );
}

/** One developer, found by words. */
function DeveloperChoice({ chosen, error, onChange }: {
  chosen: { id: string; email: string } | undefined;
  error: string;
  onChange: (developer: { id: string; email: string } | undefined) => void;
}) {
  const [text, setText] = useState(chosen ? chosen.email || chosen.id : "");
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery({
    queryKey: ["developers", "found", q],
    queryFn: () => developersOf(q),
    enabled: q !== "" && !chosen,
    gcTime: 30_000,
  }).data;
  return (
    <Combobox
      label="Developer"
      hint={chosen ? undefined : "The beginning of their address, name or company."}
      error={chosen ? "" : error}
      value={text}
      autoFocus
      none="No one matches."
      options={chosen || q === ""
        ? undefined
        : found?.slice(0, SHOWN).map(({ id, email }) => ({ id, text: email || id, hint: id }))}
      onInput={(value) => {
        setText(value);
        onChange(undefined);
      }}
      onChoose={({ id, text: email }) => {
        onChange({ id, email: email === id ? "" : email });
        setText(email);
      }}
    />
  );
}
