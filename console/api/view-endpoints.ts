import type * as views from "../../src/features/views/views.contract.ts";
import { route } from "./route.ts";

/** The endpoints of views and columns, as endpoints.ts has the others: these are loaded with the first list. */

export const listViews = route<typeof views.listViews>("GET", "/v1/views");
export const createView = route<typeof views.createView>("POST", "/v1/views");
export const updateView = route<typeof views.updateView>("PUT", "/v1/views/{id}");
export const deleteView = route<typeof views.deleteView>("DELETE", "/v1/views/{id}");
export const listColumns = route<typeof views.listColumns>("GET", "/v1/me/columns");
export const putColumns = route<typeof views.putColumns>("PUT", "/v1/me/columns");
