import { Link } from "wouter-preact";
import { may } from "../../api/session.ts";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { Empty, Unread } from "../../parts/states.tsx";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { useFilters } from "../../parts/filters.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { say } from "../../said.ts";
import { Differences } from "./differences.tsx";
import { KeysOfMeter } from "./keys.tsx";
import { Mails } from "./mails.tsx";
import { useMeter } from "./meter.ts";
import styles from "./moving-in.css?url";
import { Overview } from "./overview.tsx";
import { dayOf } from "./words.ts";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** May the old gateway be switched off? What it still decides, and what is missing. */
export default function MovingInScreen() {
  const [{ show }, setShown] = useFilters(["show", "plan", "developer", "key"]);
  const read = useMeter();
  const { data: meter } = read;
  const tabs = [
    { value: "", text: "Overview" },
    { value: "there", text: "Still there", count: meter?.keys.there_yesterday },
    { value: "never", text: "Never seen", count: meter?.keys.never_seen },
    { value: "differences", text: "Differences" },
    { value: "mails", text: "Drafts of mails" },
  ];
  const shown = tabs.find(({ value }) => value === show)?.value ?? "";
  // A filter of one list is none of another's.
  const choose = (value: string) => setShown({ show: value, plan: "", developer: "", key: "" });
  useShortcuts("Moving in", tabKeys(tabs, choose));
  const choice = <Tabs label="Show" value={shown} tabs={tabs} onChange={choose} />;
  if (shown === "there" || shown === "never") {
    return <KeysOfMeter key={shown} seen={shown} tabs={choice} />;
  }
  if (shown === "differences") return <Differences tabs={choice} />;
  if (shown === "mails") return <Mails tabs={choice} />;
  return (
    <Page
      title="Moving in"
      tabs={choice}
      tools={meter?.since && (
        <span class="moving-note">{say`Observed since ${dayOf(meter.since)}`}</span>
      )}
    >
      {meter === undefined
        ? <Unread of={read} lines={8} />
        : meter.connected
        ? <Overview of={meter} />
        : (
          <Empty
            title="No old gateway is connected"
            action={may("admin:read") && <Link class="button" href="/gateways">Gateways</Link>}
          >
            Add the gateway that you move away from, or have its plugin ask Keydesk about each call
            (<code>docs/gateways/observe.js</code>). This page then tells what it still decides.
          </Empty>
        )}
    </Page>
  );
}
