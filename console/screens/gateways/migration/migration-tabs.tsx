import { useLocation } from "wouter-preact";
import { known, may } from "../../../api/session.ts";
import { Tabs } from "../../../parts/tabs.tsx";

/** The address of the move from an old gateway. */
export const MIGRATION = "/gateways/migration";

const tabs = [
  { value: "/gateways", text: "All" },
  { value: MIGRATION, text: "Migration" },
];

/** The choice between gateways and the migration, while there is one or one looks at it. */
export function MigrationTabs() {
  const [path, navigate] = useLocation();
  const isHere = path.startsWith(MIGRATION);
  if (!isHere && !(may("portal:read") && known()?.moving)) return null;
  return (
    <Tabs
      label="Show"
      value={isHere ? MIGRATION : "/gateways"}
      tabs={tabs}
      onChange={(value) => navigate(value)}
    />
  );
}
