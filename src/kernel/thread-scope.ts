/** What a thread has for whoever started it: the global scope of a dedicated worker (HTML 10.2). */
export interface ThreadScope<Sent, Answer> {
  onmessage: (event: MessageEvent<Sent>) => void;
  postMessage(answer: Answer): void;
}
