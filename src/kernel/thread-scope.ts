/** A thread's global scope, as its starter uses it: that of a dedicated worker (HTML 10.2). */
export interface ThreadScope<Sent, Answer> {
  onmessage: (event: MessageEvent<Sent>) => void;
  postMessage(answer: Answer): void;
}
