import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getAccessToken, limitAccessToken } from "../../api/token-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { LeakMark } from "../../parts/leak-mark.tsx";
import { Managed } from "../../parts/managed.tsx";
import { Tag } from "../../parts/pill.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { addressesField, askToRevoke, RotateAccessToken } from "./access-token-dialogs.tsx";
import { AccessTokenPill, endOf, isUnended } from "./access-token-words.tsx";
import { InPlace } from "./in-place.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { PersonLink } from "./person-link.tsx";
import { type AccessToken, addressesIn, forgetPeople, useCaller } from "./person.ts";
import { useRoleName } from "./role-field.tsx";

/** An access token in full, and what can be done about it. */
export function AccessTokenDrawer({ id, onRead, onIssued, onClose }: {
  id: string;
  onRead: (token: AccessToken) => void;
  /** Called when a fresh one took over. */
  onIssued: () => void;
  onClose: () => void;
}) {
  const read = useCall(["people", "access-tokens", id], getAccessToken, { params: { id } });
  const token = read.data;
  useEffect(() => {
    if (token) onRead(token);
  }, [token]);
  if (token) return <View token={token} onIssued={onIssued} onClose={onClose} />;
  return <UnreadDrawer of={id} title="Access token" read={read} onClose={onClose} />;
}

function View({ token, onIssued, onClose }: {
  token: AccessToken;
  onIssued: () => void;
  onClose: () => void;
}) {
  const [rotates, setRotates] = useState(false);
  const isMine = useCaller()?.access_token.id === token.id;
  const canChange = may("admin") && isUnended(token);
  const canRotate = canChange && token.replaced_by === null;
  const rotate = () => setRotates(true);
  useShortcuts("This access token", [
    { keys: ["r"], label: "Rotate", run: rotate, when: () => canRotate },
  ]);
  return (
    <Drawer
      of={token.id}
      title={token.name}
      onClose={onClose}
      footer={canChange && (
        <>
          {canRotate && <Button kind="primary" shortcut="R" onClick={rotate}>Rotate</Button>}
          <Button kind="danger" onClick={() => askToRevoke(token)}>Revoke</Button>
        </>
      )}
    >
      <Managed kind="access_tokens" id={token.id} />
      <Facts>
        <Fact name="State">
          <AccessTokenPill of={token} /> <span class="beside muted">{endOf(token)}</span>{" "}
          {isMine && <Tag>this session</Tag>}
        </Fact>
        <Fact name="Person">
          <Link class="text-link" href={`/settings/${token.person_id}?show=people`}>
            {token.person_name}
          </Link>
        </Fact>
        {token.role !== null && <Fact name="Role" of={<RoleName id={token.role} />} />}
        <Fact name="Allows">
          {token.scope === null && <p>All permissions of its person, now and later:</p>}
          {token.permissions.length === 0 ? "No permission" : (
            <ul>
              {sorted(token.permissions).map((one) => <li key={one}>{permissionName(one)}</li>)}
            </ul>
          )}
        </Fact>
        <Fact name="Last used">
          {token.last_used_at === null ? "No use known yet" : <Time at={token.last_used_at} />}
          {token.last_used_from !== null && say` from ${token.last_used_from}`}
        </Fact>
        <Fact name="Issued">
          <Time at={token.date_created} />
          {token.issued_by !== null && token.issued_by !== token.person_id && (
            <>
              {" "}by <PersonLink id={token.issued_by} />
            </>
          )}
        </Fact>
        <Fact name="Leaked">{token.leaked && <LeakMark of={token.leaked} />}</Fact>
      </Facts>
      {isUnended(token) && <Addresses token={token} />}
      <h3 class="group-title">Access token id</h3>
      <CopyId id={token.id} label="access token id" />
      {rotates && (
        <RotateAccessToken
          token={token}
          onIssued={onIssued}
          onClose={() => setRotates(false)}
        />
      )}
    </Drawer>
  );
}

/** From where alone an access token may be used. */
function Addresses({ token: { id, addresses } }: { token: AccessToken }) {
  return (
    <InPlace
      name={`addresses of ${id}`}
      title="Where it may be used"
      level={3}
      note="Counts within a second, for its sessions at once."
      base={{ addresses: addresses?.join(" ") ?? "" }}
      saved="The addresses are changed."
      onSave={async (draft) => {
        await api.call(limitAccessToken, {
          params: { id },
          body: { addresses: addressesIn(draft.addresses) },
        });
        await forgetPeople();
      }}
      fields={addressesField}
    />
  );
}

function RoleName({ id }: { id: string }) {
  return <>{useRoleName(id)}</>;
}
