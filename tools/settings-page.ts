import { type SettingRow, settingsTable } from "../src/settings-table.ts";

/** The page of settings, `docs/settings.md`. */
export function settingsText(): string {
  const groups = Map.groupBy(settingsTable(), ({ group }) => group);
  // What the first hour asks for stands first.
  const titles = ["Server", ...[...groups.keys()].filter((title) => title !== "Server")];
  return `# Settings

Written by \`npm run generate\` from \`src/config.ts\`; change it there.

All settings come from the environment of the process that \`keydesk\` starts as, and every command reads the same ones;
\`keydesk serve --help\` lists them too. An unknown name that begins with \`KEYDESK_\` is refused, so that a typing error
can't go unnoticed. An empty value is the same as none. Nothing is read again while the server runs.

\`\`\`sh
KEYDESK_PORT=8080 KEYDESK_DATA_DIR=/var/lib/keydesk node bin/keydesk.js serve
\`\`\`

Where systemd keeps them: [operating](operating.md#systemd).
${titles.map((title) => section(title, groups.get(title) ?? [])).join("")}`;
}

function section(title: string, rows: SettingRow[]): string {
  const lines = rows.map((row) => {
    const fallback = row.default === "" ? "" : `\`${row.default}\``;
    return `| \`${row.name}\` | ${fallback} | ${row.values} | ${row.meaning} |`;
  });
  return `
## ${title}

| Setting | Default | Values | Meaning |
|---|---|---|---|
${lines.join("\n")}
`;
}
