/** An answer with headers of its own, such as `ETag`, `Link` or `Set-Cookie`, beside those that every answer has. */
export class Answer<T> {
  constructor(
    readonly value: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
