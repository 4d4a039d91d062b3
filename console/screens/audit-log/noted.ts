import { lazily } from "../../parts/lazily.tsx";

/** What an event noted: read with the first one that is opened. */
export const NotedValue = lazily(
  async () => ({ default: (await import("./noted-value.tsx")).NotedValue }),
);

/** Likewise. */
export const WhatChanged = lazily(
  async () => ({ default: (await import("./what-changed.tsx")).WhatChanged }),
);
