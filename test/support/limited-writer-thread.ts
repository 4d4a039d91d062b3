// The writer's thread, and one transaction for tests more.
import "./limited-transactions.ts";
import "../../src/writer-thread.ts";
