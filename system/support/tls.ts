/** A certificate for a proxy on 127.0.0.1, and clients that trust it. */
import { join } from "node:path";
import { run } from "../../test/support/command.ts";

/** What a proxy and its clients need for TLS. */
export interface Tls extends Disposable {
  /** The files, as configurations of proxies call them. */
  readonly words: { TLS_CERTIFICATE: string; TLS_KEY: string; TLS_PEM: string };
  /** The authority's certificate: a file, and its text. */
  readonly authority: { file: string; text: string };
  /** Trusts the certificate; for `fetch`. */
  readonly client: Deno.HttpClient;
}

/** Makes an authority and a certificate of it in a folder. Throws without OpenSSL. */
export async function makeTls(folder: string): Promise<Tls> {
  const file = (name: string) => join(folder, name);
  const make = async (...words: string[]) => {
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2"];
    const { code, stderr } = await run(["openssl", "req", "-x509", ...newKey, ...words]);
    if (code !== 0) throw new Error(`openssl is needed: ${stderr}`);
  };
  await make("-subj", "/CN=authority", "-keyout", file("ca.key"), "-out", file("ca.pem"));
  const names = ["basicConstraints=CA:FALSE", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  await make(
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-subj",
    "/CN=desk",
    ...names.flatMap((name) => ["-addext", name]),
    "-keyout",
    file("desk.key"),
    "-out",
    file("desk.pem"),
  );
  const [certificate, key, text] = await Promise.all(
    ["desk.pem", "desk.key", "ca.pem"].map((name) => Deno.readTextFile(file(name))),
  );
  await Deno.writeTextFile(file("both.pem"), `${certificate}${key}`, { mode: 0o600 });
  const client = Deno.createHttpClient({ caCerts: [text ?? ""] });
  return {
    words: {
      TLS_CERTIFICATE: file("desk.pem"),
      TLS_KEY: file("desk.key"),
      TLS_PEM: file("both.pem"),
    },
    authority: { file: file("ca.pem"), text: text ?? "" },
    client,
    [Symbol.dispose]: () => client.close(),
  };
}
