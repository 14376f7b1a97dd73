import { decodePromoted, type OplogEntry, type OpTime, required, type Timestamp } from '@replsim/protocol';
import type { Core } from '../../core/core.ts';

/** What a rollback did, for the log. */
export interface Outcome {
  readonly startedMs: number;
  readonly source: string;
  readonly rbid: number;
  readonly keptFiles: boolean;
  readonly commonPoint: OpTime;
  readonly lastUndone: OpTime;
  readonly undone: readonly OplogEntry[];
  readonly stable: Timestamp;
}

/** Upstream: rollback_impl.cpp, _processRollbackOp. */
export function logCommandCounts(core: Core, undone: readonly OplogEntry[]): void {
  const counts = countCommands(undone);
  core.log('I', 'ROLLBACK', 21599, 'Rollback reverted command counts', {
    insert: counts.get('insert') ?? 0,
    update: counts.get('update') ?? 0,
    delete: counts.get('delete') ?? 0,
  });
}

/** Upstream: rollback_impl.cpp, _summarizeRollback. No shard and no config server is ever rolled back here. */
export function logSummary(core: Core, outcome: Outcome): void {
  const { startedMs, source, rbid, keptFiles, commonPoint, lastUndone, undone, stable } = outcome;
  const firstWallMs = required(undone[0], 'entry that was undone').wallMs;
  const lastWallMs = required(undone.at(-1), 'entry that was undone').wallMs;
  core.log('I', 'ROLLBACK', 21612, 'Rollback summary', {
    startTime: new Date(startedMs),
    endTime: new Date(core.now.wallMs),
    syncSource: source,
    ...(keptFiles && { rollbackDataFileDirectory: 'rollback' }),
    rbid,
    lastOptimeRolledBack: lastUndone,
    commonPoint,
    lastWallClockTimeRolledBack: new Date(lastWallMs),
    firstOpWallClockTimeAfterCommonPoint: new Date(firstWallMs),
    wallClockTimeDiff: Math.floor((lastWallMs - firstWallMs) / 1000),
    truncateTimestamp: commonPoint.ts,
    stableTimestamp: stable,
    shardIdentityRolledBack: false,
    configServerConfigVersionRolledBack: false,
    affectedSessions: sessionsOf(undone),
    affectedNamespaces: namespacesOf(undone),
    rollbackCommandCounts: Object.fromEntries([...countCommands(undone)].sort(([a], [b]) => (a < b ? -1 : 1))),
    totalEntriesRolledBackIncludingNoops: undone.length,
  });
}

const CRUD: Readonly<Record<string, string>> = { i: 'insert', u: 'update', d: 'delete' };

function countCommands(undone: readonly OplogEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { operations } of undone) {
    for (const { op, o } of operations) {
      const name = op === 'c' ? Object.keys(decodePromoted(o))[0] : CRUD[op];
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function namespacesOf(undone: readonly OplogEntry[]): string[] {
  const operations = undone.flatMap((entry) => entry.operations);
  return [...new Set(operations.filter(({ op }) => op !== 'n').map(({ ns }) => ns))].sort();
}

function sessionsOf(undone: readonly OplogEntry[]): unknown[] {
  const byId = new Map<string, unknown>();
  for (const { bytes } of undone) {
    const { lsid } = decodePromoted(bytes) as { lsid?: { id: unknown } };
    if (lsid) byId.set(String(lsid.id), lsid.id);
  }
  return [...byId.values()];
}
