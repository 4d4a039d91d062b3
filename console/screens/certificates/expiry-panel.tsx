import { api } from "../../api/client.ts";
import { countCertificates, listCertificates } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { type Filters, kindQuery } from "./certificate-filters.ts";
import { type Counts, DAY_MS } from "./certificate.ts";
import { type Dot, DotLine } from "./dot-line.tsx";
import { MonthBars } from "./month-bars.tsx";

/** The days on both sides of today that the line shows one by one. */
const [BEFORE, AHEAD] = [3, 90];
/** More than so many dots are no picture any more: then it is the months that are shown. */
const MOST = 100;

const bands = [
  { value: "over", name: "expired", text: "expired" },
  { value: "7", name: "within_7_days", text: "within 7 days" },
  { value: "30", name: "within_30_days", text: "within 30 days" },
  { value: "90", name: "within_90_days", text: "within 90 days" },
  { value: "later", name: "later", text: "later" },
] as const;

/** When certificates end: counts by band, which narrow the list, and a line of dots or months below. */
export function ExpiryPanel({ filters, onChange, onOpen }: {
  filters: Filters;
  onChange: (ends: string) => void;
  onOpen: (id: string) => void;
}) {
  const kinds = kindQuery(filters);
  const name = JSON.stringify(kinds);
  const counts = useQuery({
    queryKey: ["certificates", "counts", name],
    queryFn: () => api.call(countCertificates, { query: kinds }),
    // Other filters: the numbers that stand there give way when the next are known.
    placeholderData: (before: Counts | undefined) => before,
  }).data;
  const near = counts ? nearOf(counts) : 0;
  const dots = useQuery({
    queryKey: ["certificates", "near", name],
    queryFn: () => readDots(kinds),
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
            <b>{counts ? counts.bands[name].toLocaleString("en") : "–"}</b> {text}
          </button>
        ))}
        {counts !== undefined && counts.bands.never > 0 && (
          <span class="band is-plain">
            <b>{counts.bands.never.toLocaleString("en")}</b> without end
          </span>
        )}
      </div>
      {counts && near > MOST
        ? <MonthBars counts={counts} chosen={filters.ends} onChange={onChange} />
        : (
          <DotLine
            before={BEFORE}
            ahead={AHEAD}
            dots={dots ?? []}
            expired={counts?.bands.expired ?? 0}
            later={counts?.bands.later ?? 0}
            onOpen={onOpen}
          />
        )}
    </section>
  );
}

function nearOf({ bands }: Counts): number {
  return bands.within_7_days + bands.within_30_days + bands.within_90_days;
}

async function readDots(kinds: Record<string, string>): Promise<readonly Dot[]> {
  const now = Date.now();
  const { data } = await api.call(listCertificates, {
    query: {
      ...kinds,
      expires_after: new Date(now - BEFORE * DAY_MS).toISOString(),
      expires_before: new Date(now + AHEAD * DAY_MS).toISOString(),
      sort: "not_after",
      limit: MOST,
    },
  });
  return data.map((one) => ({
    id: one.id,
    name: one.subject_cn,
    days: (Date.parse(one.not_after) - now) / DAY_MS,
  }));
}
