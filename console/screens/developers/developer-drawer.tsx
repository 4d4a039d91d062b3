import { useEffect, useMemo, useState } from "preact/hooks";
import { PlainFailure } from "../../../src/kernel/failure-plain.ts";
import { api, decisionKey } from "../../api/client.ts";
import {
  deactivateDeveloper,
  deleteDeveloper,
  getDeveloper,
  reactivateDeveloper,
  restoreDeveloper,
} from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope, may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, TagsFact, UnreadDrawer } from "../../parts/drawer.tsx";
import { Email } from "../../parts/email.tsx";
import { DeniedCalls } from "../../parts/denied-calls.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { ActivePill } from "../../parts/state-tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { Usage } from "../../parts/usage.tsx";
import { say } from "../../said.ts";
import { ConfirmEmail, standingOf } from "./confirm-email.tsx";
import { DeveloperForm } from "./developer-form.tsx";
import { TheirKeys, TheirRequests } from "./developer-has.tsx";
import { KeysChoice } from "./keys-choice.tsx";
import { SeePages } from "./see-pages.tsx";
import { countOf, type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";

const TheirAccess = lazily(() => import("./their-access.tsx"));
const TagsDialog = lazily(() => import("./tags-dialog.tsx"), ({ onClose }) => onClose());

interface Props {
  /** The newest answer of the server. */
  onRead: (developer: DeveloperDetail) => void;
  onDeleted: () => void;
  onClose: () => void;
}

/** A developer in full, beside the list. */
export function DeveloperDrawer({ id, ...props }: { id: string } & Props) {
  const read = useCall(["developers", id], getDeveloper, { params: { id } }, { gcTime: 30_000 });
  const developer = read.data;
  useEffect(() => {
    if (developer) props.onRead(developer);
  }, [developer]);
  if (developer) return <View developer={developer} {...props} />;
  return (
    <UnreadDrawer
      of={id}
      title="Developer"
      read={read}
      gone={["There is no such developer", "They were deleted, or the link is wrong."]}
      onClose={props.onClose}
    />
  );
}

function View({ developer, onRead, onDeleted, onClose }: { developer: DeveloperDetail } & Props) {
  const [doing, setDoing] = useState<"edit" | "tags" | "deactivate" | "delete">();
  const { id, inactive } = developer;
  const writes = may("portal:write");
  const stop = () => setDoing(undefined);
  const reactivate = async (keys: "keep" | "resume") => {
    const call = { params: { id }, body: { keys }, headers: decisionKey() };
    await api.call(reactivateDeveloper, call).then((now) => {
      onRead(now);
      toast({ text: say`${nameOf(now)} is active again.` });
    }).catch(toastFailure);
    forgetDevelopers();
  };
  const deactivated = (now: DeveloperDetail) => {
    onRead(now);
    const { suspended_keys } = now;
    const resumes = suspended_keys > 0 && may("approve");
    const run = () => void reactivate(resumes ? "resume" : "keep");
    toast({ text: say`${nameOf(now)} is deactivated.`, actions: [{ label: "Undo", run }] });
  };
  useShortcuts("This developer", [
    { keys: ["e"], label: "Change", run: () => setDoing("edit"), when: () => writes },
  ]);
  return (
    <Drawer
      of={id}
      title={nameOf(developer)}
      lead={<Avatar name={nameOf(developer)} id={id} />}
      onClose={onClose}
      footer={writes && (
        <>
          <Button kind="primary" shortcut="E" onClick={() => setDoing("edit")}>Change</Button>
          <Button onClick={() => setDoing("tags")}>Tags</Button>
          {!inactive && <Button onClick={() => setDoing("deactivate")}>Deactivate</Button>}
          {inactive && <Button onClick={() => void reactivate("keep")}>Reactivate</Button>}
          {developer.suspended_keys > 0 && may("approve") && (
            <Button onClick={() => void reactivate("resume")}>
              {inactive ? "Reactivate, and resume keys" : "Resume their keys"}
            </Button>
          )}
          <Button kind="danger" onClick={() => setDoing("delete")}>Delete</Button>
        </>
      )}
    >
      <Facts>
        <Fact name="State">
          <ActivePill active={!inactive} />
          {inactive && <small class="field-hint">The portal no longer lets them sign in.</small>}
          {developer.suspended_keys > 0 && (
            <small class="field-hint">
              {countOf(developer.suspended_keys)}{" "}
              of their keys were suspended with them, and are so still.
            </small>
          )}
        </Fact>
        <Fact name="E-mail">
          <Email of={developer.email} standing={standingOf(developer)} />
          <ConfirmEmail developer={developer} onConfirmed={onRead} />
        </Fact>
        {Object.entries(developer.fields).map(([name, value]) => (
          <Fact key={name} name={fieldName(name)}>
            {typeof value === "string" ? value : JSON.stringify(value)}
          </Fact>
        ))}
        <TagsFact
          tags={developer.tags}
          to={(tag) => `/developers?tag=${encodeURIComponent(tag)}`}
        />
        <Fact name="Member since" of={<Time at={developer.date_created} />} />
        <Fact name="Last sign-in" of={<Time at={developer.last_login_date} />} />
        <Fact name="Password">{developer.has_password ? "Set" : "None"}</Fact>
      </Facts>
      {!inactive && may("admin") && <SeePages id={id} />}
      {(may("admin") || may("approve")) && !hasScope() && <TheirAccess id={id} />}
      <TheirKeys developer={developer} />
      <TheirRequests developer={developer} />
      <Usage of={{ developer: id }} />
      <DeniedCalls of={{ developer: id }} />
      <h3 class="group-title">Developer id</h3>
      <CopyId id={id} label="developer id" />
      {doing === "edit" && <DeveloperForm developer={developer} onSaved={onRead} onClose={stop} />}
      {doing === "tags" && <TagsDialog developer={developer} onSaved={onRead} onClose={stop} />}
      {doing === "deactivate" && (
        <DeactivateDeveloper developer={developer} onDone={deactivated} onClose={stop} />
      )}
      {doing === "delete" && (
        <DeleteDeveloper developer={developer} onDeleted={onDeleted} onClose={stop} />
      )}
    </Drawer>
  );
}

function fieldName(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Deactivates a developer; what becomes of their keys has to be said. */
function DeactivateDeveloper({ developer, onDone, onClose }: {
  developer: DeveloperDetail;
  onDone: (developer: DeveloperDetail) => void;
  onClose: () => void;
}) {
  const [keys, setKeys] = useState<"keep" | "suspend" | "revoke">();
  const { id, keys: count } = developer;
  const headers = useMemo(decisionKey, [keys]);
  const choices = {
    keep: "Keep: they stay valid",
    ...may("revoke") && {
      suspend: "Suspend: they are valid for nothing until they are resumed",
      revoke: may("approve")
        ? "Revoke: they are not valid any more, for good"
        : "Revoke: they are not valid any more; a person who may approve can undo it for 7 days",
    },
  };
  return (
    <Confirm
      title={say`Deactivate ${nameOf(developer)}?`}
      note="They can no longer sign in to the portal. Their sessions and tokens are revoked for good, and their open one-time links are withdrawn."
      action="Deactivate"
      onConfirm={async () => {
        const chosen = keys ?? (count === 0 ? "keep" : undefined);
        if (chosen === undefined) {
          throw new PlainFailure("invalid_input", { message: "Say what becomes of their keys." });
        }
        const call = { params: { id }, body: { keys: chosen }, headers };
        onDone(await api.call(deactivateDeveloper, call).finally(() => forgetDevelopers()));
      }}
      onClose={onClose}
    >
      {count > 0 && (
        <KeysChoice
          legend={`Their ${count === 1 ? "key" : `${countOf(count)} keys`}`}
          choices={choices}
          keys={keys}
          onChoose={setKeys}
        />
      )}
    </Confirm>
  );
}

/** Deletes a developer; what becomes of their keys has to be said. */
function DeleteDeveloper({ developer, onDeleted, onClose }: {
  developer: DeveloperDetail;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [keys, setKeys] = useState<"revoke" | "keep">();
  const { id, keys: count } = developer;
  const name = nameOf(developer);
  const choices = {
    ...may("revoke") && { revoke: "Revoke: within a second they are not valid" },
    keep: "Keep: they stay valid, without an owner",
  };
  return (
    <Confirm
      title={say`Delete ${name}?`}
      note={
        <>
          Their undecided requests go with them, for good. Within 7 days a person who may approve
          can restore the developer and the keys that were revoked with them. To only stop them from
          signing in, deactivate them instead.
        </>
      }
      action="Delete"
      danger
      onConfirm={async () => {
        const chosen = keys ?? (count === 0 ? "revoke" : undefined);
        if (chosen === undefined) {
          throw new PlainFailure("invalid_input", { message: "Say what becomes of their keys." });
        }
        const gone = await api.call(deleteDeveloper, {
          params: { id },
          query: { keys: chosen },
          headers: { "if-match": `"${developer.revision}"` },
        }).catch((error) => {
          // A refusal may be news about them.
          forgetDevelopers();
          throw error;
        });
        forgetDevelopers(id);
        toast({
          text: say`${name} is deleted, with ${numberOf(gone.deleted_requests, "request")} and ${
            numberOf(gone.revoked_keys, "revoked key")
          }.`,
          actions: may("approve") ? [{ label: "Undo", run: () => void undo(id, name) }] : [],
        });
        onDeleted();
      }}
      onClose={onClose}
    >
      {count > 0 && (
        <KeysChoice
          legend={`Their ${count === 1 ? "key" : `${countOf(count)} keys`}`}
          choices={choices}
          keys={keys}
          onChoose={setKeys}
        />
      )}
    </Confirm>
  );
}

/** Brings back a developer who has just been deleted. */
async function undo(id: string, name: string): Promise<void> {
  await api.call(restoreDeveloper, { params: { id }, body: {}, headers: decisionKey() })
    .then(() => toast({ text: say`${name} is back.` }), toastFailure);
  forgetDevelopers();
}

function numberOf(count: number, what: string): string {
  return say`${count} ${what}${count === 1 ? "" : "s"}`;
}
