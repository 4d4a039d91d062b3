import { useState } from "preact/hooks";
import { may, session } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { idOf, keepRow } from "../../parts/list-place.ts";
import { focusRow } from "../../parts/list-table.tsx";
import { useOpenId } from "../../parts/open-id.ts";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { OrganisationForm } from "./organisation-form.tsx";
import { OrganisationTable } from "./organisation-table.tsx";
import { PersonForm } from "./person-dialogs.tsx";
import { PersonDrawer } from "./person-drawer.tsx";
import { PersonTable } from "./person-table.tsx";
import { InvitePerson } from "./invite.tsx";
import { type Person, readPeople } from "./person.ts";
import { ServerFacts } from "./server-facts.tsx";
import styles from "./settings.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const YourFacts = lazily(() => import("./your-facts.tsx"));
const Elevations = lazily<{ adds: boolean; onDone: () => void }>(() => import("./elevations.tsx"));
const Roles = lazily(() => import("./roles.tsx"));
const Targets = lazily(() => import("./targets.tsx"));
const AlertRules = lazily(() => import("./alert-rules.tsx"));
const BrandFacts = lazily(() => import("./brand-facts.tsx"));
const SignInFacts = lazily(() => import("./sign-in-facts.tsx"));
const PagesFacts = lazily(() => import("./pages-facts.tsx"));

/**
 * One's own session; for administrators people with their access tokens, organisations and the
 * server. Who only reads what they do sees the same, without what changes it.
 */
export default function SettingsScreen() {
  // What somebody may change decides how high the head is.
  if (session.value === "unknown") return <Page title="Settings">{null}</Page>;
  if (may("admin:read")) return <Administration />;
  return (
    <Page title="Settings">
      <YourFacts />
    </Page>
  );
}

function Administration() {
  const [{ show }, setFilters] = useFilters(["show"]);
  const [openId, open] = useOpenId("/settings");
  const [adds, setAdds] = useState(false);
  const [invites, setInvites] = useState(false);
  const [turn, setTurn] = useState(0);
  const list = useList<Person>(
    `people ${turn}`,
    idOf,
    (cursor) => readPeople(PAGE, cursor),
  );
  const tabs = [
    { value: "", text: "People" },
    ...may("operator") ? [{ value: "organisations", text: "Organisations" }] : [],
    { value: "targets", text: "Targets" },
    { value: "alerts", text: "Alerts" },
    { value: "you", text: "You" },
    { value: "brand", text: "Brand" },
    { value: "server", text: "Server" },
    { value: "pages", text: "Pages" },
    { value: "sign-in", text: "Sign-in" },
  ];
  const tab = tabs.some(({ value }) => value === show) ? show : "";
  const go = (value: string) => {
    if (openId !== undefined) open(undefined);
    setFilters({ show: value });
  };
  // A part of People, with an address of its own.
  const isRoles = show === "roles";
  const isElevations = show === "elevations";
  const isPeople = !isRoles && !isElevations;
  const canAdd = may("admin") && (tab === "" || tab === "organisations");
  useShortcuts("Settings", [
    { keys: ["n"], label: "Add", run: () => setAdds(true), when: () => canAdd },
    ...tabs.map(({ value, text }, index) => ({
      keys: [String(index + 1)],
      label: text,
      run: () => go(value),
    })),
  ]);
  useWanted("/settings", () => setAdds(may("admin")));
  const tabsLine = <Tabs label="Part" value={tab} tabs={tabs} onChange={go} />;
  if (tab === "targets") return <Targets tabs={tabsLine} />;
  return (
    <Page
      title="Settings"
      tabs={tabsLine}
      tools={
        <>
          {tab === "" && !isPeople && <Button onClick={() => go("")}>People</Button>}
          {tab === "" && isPeople && (
            <>
              <Button onClick={() => go("elevations")}>Elevations</Button>
              <Button onClick={() => go("roles")}>Roles</Button>
            </>
          )}
          {canAdd && tab === "" && isPeople && (
            <Button onClick={() => setInvites(true)}>Invite a person</Button>
          )}
          {canAdd && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>
              {isRoles
                ? "Add a role"
                : isElevations
                ? "Add a rule"
                : tab === ""
                ? "Add a person"
                : "Add an organisation"}
            </Button>
          )}
        </>
      }
      drawer={tab === "" && isPeople && openId !== undefined && (
        <PersonDrawer
          key={openId}
          id={openId}
          onRead={(person) => keepRow(list, person)}
          onClose={() => {
            open(undefined);
            focusRow(openId);
          }}
        />
      )}
    >
      {isRoles && (
        <Roles
          adds={adds}
          onDone={() => {
            setAdds(false);
            // Whoever has one may do something else now.
            setTurn((one) => one + 1);
          }}
        />
      )}
      {isElevations && <Elevations adds={adds} onDone={() => setAdds(false)} />}
      {tab === "" && isPeople && <PersonTable list={list} onAdd={() => setAdds(true)} />}
      {tab === "organisations" && <OrganisationTable onAdd={() => setAdds(true)} />}
      {tab === "alerts" && <AlertRules />}
      {tab === "you" && <YourFacts />}
      {tab === "brand" && <BrandFacts />}
      {tab === "server" && <ServerFacts />}
      {tab === "pages" && <PagesFacts />}
      {tab === "sign-in" && <SignInFacts />}
      {adds && tab === "" && isPeople && (
        <PersonForm
          onSaved={({ id }) => {
            setTurn((one) => one + 1);
            open(id);
          }}
          onClose={() => setAdds(false)}
        />
      )}
      {invites && (
        <InvitePerson
          onDone={(id) => {
            setInvites(false);
            setTurn((one) => one + 1);
            open(id);
          }}
          onClose={() => setInvites(false)}
        />
      )}
      {adds && tab === "organisations" && <OrganisationForm onClose={() => setAdds(false)} />}
    </Page>
  );
}
