import { api } from "../../api/client.ts";
import { type Company, goTo } from "../../api/company.ts";
import { deleteIdentity, listIdentities } from "../../api/identity-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { LastUsed } from "../../parts/session-cards.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

const KEY = ["identities"];

/** One's own accounts at the company's identity providers. Nothing where there is no provider. */
export default function Identities() {
  const read = useCall(KEY, listIdentities, {});
  const [busy, run] = useBusy();
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const { data = [], providers = [] } = read.data ?? {};
  if (data.length + providers.length === 0) return null;
  const keeper = data.find(({ managed }) => managed);
  const link = (company: Company) =>
    run(async () => {
      await goTo(company, "link");
    });
  return (
    <section class="settings-action" aria-label="Company sign-in">
      <h2 class="group-title">Company sign-in</h2>
      {keeper && (
        <p class="muted">
          {keeper.provider || "Your company’s provider"}{" "}
          added you and says when you are out: you sign in by its account alone.
        </p>
      )}
      {data.length === 0 && (
        <p class="muted">No account of yours is linked. One that is signs you in.</p>
      )}
      <ul class="cards is-wide">
        {data.map(({ id, provider, date_created, last_used_at, managed }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{provider || "A provider that can’t be read"}</b>
            </p>
            <p class="muted">
              Linked <Time at={date_created} /> · <LastUsed at={last_used_at} />
            </p>
            {!managed && (
              <div class="card-actions">
                <Button
                  label={say`Unlink the account at ${provider}`}
                  onClick={() => unlink(id, provider)}
                >
                  Unlink
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {providers.filter(({ id }) => !data.some((one) => one.provider_id === id)).map((one) => (
        <Button
          key={one.id}
          busy={busy}
          onClick={() => void link(one)}
        >
          Link an account at {one.name}
        </Button>
      ))}
    </section>
  );
}

function unlink(id: string, provider: string): void {
  ask({
    title: say`Unlink the account at ${provider}?`,
    note: "It no longer signs you in. Your other sessions that began with it are revoked.",
    action: "Unlink",
    danger: true,
    run: async () => {
      await api.call(deleteIdentity, { params: { id } });
      // Not waited for: this session may be one of those that end.
      void queries.invalidateQueries({ queryKey: KEY });
    },
  });
}
