/** Every feature, loaded before the first call: loading takes turns that no seed decides. */
import { features as lazy } from "../../../src/endpoints.ts?lazy";

const loaded = await Promise.all(
  Object.entries(lazy).map(async ([name, load]) => {
    const routes = await load();
    return [name, () => Promise.resolve(routes)] as const;
  }),
);

/** The same names; each resolves at once. */
export const features = Object.fromEntries(loaded);
