/** The target of a line, and the certificates of both sides. */
export interface TlsPlace {
  readonly host: string;
  readonly port: number;
  /** Certificates of authorities that are trusted in place of the public ones, in PEM. */
  readonly ca?: string | undefined;
  /** This side's certificate and key, in PEM. */
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
}

/** A connection over TLS on which one side speaks. */
export interface TlsLine {
  /** Resolves when the system has taken all of it. Throws once the other side has ended it. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Ends the line. True: the other side ended it behind that, by TLS's own word or by TCP's without
   * a reset, so it has read all that was written: rsyslog's driver `gtls` says nothing in TLS.
   * False: it can't be known.
   */
  end(): Promise<boolean>;
  /** Gives it up. */
  drop(): void;
}

/**
 * Connects. Throws where no one answers, or the certificate is none of an authority that is
 * trusted, for this host and this moment.
 */
export async function openTlsLine({ host, port, ca, client }: TlsPlace): Promise<TlsLine> {
  const connection = await Deno.connectTls({
    hostname: host.replace(/^\[(.*)\]$/, "$1"),
    port,
    ...ca === undefined ? {} : { caCerts: [ca] },
    ...client === undefined ? {} : { cert: client.cert, key: client.key },
  });
  let isEnding = false;
  const drop = () => {
    try {
      connection.close();
    } catch {
      // It is closed.
    }
  };
  try {
    await connection.handshake();
  } catch (error) {
    drop();
    throw error;
  }
  let ended: Error | undefined;
  const heard = listen(connection, () => isEnding).then(
    (inOrder) => {
      if (!inOrder) ended = new Error("the other side has ended the connection");
      return inOrder;
    },
    (error: unknown) => {
      ended = error instanceof Error ? error : new Error(String(error));
      return false;
    },
  );
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length;) {
        if (ended) throw ended;
        at += await connection.write(bytes.subarray(at));
      }
      if (ended) throw ended;
    },
    end: async () => {
      if (ended) return false;
      isEnding = true;
      try {
        await connection.closeWrite();
        return await heard;
      } catch {
        return false;
      } finally {
        drop();
      }
    },
    drop,
  };
}

/** Reads what no one expects until the other side ends; whether it waited for our end. */
async function listen(connection: Deno.TlsConn, isEnding: () => boolean): Promise<boolean> {
  const unread = new Uint8Array(1024);
  try {
    // Throws where the connection was reset, or ended without a word of TLS.
    while (await connection.read(unread) !== null);
  } catch (error) {
    if (!(error instanceof Deno.errors.UnexpectedEof) || !isEnding()) throw error;
  }
  return isEnding();
}
