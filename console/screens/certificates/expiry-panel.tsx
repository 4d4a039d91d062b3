import { api } from "../../api/client.ts";
import { countCertificates, listCertificates } from "../../api/endpoints.ts";
import { useCall, useQuery } from "../../api/queries.ts";
import { type Filters, kindQuery } from "./certificate-filters.ts";
import { type Counts, DAY_MS, nameOf } from "./certificate.ts";
import { type Dot, DotLine } from "./dot-line.tsx";
import { MonthBars } from "./month-bars.tsx";
import { grouped } from "../../api/numbers.ts";

/** How many days ahead the line goes: where all of them fit, and where there are more. */
const [FAR, NEAR] = [1826, 90];
/** Of the certificates that expired longer ago, the rest is a number alone. */
const BEFORE = 3;
/** More than so many dots are no picture any more: then it is the months that are shown. */
const MOST = 100;

const bands = [
  { value: "over", name: "expired", text: "expired" },
  { value: "7", name: "within_7_days", text: "7 days" },
  { value: "30", name: "within_30_days", text: "30 days" },
  { value: "90", name: "within_90_days", text: "90 days" },
  { value: "later", name: "later", text: "later" },
] as const;

/** Unseen where there is little room. */
const WITHIN = "within ";

/**
 * When certificates end: counts by band, which narrow the list, and a line of dots or months below.
 */
export function ExpiryPanel({ filters, onChange, onOpen }: {
  filters: Filters;
  onChange: (ends: string) => void;
  onOpen: (id: string) => void;
}) {
  const kinds = kindQuery(filters);
  const name = JSON.stringify(kinds);
  const counts = useCall(["certificates", "counts", name], countCertificates, { query: kinds }, {
    // Other filters: the numbers that stand there give way when the next are known.
    placeholderData: (before: Counts | undefined) => before,
  }).data;
  const near = counts ? nearOf(counts) : 0;
  const isAll = counts !== undefined && counts.total <= MOST;
  const dots = useQuery({
    queryKey: ["certificates", "near", name, String(isAll)],
    queryFn: () => readDots(kinds, isAll),
    enabled: counts !== undefined && near <= MOST,
    placeholderData: (before: readonly Dot[] | undefined) => before,
  }).data;
  if (counts?.total === 0) return null;
  return (
    <section class="expiry" aria-label="Expiry">
      <div class="bands">
        <h2 class="bands-title">Expiry</h2>
        {bands.map(({ value, name, text }) => (
          <button
            key={value}
            type="button"
            class="band"
            aria-pressed={filters.ends === value}
            onClick={() => onChange(filters.ends === value ? "" : value)}
          >
            <b>{counts ? grouped(counts.bands[name]) : "–"}</b>{" "}
            {text.endsWith("days") && <span class="band-within">{WITHIN}</span>}
            {text}
          </button>
        ))}
        {counts !== undefined && counts.bands.never > 0 && (
          <span class="band is-plain">
            <b>{grouped(counts.bands.never)}</b> without expiry
          </span>
        )}
        {counts !== undefined && counts.bands.invalid > 0 && (
          <span class="band is-plain">
            <b>{grouped(counts.bands.invalid)}</b> never valid
          </span>
        )}
      </div>
      {counts && near > MOST
        ? <MonthBars counts={counts} chosen={filters.ends} onChange={onChange} />
        : (
          <DotLine
            ahead={isAll ? FAR : NEAR}
            dots={dots ?? []}
            expired={counts?.bands.expired ?? 0}
            later={isAll ? 0 : counts?.bands.later ?? 0}
            onOpen={onOpen}
          />
        )}
    </section>
  );
}

function nearOf({ bands }: Counts): number {
  return bands.within_7_days + bands.within_30_days + bands.within_90_days;
}

async function readDots(kinds: Record<string, string>, isAll: boolean): Promise<readonly Dot[]> {
  const now = Date.now();
  const { data } = await api.call(listCertificates, {
    query: {
      ...kinds,
      ...isAll ? {} : {
        expires_after: new Date(now - BEFORE * DAY_MS).toISOString(),
        expires_before: new Date(now + NEAR * DAY_MS).toISOString(),
      },
      sort: "not_after",
      limit: MOST,
    },
  });
  return data.filter(({ days_left }) => days_left !== null).map((one) => ({
    id: one.id,
    name: nameOf(one),
    days: (Date.parse(one.not_after) - now) / DAY_MS,
  }));
}
