import { abuse } from './abuse.ts';
import { access, invariants, ledger } from './additions.ts';
import { atOnce } from './atOnce.ts';
import { causes } from './causes.ts';
import { bareWrites, failoverSeen, jumpOverPass, writes } from './clients.ts';
import { coldStart } from './coldStart.ts';
import { eventQueue, failovers, idle, majorityInserts, memory } from './core.ts';
import { explored, exploredAtOnce } from './explored.ts';
import { growth } from './growth.ts';
import { idleConnections } from './idleConnections.ts';
import { idleStreams } from './idleStreams.ts';
import { firstMajorityWrites, manyTestFiles, stopIdle } from './kit.ts';
import { livePage } from './livePage.ts';
import type { Figure } from './measure.ts';
import { scales } from './scales.ts';
import { studio } from './studio.ts';
import { sessionWrites, transactions } from './transactions.ts';
import { manyIndexes, tenMillion, ttlDeletes } from './ttl.ts';

type Figures = Figure | readonly Figure[];

/** Figures that are measured in one go, and what they are about. */
export interface Group {
  readonly what: string;
  readonly figures: readonly (() => Promise<Figures> | Figures)[];
}

/** By the names that `npm run bench` takes, in the order in which all are measured: the first leave no memory behind. */
export const GROUPS: Readonly<Record<string, Group>> = {
  clients: {
    what: 'what the driver sees: inserts, a failover, a jump over a TTL pass, a thousand idle connections',
    figures: [idleConnections, failoverSeen, writes, bareWrites, jumpOverPass],
  },
  kit: {
    what: 'what a test suite pays: the first write, 200 files with a set each, stop()',
    figures: [firstMajorityWrites, stopIdle, manyTestFiles],
  },
  invariants: { what: 'what holding the invariants adds to an insert', figures: [invariants] },
  ledger: { what: 'what the account of acknowledged writes adds to an insert', figures: [ledger] },
  access: { what: 'what access control adds to an insert', figures: [access] },
  causes: { what: 'what the trace costs, and what causes add to it', figures: [causes] },
  live: { what: 'what the studio adds to an insert, with nobody and with somebody watching', figures: [livePage] },
  transactions: {
    what: 'a transaction, 50,000 documents in one, a write in a session, idle change streams',
    figures: [transactions, sessionWrites, idleStreams],
  },
  growth: { what: 'what twice as many elements or documents cost one command', figures: [growth] },
  scales: { what: 'the exponent by which a cost grows with documents, members, clients …', figures: [scales] },
  queue: { what: 'the queue of events alone', figures: [eventQueue] },
  idle: {
    what: 'how fast time passes for 3, 7 and 50 members that nobody asks anything',
    figures: [() => idle(3, 10_000), () => idle(7, 2000), () => idle(50, 60)],
  },
  failovers: { what: 'kill the primary, start it, elect', figures: [failovers] },
  ttl: {
    what: 'TTL deletes, and a pass over a thousand indexes',
    figures: [() => ttlDeletes(1), () => ttlDeletes(3), manyIndexes],
  },
  tenMillion: { what: 'ten million documents with a TTL index; takes minutes and 20 GiB', figures: [tenMillion] },
  majority: { what: 'inserts at w: majority by a hundred clients, without sockets', figures: [majorityInserts] },
  memory: { what: 'the memory that a document takes in a set of three', figures: [memory] },
  cold: { what: 'a small scenario from the shell, beside an empty Node process', figures: [coldStart] },
  jobs: { what: 'all scenarios, two at once, one after the other, and on one core', figures: [atOnce] },
  runs: { what: 'many runs of one scenario, in one process', figures: [explored] },
  explore: { what: 'the same, and `--jobs 2`', figures: [explored, exploredAtOnce] },
  abuse: { what: 'how long others wait while one client sends the worst that limits allow', figures: [abuse] },
  studio: { what: 'the studio: its first click, frames, the worker; needs Chromium', figures: [studio] },
};

/** Part of another group, or a table of its own that takes minutes: not measured when all are. */
const ALONE = ['runs', 'abuse'];

/** Those that are measured unless some are named. */
export const ALL_GROUPS: readonly string[] = Object.keys(GROUPS).filter((name) => !ALONE.includes(name));
