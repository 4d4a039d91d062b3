import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Api, forgetApis, type OfferedPlan } from "../../api/apis.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createPlan, deleteApi, editApi, editPlan, getApi, getPlan } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { ApiForm } from "../../parts/api-form.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { DeniedCalls } from "../../parts/denied-calls.tsx";
import { Managed } from "../../parts/managed.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { Usage } from "../../parts/usage.tsx";
import { listed, say } from "../../said.ts";
import { decisionOf, lifeOf, questionsOf, seenBy, termsOf } from "./api-words.ts";
import { OfferedPill } from "./offered-pill.tsx";

interface Props {
  /** The newest answer of the server. */
  onRead: (api: Api) => void;
  onRemoved: () => void;
  onClose: () => void;
}

/** An API in full, beside the list. */
export function ApiDrawer({ id, ...props }: { id: string } & Props) {
  const read = useCall(["apis", id], getApi, { params: { id } }, { gcTime: 30_000 });
  useEffect(() => {
    if (read.data) props.onRead(read.data);
  }, [read.data]);
  if (read.data) return <View of={read.data} {...props} />;
  return (
    <UnreadDrawer
      of={id}
      title="API"
      read={read}
      gone={["There is no such API", "It was taken out, or the link is wrong."]}
      onClose={props.onClose}
    />
  );
}

function View({ of: one, onRead, onRemoved, onClose }: { of: Api } & Props) {
  const [doing, setDoing] = useState<"edit" | "plan">();
  const { id, plans, show } = one;
  const name = one.name || id;
  const writes = may("plans");
  const stop = () => setDoing(undefined);
  const setShown = async (wanted: boolean) => {
    const now = await api.call(editApi, { params: { id }, body: { show: wanted } });
    forgetApis();
    onRead(now);
  };
  const withdraw = (wanted: boolean) =>
    void setShown(wanted).then(
      () =>
        toast({
          text: wanted
            ? say`Portals show ${name}.`
            : say`Portals show ${name} no more. Its keys go on.`,
          actions: wanted ? [] : [{ label: "Undo", run: () => withdraw(true) }],
        }),
      toastFailure,
    );
  const remove = () =>
    ask({
      title: say`Take ${name} out of the catalogue?`,
      note:
        "Developers can no longer request access to it. Its plans stay, and keys are valid for it as before. To hide it for a while, withdraw it instead.",
      action: "Remove",
      danger: true,
      run: async () => {
        const headers = { "if-match": `"${one.revision}"` };
        await api.call(deleteApi, { params: { id }, headers }).catch((error) => {
          // A refusal may be news about it.
          forgetApis();
          throw error;
        });
        forgetApis(id);
        onRemoved();
      },
      done: say`${name} is taken out.`,
    });
  useShortcuts("This API", [
    { keys: ["e"], label: "Change", run: () => setDoing("edit"), when: () => writes },
    { keys: ["p"], label: "Add a plan", run: () => setDoing("plan"), when: () => writes },
  ]);
  const questions = questionsOf(plans);
  return (
    <Drawer
      of={id}
      title={name}
      onClose={onClose}
      footer={writes && (
        <>
          <Button kind="primary" shortcut="E" onClick={() => setDoing("edit")}>Change</Button>
          <Button shortcut="P" onClick={() => setDoing("plan")}>Add a plan</Button>
          <Button kind="quiet" onClick={() => withdraw(!show)}>{show ? "Withdraw" : "Show"}</Button>
        </>
      )}
    >
      <Managed kind="apis" id={id} />
      {one.short_description && <p class="api-lead">{one.short_description}</p>}
      <Facts>
        <Fact name="State">
          <OfferedPill api={one} />
          <small class="field-hint">{stateOf(one)}</small>
        </Fact>
        <Fact name="Seen by">
          {seenBy[one.visibility]}
          {one.visibility === "invited" && (
            <small class="field-hint">
              {listed([...one.invited, ...one.invited_tags]) || "No developer is invited yet."}
            </small>
          )}
        </Fact>
        <Fact name="Version">{one.version}</Fact>
      </Facts>
      <h3 class="group-title">Plans {plans.length > 0 && plans.length}</h3>
      {plans.length === 0 && <p class="muted">No plan yet, so no key can be requested.</p>}
      <div class="cards">
        {plans.map((plan) => <PlanCard key={plan.id} plan={plan} of={one} writes={writes} />)}
      </div>
      {questions.length > 0 && (
        <>
          <h3 class="group-title">Questions asked {questions.length}</h3>
          <ol class="api-asked">
            {questions.map((question) => (
              <li key={question.name}>
                {question.label}
                <small class="field-hint">
                  {question.required ? "Must be answered" : "If they like"}
                  {question.plans.length < plans.length && ` · ${listed(question.plans)}`}
                </small>
              </li>
            ))}
          </ol>
        </>
      )}
      <Usage of={{ api: id }} />
      <DeniedCalls of={{ api: id }} />
      <h3 class="group-title">API id</h3>
      <CopyId id={id} label="API id" />
      {writes && (
        <p>
          <LinkButton class="is-small" onClick={remove}>Take it out of the catalogue</LinkButton>
        </p>
      )}
      {doing === "edit" && <ApiForm known={one} onSaved={onRead} onClose={stop} />}
      {doing === "plan" && <PlanForm of={one} onSaved={onRead} onClose={stop} />}
    </Drawer>
  );
}

/**
 * A plan that it is offered by. Where its keys would not open the API, that is said, and mended by
 * a press.
 */
function PlanCard({ plan, of, writes }: { plan: OfferedPlan; of: Api; writes: boolean }) {
  const { id, name, active, valid, keys } = plan;
  const open = () =>
    void letOpen(id, of).then(
      () => toast({ text: say`${name}’s keys are valid for ${of.name}.` }),
      toastFailure,
    );
  return (
    <div class="card">
      <div class="card-head">
        <Link class="text-link" href={`/apis/plans/${encodeURIComponent(id)}`}>{name || id}</Link>
        <Link class="text-link api-count" href={`/keys?plan=${encodeURIComponent(id)}`}>
          {keys >= 1000 ? "1000+" : keys} {keys === 1 ? "key" : "keys"}
        </Link>
      </div>
      {name === "" ? <div>There is no such plan.</div> : <div>{termsOf(plan)}</div>}
      <div class="muted">
        {decisionOf(plan)} · {lifeOf(plan)}
      </div>
      {name !== "" && !active && (
        <p class="api-warns">It is inactive: its keys are not valid for it.</p>
      )}
      {name !== "" && !valid && (
        <p class="api-warns">
          Its keys are not valid for this API.{" "}
          {writes && <LinkButton onClick={open}>Make them valid for it</LinkButton>}
        </p>
      )}
    </div>
  );
}

/** Adds the API to the scope of a plan, unless another person changes the plan meanwhile. */
async function letOpen(id: string, { id: api_id, name: api_name }: Api): Promise<void> {
  const { access_rights, revision } = await api.call(getPlan, { params: { id } });
  await api.call(editPlan, {
    params: { id },
    body: {
      access_rights: { ...access_rights, [api_id]: { api_id, api_name, versions: ["Default"] } },
    },
    headers: { "if-match": `"${revision}"` },
  });
  forgetApis();
}

function stateOf({ show, plans }: Api): string {
  if (!show) return "Portals do not show it. Its keys go on.";
  if (plans.length === 0) return "It has no plan yet.";
  return plans.some(({ active, valid: opens }) => active && opens)
    ? ""
    : "No active plan is for it.";
}

/**
 * Adds a plan that opens an API and offers it: a name and a rate. What else it may say is set in
 * the plan itself.
 */
function PlanForm({ of: { id: api_id, name: api_name }, onSaved, onClose }: {
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
      note="Quota, tags and the life of its keys can be set in the plan afterwards."
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
