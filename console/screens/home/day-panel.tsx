import { Link } from "wouter-preact";
import { getUsage, listLeaks } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { hasScope } from "../../api/session.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { listed, say } from "../../said.ts";
import { EVERY_MS, Panel } from "./panel.tsx";

/** Reasons that are named, and reports of leaks that are looked at. */
const [REASONS, REPORTS] = [3, 50];

const DAY_MS = 24 * 60 * 60 * 1000;

/** The calls of the last 24 hours, allowed and denied, and the leaks that were reported. */
export default function DayPanel() {
  // Calls with unknown keys belong to no plan: they are counted only by gateways.
  const query = { last: "day" as const, ...hasScope() ? {} : { gateway: "all" } };
  const read = useCall(["usage", "day"], getUsage, { query }, { refetchInterval: EVERY_MS });
  return (
    <Panel
      title="The last 24 hours"
      name="day"
      note={<Link class="text-link" href="/logs?time=day">Denied calls</Link>}
      read={read}
    >
      {({ total }) => (
        <dl class="home-pace">
          <div>
            <dt>Allowed calls</dt>
            <dd>
              <b>{total.success.toLocaleString("en")}</b>
            </dd>
          </div>
          <div>
            <dt>Denied calls</dt>
            <dd>
              <b>{total.error.toLocaleString("en")}</b>
              <span class="home-small">
                {listed(
                  total.reasons.slice(0, REASONS).map(({ reason, calls }) =>
                    say`${reasonTitles[reason]} ${calls.toLocaleString("en")}`
                  ),
                )}
              </span>
            </dd>
          </div>
          <Leaks />
        </dl>
      )}
    </Panel>
  );
}

/** The reports of leaks of the day; nothing until they are read. */
function Leaks() {
  const { data } = useCall(["leaks", "day"], listLeaks, { query: { limit: REPORTS } }, {
    refetchInterval: EVERY_MS,
  });
  if (!data) return null;
  const since = Date.now() - DAY_MS;
  const fresh = data.data.filter(({ reported_at }) => Date.parse(reported_at) >= since);
  const open = fresh.filter(({ state }) => state === "open").length;
  return (
    <div>
      <dt>Reported leaks</dt>
      <dd>
        <b>{fresh.length === REPORTS ? say`${REPORTS} or more` : fresh.length}</b>
        <span class="home-small">
          {fresh.length > 0 && (
            <Link class="text-link" href="/keys?leaked=reports">
              {open === 0 ? "none is open" : say`${open} open`}
            </Link>
          )}
        </span>
      </dd>
    </div>
  );
}
