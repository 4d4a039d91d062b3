import { Pill } from "./pill.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { tabKeys, Tabs } from "./tabs.tsx";

/** Active, inactive, or all. */
export type ActiveState = "active" | "inactive" | undefined;

const tabs = [
  { value: "", text: "All" },
  { value: "active", text: "Active" },
  { value: "inactive", text: "Inactive" },
];

/** The state in the address; any other value is all. */
export function stateOf(value: string): ActiveState {
  return value === "active" || value === "inactive" ? value : undefined;
}

/** The choice between them, also by the keys 1 to 3. */
export function StateTabs({ title, value, onChange }: {
  /** Names the keys in the dialog of shortcuts. */
  title: string;
  value: ActiveState;
  onChange: (value: string) => void;
}) {
  useShortcuts(title, tabKeys(tabs, onChange));
  return <Tabs label="State" value={value ?? ""} tabs={tabs} onChange={onChange} />;
}

/** Whether something is active. */
export function ActivePill({ active, not = "Inactive" }: { active: boolean; not?: string }) {
  return <Pill tone={active ? "good" : "quiet"}>{active ? "Active" : not}</Pill>;
}
