import { api } from "../../api/client.ts";
import { getAlertRules, setAlertRules } from "../../api/alert-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Unread } from "../../parts/states.tsx";
import { listed } from "../../said.ts";
import { InPlace } from "./in-place.tsx";

const queryKey = ["alert-rules"];

/** How long before certificates and keys expire alerts are sent. */
export default function AlertRules() {
  const { data, error, refetch } = useCall(queryKey, getAlertRules, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Alerts">
      <InPlace
        name="alert rules"
        managed="alerts"
        title="Alerts before certificates and keys expire"
        note="They go to every channel that wants them; mails go to the owner of a certificate and to the developer of a key. A new rule sends no alert that would have been due earlier."
        base={{ days: written(data.days), at_end: data.at_end }}
        saved="The rules are saved."
        onSave={async (draft) => {
          const body = { days: daysIn(draft.days), at_end: draft.at_end };
          queries.setQueryData(queryKey, await api.call(setAlertRules, { body }));
          await queries.invalidateQueries({ queryKey: ["alerts"] });
        }}
        fields={[
          {
            of: "days",
            label: "Days before expiry",
            hint: "Up to 12, from 1 to 365, with commas between; none: at expiry alone.",
          },
          { of: "at_end", label: "Alert at the expiry itself" },
        ]}
      />
    </div>
  );
}

/** The longest first. */
function written(days: readonly number[]): string {
  return listed(days.toSorted((one, other) => other - one));
}

/** A word that is no number goes to the server as it is, which says so. */
function daysIn(text: string): number[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "").map(Number);
}
