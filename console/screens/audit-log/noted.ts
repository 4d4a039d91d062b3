import { lazily } from "../../parts/lazily.tsx";

/** The details of an event: read with the first one that is opened. */
export const NotedValue = lazily(
  async () => ({ default: (await import("./noted-value.tsx")).NotedValue }),
);

/** Likewise. */
export const WhatChanged = lazily(
  async () => ({ default: (await import("./what-changed.tsx")).WhatChanged }),
);
