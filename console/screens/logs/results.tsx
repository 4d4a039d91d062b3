import { getUsage } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope } from "../../api/session.ts";
import { comparedInWords } from "../../parts/compared-words.ts";
import { listed, say } from "../../said.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { type Reason } from "../../parts/denied-calls/words.ts";
import { countedOf, type Filters } from "./filters.ts";

/** Counts are written every five seconds. */
const COUNTED_MS = 5000;

/**
 * A bar for each verdict of the time that is shown; a click narrows the list to it. Within a scope
 * they count what it covers.
 */
export function Results({ of, chosen, onChoose }: {
  of: Filters;
  chosen: Reason | undefined;
  onChoose: (reason: Reason) => void;
}) {
  const { query, beyond } = countedOf(of, Date.now(), hasScope());
  const { data } = useCall(["usage", "logs", JSON.stringify(query)], getUsage, { query }, {
    gcTime: 30_000,
    refetchInterval: COUNTED_MS,
  });
  if (!data || data.total.hits + data.total.reasons.length === 0) return null;
  const isOfPlans = hasScope() && query.key === undefined && query.plan === undefined;
  const { success, reasons: refused } = data.total;
  const most = Math.max(success, ...refused.map(({ calls }) => calls), 1);
  return (
    <>
      <h2 class="unseen">
        {of.time === ""
          ? "Results of yesterday and today"
          : say`Results since ${data.since.slice(0, 16).replace("T", " ")} UTC`}
      </h2>
      <ul class="log-bars">
        <li>
          <span class="log-bar is-good">
            <span>Allowed</span>
            <Bar share={success / most} />
            <b>{success.toLocaleString("en")}</b>
          </span>
        </li>
        {refused.map(({ reason, calls }) => (
          <li key={reason}>
            <button
              type="button"
              class="log-bar"
              disabled={reason === "unsure"}
              aria-pressed={reason === chosen}
              onClick={() => reason !== "unsure" && onChoose(reason)}
            >
              <span>{reasonTitles[reason]}</span>
              <Bar share={calls / most} />
              <b>{calls.toLocaleString("en")}</b>
            </button>
          </li>
        ))}
      </ul>
      <p class="log-note muted">
        {listed(
          [
            data.compared && comparedInWords(data.compared),
            beyond.length > 0 && say`The bars count all ${listed(beyond, " and ")}.`,
            isOfPlans && "They count the calls that came to a plan within your scope.",
            (of.time === "quarter" || of.time === "year") && "The list goes back 30 days.",
          ].filter((one) => one),
          " ",
        )}
      </p>
    </>
  );
}

function Bar({ share }: { share: number }) {
  return (
    <svg width="100%" height={10} aria-hidden="true">
      <rect width={`${Math.max(share * 100, 0.5)}%`} height={10} />
    </svg>
  );
}
