import type { Transaction } from "../../src/storage/storage.ts";
import { transactions } from "../../src/transactions.ts";
import { limitPages } from "./limit-pages.ts";

// as: the list is an array; the writer's thread reads it when a store is opened.
(transactions as Transaction<never, unknown>[]).push(limitPages);
