import type * as jobs from "../../src/features/jobs/jobs.contract.ts";
import { route } from "./route.ts";

/** The endpoints of jobs, as endpoints.ts has the others: these are loaded with the first job. */

export const startJob = route<typeof jobs.startJob>("POST", "/v1/jobs");
export const listJobs = route<typeof jobs.listJobs>("GET", "/v1/jobs");
export const countSelection = route<typeof jobs.countSelection>("GET", "/v1/jobs/selection");
export const getJob = route<typeof jobs.getJob>("GET", "/v1/jobs/{id}");
export const stopJob = route<typeof jobs.stopJob>("POST", "/v1/jobs/{id}/stop");
export const getJobResult = route<typeof jobs.getJobResult>("GET", "/v1/jobs/{id}/result");
export const takeJobLinks = route<typeof jobs.takeJobLinks>("POST", "/v1/jobs/{id}/links");
