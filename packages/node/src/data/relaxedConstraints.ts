import { decodePromoted, type OplogOperation } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/** Upstream: oplog_constraint_violation_logger.cpp, kPeriodicLogTimeout. */
const LOG_INTERVAL_MS = 600_000;

/** What is said of each violation, under mongod's names for their counters. */
const MESSAGES = {
  insertOnExistingDoc: 'an insert found its document already there',
  updateOnMissingDoc: 'an update did not find its document',
  deleteWasEmpty: 'a delete did not find its document',
  deleteFromMissingNamespace: 'a delete did not find its collection',
} as const;

export type ConstraintViolation = keyof typeof MESSAGES;

/**
 * How often steady replication found other data than its source's, and made the best of it. Where entries are replayed on
 * data of a later moment, as in recovery and initial sync, that is as it should be, and nothing is counted.
 * Upstream: op_counters.cpp, constraintsRelaxed; oplog_constraint_violation_logger.cpp.
 */
export class RelaxedConstraints {
  readonly #core: Core;
  readonly counts: Record<ConstraintViolation, number> = {
    insertOnExistingDoc: 0,
    updateOnMissingDoc: 0,
    deleteWasEmpty: 0,
    deleteFromMissingNamespace: 0,
  };
  /** By the wall clock, ms since 1970. */
  readonly #lastLogged = new Map<ConstraintViolation, number>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Counts each one, and logs one of a kind in ten minutes. */
  found(violation: ConstraintViolation, { op, ns, o, o2 }: OplogOperation): void {
    this.counts[violation] += 1;
    const { wallMs } = this.#core.now;
    const last = this.#lastLogged.get(violation);
    if (last !== undefined && wallMs < last + LOG_INTERVAL_MS) return;
    this.#lastLogged.set(violation, wallMs);
    this.#core.log('W', 'REPL', 7149000, 'An operation of the oplog does not fit the data it is applied to', {
      msg: MESSAGES[violation],
      obj: { op, ns, o: decodePromoted(o), ...(o2 && { o2: decodePromoted(o2) }) },
    });
  }
}
