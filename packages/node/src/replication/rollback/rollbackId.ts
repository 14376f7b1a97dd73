import { BsonWriter } from '@replsim/protocol';
import type { LocalDocuments } from '../../data/local.ts';

const ROLLBACK_ID = 'local.system.rollback.id';
/** What a member begins with. Upstream: replication_process.cpp, initializeRollbackID. */
const FIRST = 1;

/** The number of a member's rollbacks, and one, as the disk has it; a disk that has none gets the first. */
export function loadRollbackId(local: LocalDocuments): number {
  const stored = local.get(ROLLBACK_ID);
  if (!stored) storeRollbackId(local, FIRST);
  return Number(stored?.rollbackId ?? FIRST);
}

/** Replaces it; a caller that needs it durable waits for the journal. */
export function storeRollbackId(local: LocalDocuments, rbid: number): void {
  const writer = new BsonWriter();
  writer.string('_id', 'rollbackId');
  writer.int32('rollbackId', rbid);
  local.set(ROLLBACK_ID, writer.finish());
}
