import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import {
  bodyOf,
  COSIGNATURE,
  keyHashBytes,
  newSigningKey,
  parseVerifier,
  readCheckpoint,
  textOfKey,
  type TreeHead,
} from "../../packages/audit-log/checkpoint.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { parseWitness, type Witness } from "../../src/maintenance/audit-log/witness.ts";
import { isConsistent } from "./consistency.ts";

/** What a witness answers over the wire. */
interface Said {
  status: number;
  headers: Headers;
  body: string;
}

/** A witness of C2SP's tlog-witness: it signs a head where the log goes on from what it signed. */
export class TestWitness {
  readonly witness: Witness;
  /** Who may sign the heads of each log, as `keydesk audit checkpoint --keys` prints them. */
  readonly keys = new Map<string, readonly string[]>();
  /** The longest head of each log that it signed. */
  readonly known = new Map<string, { size: number; root: string }>();
  readonly #name: string;
  readonly #privateKey: string;

  constructor(name: string) {
    const { private_key, public_key } = newSigningKey();
    this.#name = name;
    this.#privateKey = private_key;
    const witness = parseWitness(
      `http://${name}/w#${textOfKey({ name, public_key }, COSIGNATURE)}`,
    );
    if (!witness) throw new Error(`${name} names no witness`);
    this.witness = witness;
  }

  /** What it answers to the body of `add-checkpoint`. */
  addCheckpoint(text: string): Said {
    const end = text.indexOf("\n\n");
    const [first = "", ...lines] = text.slice(0, end).split("\n");
    const old = Number(first.slice("old ".length));
    const proof = lines.map((line) => Buffer.from(line, "base64").toString("hex"));
    const note = text.slice(end + 2);
    const { head } = readCheckpoint(note, []);
    const keys = this.keys.get(head.origin);
    if (!keys) return said(404);
    if (!readCheckpoint(note, keys.map(parseVerifier)).signedBy) return said(403);
    const known = this.known.get(head.origin) ?? { size: 0, root: "" };
    const isFork = head.size === known.size && head.size > 0 && head.root !== known.root;
    if (old !== known.size || isFork) {
      return said(409, `${known.size}\n`, { "content-type": "text/x.tlog.size" });
    }
    if (!goesOn(known, head, proof)) return said(422);
    this.known.set(head.origin, { size: head.size, root: head.root });
    return said(200, this.#cosign(head));
  }

  /** C2SP tlog-cosignature, Ed25519. */
  #cosign(head: TreeHead): string {
    const seconds = Math.floor(Date.now() / 1000);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const text = `cosignature/v1\ntime ${seconds}\n${bodyOf(head)}`;
    const der = Buffer.from(this.#privateKey, "base64");
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const signed = Buffer.concat([
      keyHashBytes(this.#name, this.witness.key.public_key, COSIGNATURE),
      time,
      sign(null, Buffer.from(text), key),
    ]);
    return `\u2014 ${this.#name} ${signed.toString("base64")}\n`;
  }
}

function said(status: number, body = "", headers: Record<string, string> = {}): Said {
  return { status, body, headers: new Headers(headers) };
}

function goesOn(
  known: { size: number; root: string },
  head: TreeHead,
  proof: readonly string[],
): boolean {
  if (head.size === 0) return head.root === sha256("") && proof.length === 0;
  return known.size === 0 ? proof.length === 0 : isConsistent(known, head, proof);
}
