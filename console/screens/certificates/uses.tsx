import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { listCertificateUses } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Problem } from "../../parts/states.tsx";
import { listed, say } from "../../said.ts";

/** Names of a kind before the others are counted. */
const SHOWN = 5;

/** The plans, APIs and keys that name a certificate. */
function useUses(id: string) {
  return useCall(["certificates", "uses", id], listCertificateUses, { params: { id } }, {
    gcTime: 30_000,
  });
}

/** The objects that name a certificate, each as a link. */
export function UsedBy({ id }: { id: string }) {
  const { data: uses, error, refetch } = useUses(id);
  if (!uses) {
    return error === null ? null : <Problem error={error} onRetry={() => void refetch()} />;
  }
  const { plans, apis, keys, more_keys } = uses;
  if (plans.length + apis.length + keys.length + more_keys === 0) {
    return (
      <>
        <h3 class="group-title">Used by</h3>
        <p class="muted">No plan, API or key names it.</p>
      </>
    );
  }
  return (
    <Facts title="Used by">
      <Fact name="Plans">
        {plans.length > 0 && (
          <Some of={plans.map((one) => linkTo("/apis/plans", one.id, one.name))} />
        )}
      </Fact>
      <Fact name="APIs">
        {apis.length > 0 && <Some of={apis.map((one) => linkTo("/apis", one.id, one.name))} />}
      </Fact>
      <Fact name="Keys">
        {keys.length + more_keys > 0 && (
          <Some
            of={keys.map(({ key_id, name, mask }) =>
              linkTo("/keys", key_id, name === "" ? <code>{mask}</code> : name)
            )}
            more={more_keys}
          />
        )}
      </Fact>
    </Facts>
  );
}

/** The objects that would miss a deleted certificate. */
export function Missed({ id }: { id: string }) {
  const { data: uses } = useUses(id);
  if (!uses) return null;
  const { plans, apis, keys, more_keys } = uses;
  const parts = [
    countOf(plans.length, "plan"),
    countOf(apis.length, "API"),
    countOf(keys.length + more_keys, "key"),
  ].filter((part) => part !== "");
  if (parts.length === 0) return null;
  const names = [
    ...[...plans, ...apis].map(({ name }) => name),
    ...keys.map(({ name, mask }) => name || mask),
  ];
  return (
    <div class="notice is-warning">
      <div>
        <p>It is named by {listed(parts)}, which will miss it{names.length > 0 ? ":" : "."}</p>
        {names.length > 0 && (
          <ul class="depends">
            {names.slice(0, SHOWN).map((name, at) => <li key={at}>{name}</li>)}
          </ul>
        )}
        {names.length > 0 && names.length + more_keys > SHOWN && (
          <p>and {grouped(names.length + more_keys - SHOWN)} more</p>
        )}
      </div>
    </div>
  );
}

function Some({ of: links, more = 0 }: { of: readonly ComponentChildren[]; more?: number }) {
  const left = Math.max(0, links.length - SHOWN) + more;
  return (
    <ul class="cert-uses">
      {links.slice(0, SHOWN).map((link, at) => <li key={at}>{link}</li>)}
      {left > 0 && (
        <li class="muted">{links.length > 0 ? `and ${grouped(left)} more` : grouped(left)}</li>
      )}
    </ul>
  );
}

/** Only who may see requests, keys and plans has somewhere to go. */
function linkTo(path: string, id: string, name: ComponentChildren): ComponentChildren {
  if (!may("portal:read")) return name;
  return <Link class="text-link" href={`${path}/${encodeURIComponent(id)}`}>{name}</Link>;
}

function countOf(count: number, what: string): string {
  return count === 0 ? "" : say`${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}
