import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getAlertRules, setAlertRules } from "../../api/alert-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unread } from "../../parts/states.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed } from "../../said.ts";

const queryKey = ["alert-rules"];

/** How long before ends of certificates and keys it is told of them. */
export default function AlertRules() {
  const [changes, setChanges] = useState(false);
  const { data, error, refetch } = useCall(queryKey, getAlertRules, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  const days = written(data.days);
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Alerts">
      <h2 class="group-title">Alerts before certificates and keys expire</h2>
      <Facts>
        <Fact name="Before expiry">
          {days === "" ? "Never" : `${days} ${days === "1" ? "day" : "days"}`}
        </Fact>
        <Fact name="At expiry">{data.at_end ? "Yes" : "No"}</Fact>
      </Facts>
      {may("admin") && (
        <div class="settings-action">
          <Button onClick={() => setChanges(true)}>Change</Button>
        </div>
      )}
      <p class="muted settings-note">
        They go to every channel that wants them; mails go to the owner of a certificate and to the
        developer of a key. Each certificate and key says why something was sent or was not.
      </p>
      {changes && (
        <FormDialog
          name="alert rules"
          title="Alerts"
          note="A new rule sends no alert that would have been due earlier."
          action="Save"
          initial={{ days, at_end: data.at_end }}
          onSave={async (draft) => {
            const body = { days: daysIn(draft.days), at_end: draft.at_end };
            queries.setQueryData(queryKey, await api.call(setAlertRules, { body }));
            await queries.invalidateQueries({ queryKey: ["alerts"] });
            toast({ text: "The rules are saved." });
          }}
          onClose={() => setChanges(false)}
          fields={[
            {
              of: "days",
              label: "Days before expiry",
              hint: "Up to 12, from 1 to 365, with commas between; none: at expiry alone.",
            },
            { of: "at_end", label: "Alert at the expiry itself" },
          ]}
        />
      )}
    </div>
  );
}

/** The longest first. */
function written(days: readonly number[]): string {
  return listed(days.toSorted((one, other) => other - one));
}

/** What is no number goes to the server as it is, which says so. */
function daysIn(text: string): number[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "").map(Number);
}
