import { dayOf } from "../../parts/time.tsx";
import { DAY_MS, type Urgency } from "./certificate.ts";

/** A certificate on the line. */
export interface Dot {
  id: string;
  name: string;
  days: number;
}

/** Dots that stand on each other; beyond that a number says how many there are. */
const STACK = 5;
/** How near dots are, in percent of the line, to stand on each other. */
const STEP = 1.5;
/** Days behind the last mark, for what ends later. */
const MARGIN = 10;

interface Place {
  x: number;
  urgency: Urgency;
  dots: Dot[];
  /** All that stand here, those without a dot among them. */
  count: number;
  title?: string;
}

/**
 * A line of days with a dot for each certificate, placed by percent, so that it is as good at any width. For the eye
 * and the mouse alone: the numbers above and the list below say the same.
 */
export function DotLine({ before, ahead, dots, expired, later, onOpen }: {
  before: number;
  ahead: number;
  dots: readonly Dot[];
  /** All that have expired: those before the line begins stand at its beginning. */
  expired: number;
  /** All that end behind the line. */
  later: number;
  onOpen: (id: string) => void;
}) {
  const span = before + ahead + MARGIN;
  const xOf = (days: number) => (days + before) / span * 100;
  const places = placesOf(dots, xOf);
  const old = expired - dots.filter(({ days }) => days < 0).length;
  if (old > 0) {
    places.push({ x: 0, urgency: "bad", dots: [], count: old, title: `${old} expired earlier` });
  }
  if (later > 0) {
    places.push({
      ...{ x: xOf(ahead + MARGIN * 0.7), urgency: "good", dots: [], count: later },
      title: `${later} end later`,
    });
  }
  const marks: [number, string][] = [
    [0, "Today"],
    [7, "7 d"],
    [30, "30 d"],
    [60, "60 d"],
    [90, "90 days +"],
  ];
  return (
    <div
      class="dot-line"
      aria-hidden="true"
      onClick={(event) => {
        const id = event.target instanceof HTMLElement ? event.target.dataset["id"] : undefined;
        if (id !== undefined) onOpen(id);
      }}
    >
      {marks.map(([days, text]) => (
        <span key={text} class="dot-mark" style={{ left: `${xOf(days)}%` }}>
          <span>{text}</span>
        </span>
      ))}
      {places.map((place) => (
        <span key={place.x} class={`dots is-${place.urgency}`} style={{ left: `${place.x}%` }}>
          {place.count > STACK && <span class="dots-count">{place.count.toLocaleString("en")}
          </span>}
          {Array.from({ length: Math.min(place.count, STACK) }, (_, index) => {
            const dot = place.dots[index];
            return (
              <span
                key={index}
                class="dot"
                data-id={dot?.id}
                title={dot ? `${dot.name} · ${dayOf(dateIn(dot.days))}` : place.title}
              />
            );
          })}
        </span>
      ))}
    </div>
  );
}

function placesOf(dots: readonly Dot[], xOf: (days: number) => number): Place[] {
  const places = new Map<number, Place>();
  for (const dot of dots) {
    const x = Math.round(xOf(dot.days) / STEP) * STEP;
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
