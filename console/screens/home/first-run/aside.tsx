import { getServerInfo } from "../../../api/endpoints.ts";
import { useCall } from "../../../api/queries.ts";
import { may } from "../../../api/session.ts";
import { CopyField } from "../../../parts/copy.tsx";
import { Fact, Facts } from "../../../parts/drawer.tsx";
import { LiveSteps } from "./live-steps.tsx";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** What stands beside the way to the first key. `isEmpty`: the demo still may come in. */
export function Aside({ isEmpty }: { isEmpty: boolean }) {
  const { data: server } = useCall(["server"], getServerInfo, {}, { enabled: may("admin:read") });
  return (
    <div class="start-aside">
      {isEmpty && (
        <section class="start-panel" aria-labelledby="start-look">
          <h2 id="start-look" class="start-title">Only looking?</h2>
          <p class="muted">Fills the empty desk with made-up developers and requests.</p>
          <CopyField label="On the server" text="npx keydesk seed" />
        </section>
      )}
      <LiveSteps />
      <section class="start-panel" aria-labelledby="start-keep">
        <h2 id="start-keep" class="start-title">Keep elsewhere</h2>
        <p class="muted">
          Keep the file <code>sealing-key</code>{" "}
          elsewhere too: without it, sealed secrets in a backup stay closed.
        </p>
        {server?.engine === "sqlite" && (
          <CopyField
            label="A backup, every night"
            text="npx keydesk backup /backup/desk.db"
            lines
          />
        )}
      </section>
      {server && (
        <section class="start-panel" aria-labelledby="start-desk">
          <h2 id="start-desk" class="start-title">This desk</h2>
          <Facts>
            <Fact name="Address" of={<code>{location.host}</code>} />
            <Fact name="Version">{server.version}</Fact>
            <Fact name="Store">{engines[server.engine]}</Fact>
          </Facts>
        </section>
      )}
    </div>
  );
}
