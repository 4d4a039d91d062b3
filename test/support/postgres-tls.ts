/**
 * Certificates for a PostgreSQL under test: an authority, a server of 127.0.0.1, one of another
 * host, a client.
 */
import { join } from "node:path";
import { id_kp_clientAuth, id_kp_serverAuth } from "@peculiar/asn1-x509";
import { issue, type Wanted } from "../../packages/x509/test/support/issue.ts";
import { newKey } from "../../packages/x509/test/support/keys.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";

/** Files of one authority and what it has signed, in a folder. */
export interface Certificates {
  readonly folder: string;
  path(name: "ca.pem" | "other-ca.pem" | "server" | "elsewhere" | "client"): string;
}

/** Makes the certificates: `<name>.pem` and `<name>.key`. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const make = async (name: string, wanted: Wanted) => {
    const made = issue({ key: newKey("P-256"), days: 2, ...wanted });
    await Deno.writeTextFile(at(`${name}.pem`), made.certificate);
    await Deno.writeTextFile(at(`${name}.key`), made.key, { mode: 0o600 });
    return made;
  };
  const authority = (name: string) =>
    make(name, { subject: { CN: name }, authority: true, keyIds: true });
  const issuer = await authority("ca");
  await authority("other-ca");
  const ordinary = { subject: { CN: "postgres" }, issuer };
  const names = [{ iPAddress: "127.0.0.1" }, { dNSName: "localhost" }];
  await make("server", { ...ordinary, names, usage: id_kp_serverAuth });
  const other = [{ dNSName: "db.example.org" }];
  await make("elsewhere", { ...ordinary, names: other, usage: id_kp_serverAuth });
  await make("client", { ...ordinary, usage: id_kp_clientAuth });
  return { folder, path: at };
}

/**
 * A server that takes TLS connections alone, with this certificate; `client` asks for the client's
 * too.
 */
export async function startTlsPostgres(
  certificates: Certificates,
  name: "server" | "elsewhere",
  options: { client?: boolean } = {},
): Promise<PostgresServer> {
  const server = await startPostgres();
  await server.kill("SIGINT");
  const data = join(server.folder, "data");
  const { uid, gid } = await Deno.stat(data);
  const sources = {
    "server.crt": `${certificates.path(name)}.pem`,
    "server.key": `${certificates.path(name)}.key`,
    "root.crt": certificates.path("ca.pem"),
  };
  for (const [target, source] of Object.entries(sources)) {
    const path = join(data, target);
    await Deno.writeTextFile(path, await Deno.readTextFile(source), { mode: 0o600 });
    await Deno.chown(path, uid, gid);
  }
  await Deno.writeTextFile(join(data, "postgresql.conf"), "ssl=on\nssl_ca_file='root.crt'\n", {
    append: true,
  });
  const demand = options.client ? " clientcert=verify-ca" : "";
  const rule = `hostssl all all 127.0.0.1/32 scram-sha-256${demand}\n`;
  await Deno.writeTextFile(join(data, "pg_hba.conf"), rule);
  await server.restart();
  return server;
}
