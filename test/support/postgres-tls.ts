/** Certificates for a PostgreSQL under test: an authority, a server of 127.0.0.1, one of another host, a client. */
import { join } from "node:path";
import { openssl } from "../features/certificates/support/openssl.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";

/** Files of one authority and what it has signed, in a folder. */
export interface Certificates {
  readonly folder: string;
  path(name: "ca.pem" | "other-ca.pem" | "server" | "elsewhere" | "client"): string;
}

/** Makes the certificates: `<name>.pem` and `<name>.key`. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const authority = (name: string) =>
    openssl([
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`],
      ...["-keyout", at(`${name}.key`), "-out", at(`${name}.pem`)],
    ]);
  authority("ca");
  authority("other-ca");
  const names = { server: "IP:127.0.0.1,DNS:localhost", elsewhere: "DNS:db.example.org" };
  for (const name of ["server", "elsewhere", "client"] as const) {
    openssl([
      ...["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=postgres"],
      ...["-keyout", at(`${name}.key`), "-out", at(`${name}.csr`)],
    ]);
    const extension = name === "client"
      ? "extendedKeyUsage=clientAuth"
      : `subjectAltName=${names[name]}\nextendedKeyUsage=serverAuth`;
    await Deno.writeTextFile(at(`${name}.ext`), extension);
    openssl([
      ...["x509", "-req", "-in", at(`${name}.csr`), "-CA", at("ca.pem"), "-CAkey", at("ca.key")],
      ...["-CAcreateserial", "-days", "2", "-out", at(`${name}.pem`)],
      ...["-extfile", at(`${name}.ext`)],
    ]);
  }
  return { folder, path: at };
}

/** A server that takes TLS connections alone, with this certificate; `client` asks for the client's too. */
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
