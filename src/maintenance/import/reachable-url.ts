import { SourceUnusable } from "./source.ts";

/** How a source is reached: by its option, in plain or over TLS. */
interface Way {
  /** Such as `--redis`. */
  option: string;
  /** Schemes, such as `redis:` and `rediss:`. */
  plain: string;
  secure: string;
  /** The option that gives the secret, for messages. */
  secretOption: string;
  /** True: named as a server that may be reached without TLS. */
  allowPlain: boolean;
}

/**
 * The URL of a source. Throws SourceUnusable for one that is none, holds a secret, or would carry
 * keys in plain.
 */
export function reachableUrl(text: string, way: Way): URL {
  const { option, plain, secure, secretOption, allowPlain } = way;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || ![plain, secure].includes(url.protocol)) {
    throw new SourceUnusable(
      `${option}: expected ${plain}//host or ${secure}//host, with its port`,
    );
  }
  if (url.username + url.password !== "") {
    throw new SourceUnusable(
      `${option}: everybody on this machine can read a password in an argument; give it by ${secretOption}`,
    );
  }
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === plain && !isHere && !allowPlain) {
    throw new SourceUnusable(
      `${option}: ${url.hostname} is reached by ${secure}// alone, since keys would cross the network in plain; --allow-plain where that is meant`,
    );
  }
  return url;
}
