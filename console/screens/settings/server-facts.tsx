import { getServerInfo } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { grouped } from "../../api/numbers.ts";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** The server's version and settings. */
export function ServerFacts() {
  const { data, error, refetch } = useCall(["server"], getServerInfo, {});
  if (!data) return <Unread of={{ error, refetch }} />;
  const { settings } = data;
  return (
    <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label="Server">
      {data.problems.map(({ name, reason }) => (
        <p key={name} class="notice is-warning">{say`${name.replaceAll("_", " ")}: ${reason}`}</p>
      ))}
      {data.warnings.map((warning) => <p key={warning} class="notice is-warning">{warning}</p>)}
      <h2 class="group-title">Server</h2>
      <Facts>
        <Fact name="Version">{data.version}</Fact>
        <Fact name="Store">{engines[data.engine]}, schema {data.schema_version}</Fact>
        <Fact name="Up for">{spanOf(data.uptime_seconds)}</Fact>
        {data.nodes.length > 1 && (
          <Fact name="Nodes">
            {listed(data.nodes.map(({ name, state }) => say`${name} (${state})`))}
          </Fact>
        )}
        <Fact name="Last backup">
          {data.backup.at ? <Time at={data.backup.at} /> : "None is known"}
        </Fact>
        <Fact name="Checkpoints">
          {data.checkpoints_go_to.length === 0
            ? "None of the audit log goes outside"
            : say`Of the audit log, to ${listed(data.checkpoints_go_to)}`}
        </Fact>
      </Facts>
      <h2 class="group-title">Settings</h2>
      <Facts>
        <Fact name="Page size">{settings.page_size} rows on a page of /api</Fact>
        <Fact name="References">
          {settings.references === "strict"
            ? "Plans and developers must exist"
            : "Plans and developers that don’t exist are accepted"}
        </Fact>
        <Fact name="Secrets">
          {settings.mask_secrets ? "Masked in every answer" : "Shown to those who may read them"}
        </Fact>
        <Fact name="Revoking">
          At most {grouped(settings.revoke_rate_limit)}{" "}
          keys an hour by an access token that may not approve
        </Fact>
        <Fact name="Certificates">
          {settings.certs_filter === "always"
            ? "The older list is always filtered"
            : "The older list is filtered where it gives details"}
          {settings.certs_answer === "original" &&
            ", with only the members of Tyk’s classic portal"}
        </Fact>
      </Facts>
      <p class="muted settings-note">
        These come from the environment that the server was started with; docs/settings.md lists all
        of them.
      </p>
    </div>
  );
}

/** "3 days, 4 hours". */
function spanOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const parts = [[days, "day"], [hours, "hour"], [minutes % 60, "minute"]] as const;
  const units = parts.filter(([count]) => count > 0).slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? "" : "s"}`);
  return listed(units) || "less than a minute";
}
