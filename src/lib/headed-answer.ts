/** Text of another kind than JSON, written already: a page, a script, a style sheet. */
export class WrittenText {
  constructor(readonly text: string) {}
}

/** The same in bytes, such as a file. */
export class WrittenBytes {
  constructor(readonly bytes: Uint8Array) {}
}

/** An answer with headers of its own, which stand in place of the usual ones of that name. Names in lower case. */
export class HeadedAnswer<T> {
  constructor(
    readonly output: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
