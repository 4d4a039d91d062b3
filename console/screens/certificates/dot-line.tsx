import { utcDayOf } from "../../parts/time.tsx";
import { DAY_MS, type Urgency } from "./certificate.ts";
import { grouped } from "../../api/numbers.ts";
import { say } from "../../said.ts";

/** A certificate on the line. */
export interface Dot {
  id: string;
  name: string;
  days: number;
}

/** Dots that stand on each other; more are a bar with their number. */
const STACK = 5;
/** How near dots are, in percent of the line, to overlap: on a phone, and on a desktop. */
const STEPS = [3, 1.5] as const;
/**
 * NOW is the present, in percent of the line; certificates that expire after its end are behind
 * LAST.
 */
const [NOW, LAST] = [12, 94];
/** The days that the part for what has expired goes back. */
const BACK = 365;

interface Place {
  x: number;
  urgency: Urgency;
  dots: Dot[];
  /** All that stand here, those without a dot among them. */
  count: number;
  title?: string;
}

/**
 * A line of days, drawn as log(1 + days), with a dot for each certificate, placed by percent, so
 * that it is as good at any width. For the eye and the mouse alone: the numbers above and the list
 * below say the same.
 */
export function DotLine({ ahead, dots, expired, later, onOpen }: {
  /** The days that the line goes ahead. */
  ahead: number;
  dots: readonly Dot[];
  /** All that have expired: those without a dot stand at the line's beginning. */
  expired: number;
  /** All that end behind the line. */
  later: number;
  onOpen: (id: string) => void;
}) {
  const xOf = (days: number) =>
    days < 0
      ? NOW * (1 - Math.min(1, Math.log(1 - days) / Math.log(1 + BACK)))
      : days > ahead
      ? 98
      : NOW + (LAST - NOW) * Math.log(1 + days) / Math.log(1 + ahead);
  const places = placesOf(dots, xOf);
  const old = expired - dots.filter(({ days }) => days < 0).length;
  if (old > 0) {
    places.push({ x: 0, urgency: "bad", dots: [], count: old, title: `${old} expired earlier` });
  }
  if (later > 0) {
    places.push({
      x: xOf(Infinity),
      urgency: "good",
      dots: [],
      count: later,
      title: `${later} expire later`,
    });
  }
  const most = Math.max(...places.map(({ count }) => count));
  const marks = allMarks.filter(([days]) => days <= ahead);
  return (
    <div
      class="dot-line"
      aria-hidden="true"
      onClick={(event) => {
        const id = event.target instanceof HTMLElement ? event.target.dataset["id"] : undefined;
        if (id !== undefined) onOpen(id);
      }}
    >
      {marks.map(([days, text, isMinor]) => (
        <span
          key={text}
          class={isMinor ? "dot-mark is-minor" : "dot-mark"}
          style={{ left: `${xOf(days)}%` }}
        >
          <span>{text}</span>
        </span>
      ))}
      {places.map((place) => (
        <span key={place.x} class={`dots is-${place.urgency}`} style={{ left: `${place.x}%` }}>
          {place.count > STACK
            ? (
              <>
                <span
                  class="dots-bar"
                  title={place.title}
                  style={{ height: `${24 + 40 * place.count / most}px` }}
                />
                <span class="dots-count">{grouped(place.count)}</span>
              </>
            )
            : Array.from({ length: place.count }, (_, index) => {
              const dot = place.dots[index];
              return (
                <span
                  key={index}
                  class="dot"
                  data-id={dot?.id}
                  title={dot ? say`${dot.name} · ${utcDayOf(dateIn(dot.days))}` : place.title}
                />
              );
            })}
        </span>
      ))}
    </div>
  );
}

const allMarks: readonly [days: number, text: string, isMinor?: true][] = [
  [0, "Today"],
  [1, "1 day", true],
  [7, "7 days"],
  [30, "30 days", true],
  [90, "90 days"],
  [365, "1 year", true],
  [1826, "5 years"],
];

function placesOf(dots: readonly Dot[], xOf: (days: number) => number): Place[] {
  const places = new Map<number, Place>();
  const step = STEPS[innerWidth <= 560 ? 0 : 1];
  for (const dot of dots) {
    const x = Math.round(xOf(dot.days) / step) * step;
    // Two urgencies never stand on each other: the more urgent one has come first.
    const place = places.get(x) ?? { x, urgency: urgencyIn(dot.days), dots: [], count: 0 };
    place.dots.push(dot);
    place.count++;
    places.set(x, place);
  }
  return [...places.values()];
}

function urgencyIn(days: number): Urgency {
  return days < 7 ? "bad" : days < 30 ? "waiting" : "good";
}

function dateIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
