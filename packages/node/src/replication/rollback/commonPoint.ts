import type { Operation } from '@replsim/operations';
import { findCommonPoint } from '@replsim/oplog';
import type { OplogScanReply, OpTime, Timestamp } from '@replsim/protocol';
import { call } from '../../core/call.ts';
import type { Replication } from '../replication.ts';

/** Upstream: rollbackRemoteOplogCursorBatchSize. */
const SCAN_BATCH_SIZE = 2000;
/** Upstream: oplog_interface_remote.cpp, the connection's socket timeout. Unit: ms. */
const SCAN_TIMEOUT_MS = 600_000;

/**
 * Reads the source's oplog backwards until an entry is found that this member holds too.
 * Throws CommandError when the source does not answer. @returns undefined if the oplogs have nothing in common
 */
export function* searchCommonPoint(repl: Replication, source: string): Operation<OpTime | undefined> {
  let before: Timestamp | undefined;
  for (;;) {
    const command = {
      find: 'oplog.rs',
      sort: { $natural: -1 },
      ...(before && { before }),
      batchSize: SCAN_BATCH_SIZE,
    } as const;
    const reply: OplogScanReply = yield* call<OplogScanReply>(repl.core, source, 'fetch', command, SCAN_TIMEOUT_MS);
    const found = findCommonPoint(repl.oplog, reply.opTimes);
    const oldest = reply.opTimes.at(-1);
    if (found || !oldest) return found;
    before = oldest.ts;
  }
}
