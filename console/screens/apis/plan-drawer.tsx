import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api, decisionKey } from "../../api/client.ts";
import { activatePlan, deactivatePlan, deletePlan, getPlan } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { Tag } from "../../parts/pill.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { DeniedCalls } from "../../parts/denied-calls.tsx";
import { Managed } from "../../parts/managed.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { ActivePill } from "../../parts/state-tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { Usage } from "../../parts/usage.tsx";
import { listed, say } from "../../said.ts";
import { ApprovalForm } from "./approval-form.tsx";
import { offerPlan, offersOf, useCatalogue } from "./offer.ts";
import { PlanForm } from "./plan-form.tsx";
import { inWords, type Policy } from "./policy-words.ts";
import { usePolicies } from "./use-policies.ts";
import {
  apisOf,
  approvalOf,
  authName,
  countOf,
  forgetPlans,
  leakActionOf,
  lifeOf,
  type Plan,
  quotaOf,
  rateOf,
} from "./plan.ts";

const UnusedRule = lazily(() => import("../../parts/unused/rule.tsx"));
const PlanLifeDialog = lazily(() => import("./plan-life-dialog.tsx"));
const PolicyForm = lazily(() => import("./policy-form.tsx"));

interface Props {
  /** The newest answer of the server. */
  onRead: (plan: Plan) => void;
  onDeleted: () => void;
  onClose: () => void;
}

/** A plan in full, beside the list. */
export function PlanDrawer({ id, ...props }: { id: string } & Props) {
  const read = useCall(["plans", id], getPlan, { params: { id } }, { gcTime: 30_000 });
  const plan = read.data;
  useEffect(() => {
    if (plan) props.onRead(plan);
  }, [plan]);
  if (plan) return <View plan={plan} {...props} />;
  return <UnreadDrawer of={id} title="Plan" read={read} onClose={props.onClose} />;
}

function View({ plan, onRead, onDeleted, onClose }: { plan: Plan } & Props) {
  const [doing, setDoing] = useState<"edit" | "life" | "approval" | "policy">();
  const { id, active } = plan;
  const writes = may("plans");
  const policy = usePolicies()?.find((one) => one.plan === plan._id);
  const stop = () => setDoing(undefined);
  const isOtherLife = useRef(false);
  const setActive = async (wanted: boolean) => {
    const now = await api.call(wanted ? activatePlan : deactivatePlan, {
      params: { id },
      headers: decisionKey(),
    }).finally(() => forgetPlans());
    onRead(now);
    return now;
  };
  const activate = () =>
    void setActive(true).then(({ name }) => toast({ text: say`${name} is active.` }), toastFailure);
  const deactivate = () =>
    ask({
      title: say`Deactivate ${plan.name}?`,
      note: say`Within a second ${
        itsKeys(plan)
      } nothing of it any more. You can activate it again.`,
      action: "Deactivate",
      danger: true,
      run: async () => {
        const { name } = await setActive(false);
        const undo = { label: "Undo", run: activate };
        toast({ text: say`${name} is inactive.`, actions: [undo] });
      },
    });
  const remove = () =>
    ask({
      title: say`Delete ${plan.name}?`,
      note: say`For good: ${itsKeys(plan)} nothing of it any more${
        plan.pending_requests === 0
          ? ""
          : ", and no one can approve requests that still wait for it"
      }. To stop it for a while, deactivate it instead.`,
      action: "Delete",
      danger: true,
      run: async () => {
        const headers = { "if-match": `"${plan.revision}"` };
        await api.call(deletePlan, { params: { id }, headers }).catch((error) => {
          // A refusal may be news about the plan.
          forgetPlans();
          throw error;
        });
        forgetPlans(id);
        onDeleted();
      },
      done: say`${plan.name} is deleted.`,
    });
  useShortcuts("This plan", [
    { keys: ["e"], label: "Change", run: () => setDoing("edit"), when: () => writes },
  ]);
  return (
    <Drawer
      of={id}
      title={plan.name}
      onClose={onClose}
      footer={writes && (
        <>
          <Button kind="primary" shortcut="E" onClick={() => setDoing("edit")}>Change</Button>
          {active
            ? <Button onClick={deactivate}>Deactivate</Button>
            : <Button onClick={activate}>Activate</Button>}
          <Button kind="danger" onClick={remove}>Delete</Button>
        </>
      )}
    >
      <PlanFacts
        plan={plan}
        onApproval={writes ? () => setDoing("approval") : undefined}
        policy={policy}
        onPolicy={() => setDoing("policy")}
      />
      {doing === "edit" && (
        <PlanForm
          plan={plan}
          onSaved={(saved) => {
            isOtherLife.current = plan.keys > 0 && may("approve") &&
              (saved.key_expires_in !== plan.key_expires_in ||
                saved.expiry_applies_to !== plan.expiry_applies_to);
            onRead(saved);
          }}
          onClose={() => {
            setDoing(isOtherLife.current ? "life" : undefined);
            isOtherLife.current = false;
          }}
        />
      )}
      {doing === "life" && <PlanLifeDialog plan={plan} onClose={stop} />}
      {doing === "approval" && <ApprovalForm plan={plan} onSaved={onRead} onClose={stop} />}
      {doing === "policy" && <PolicyForm plan={plan} policy={policy} onClose={stop} />}
    </Drawer>
  );
}

function PlanFacts({ plan, onApproval, policy, onPolicy }: {
  plan: Plan;
  policy: Policy | undefined;
  onPolicy: () => void;
  onApproval: (() => void) | undefined;
}) {
  const { active, key_request_fields: fields, tags, keys, pending_requests: pending } = plan;
  const of = encodeURIComponent(plan.id);
  return (
    <>
      <Managed kind="plans" id={plan.id} />
      <Managed kind="approval_policies" id={plan._id} what="Its approval policy" />
      <Managed kind="unused_key_rules" id={plan._id} what="Its rule for unused keys" />
      <Facts>
        <Fact name="State">
          <ActivePill active={active} />
          {!active && <small class="field-hint">Its keys are not valid for it now.</small>}
        </Fact>
        <Fact name="Valid for">{apisOf(plan) || "No API yet"}</Fact>
        <Fact name="Rate">{rateOf(plan)}</Fact>
        <Fact name="Quota">{quotaOf(plan)}</Fact>
        <Fact name="Price">{plan.price_text}</Fact>
        <Fact name="Auth">{authName(plan.auth_type)}</Fact>
        <Fact name="Keys expire">{lifeOf(plan)}</Fact>
        <Fact name="If one leaks">{leakActionOf(plan)}</Fact>
        <Fact name="Tags">
          {tags.length > 0 && (
            <span class="tags">{tags.map((tag) => <Tag key={tag}>{tag}</Tag>)}</span>
          )}
        </Fact>
        <Fact name="Added" of={<Time at={plan.date_created} />} />
      </Facts>
      <Facts title="Requests for it">
        <Offers plan={plan} writes={onApproval !== undefined} />
        <Fact name="Decision">
          {policy ? inWords(policy) : approvalOf(plan)}{" "}
          {onApproval && <LinkButton onClick={onPolicy}>Who must approve</LinkButton>}
        </Fact>
        <Fact name="They answer">
          {fields.length === 0
            ? "Nothing"
            : fields.map(({ name, label, required }) => (
              <div key={name}>
                {label}
                {!required && <span class="muted">, optional</span>}
              </div>
            ))}
        </Fact>
      </Facts>
      {onApproval && (
        <LinkButton class="is-small" onClick={onApproval}>Change decision and questions</LinkButton>
      )}
      <Facts title="In use">
        <Fact name="Keys">
          <Link class="text-link" href={`/keys?plan=${of}`}>{countOf(keys)}</Link>
        </Fact>
        <UnusedRule plan={plan._id} name={plan.name} writes={onApproval !== undefined} />
        <Fact name="Pending">
          <Link class="text-link" href={`/requests?turn=all&plan=${of}`}>
            {countOf(pending)}
          </Link>
        </Fact>
      </Facts>
      <Usage of={{ plan: plan.id }} />
      <DeniedCalls of={{ plan: plan.id }} />
      <h3 class="group-title">Plan id</h3>
      <CopyId id={plan.id} label="plan id" />
    </>
  );
}

/** The APIs at which developers can request it. */
function Offers({ plan, writes }: { plan: Plan; writes: boolean }) {
  const catalogue = useCatalogue();
  if (!catalogue) return null;
  const offers = offersOf(catalogue, plan);
  const apis = new Set(catalogue.map(({ id }) => id));
  const canOffer = writes && Object.keys(plan.access_rights).some((id) => apis.has(id));
  const offer = () =>
    void offerPlan(plan, apis).then(
      () => toast({ text: say`${plan.name} is offered.` }),
      toastFailure,
    );
  return (
    <Fact name="Offered">
      {offers.length > 0 ? say`For ${listed(offers)}` : "To no one: no API of the catalogue has it"}
      {offers.length === 0 && canOffer && <LinkButton onClick={offer}>Offer it</LinkButton>}
    </Fact>
  );
}

function itsKeys({ keys }: Plan): string {
  if (keys === 0) return "keys that are issued for it are valid for";
  return keys === 1 ? "its one key is valid for" : `its ${countOf(keys)} keys are valid for`;
}
