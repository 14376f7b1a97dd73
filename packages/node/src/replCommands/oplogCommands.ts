import { atOnce, type CommandContext, type CommandDefinition } from '@replsim/database';
import { oplogNoteOperation } from '@replsim/oplog';
import { fieldSet, numberOf, type Reply } from '@replsim/pipeline';
import { CommandError, compareTimestamps, RawBson, readInt32, readTimestamp } from '@replsim/protocol';
import type { ReplCommandHost } from './replCommandHost.ts';

const resizeFields = fieldSet('replSetResizeOplog', 'size', 'minRetentionHours');
const noteFields = fieldSet('appendOplogNote', 'data', 'maxClusterTime');
const filesFields = fieldSet('replsimRollbackFiles', 'path');

/** MB. Upstream: replSetResizeOplog's IDL. */
const LEAST_OPLOG_MB = 990;
const GREATEST_OPLOG_MB = 1024 * 1024 * 1024;

/** Commands about this member's own oplog and what a rollback left of it. */
export function oplogCommands(host: ReplCommandHost): CommandDefinition[] {
  return [
    {
      name: 'replSetResizeOplog',
      help: 'changes how much oplog a member keeps',
      auth: { action: 'replSetResizeOplog', resource: 'cluster' },
      api: 'none',
      kind: 'other',
      secondaries: 'always',
      maintenanceOk: true,
      adminOnly: true,
      run: atOnce((context) => resizeOplog(host, context)),
    },
    {
      name: 'appendOplogNote',
      help: 'writes a no-op that says something into the oplog',
      auth: { action: 'appendOplogNote', resource: 'cluster' },
      api: 'none',
      secondaries: 'never',
      maintenanceOk: false,
      adminOnly: true,
      kind: 'write',
      run: atOnce((context) => appendOplogNote(host, context)),
    },
    {
      name: 'replsimRollbackFiles',
      help: 'shows what rollbacks removed from this member',
      // As all commands of ours: for those who manage the host.
      auth: { action: 'setParameter', resource: 'cluster' },
      api: 'none',
      kind: 'other',
      secondaries: 'always',
      maintenanceOk: true,
      adminOnly: true,
      run: atOnce((context) => rollbackFiles(host, context)),
    },
  ];
}

/**
 * `{ replSetResizeOplog: 1, size?: MB, minRetentionHours? }`, of this member alone. The size outlives the process.
 * Errors: Location51024 for a size below 990 or above 1 PB and for negative hours, TypeMismatch 14, NamespaceNotFound 26
 * where there is no oplog. Upstream: resize_oplog.cpp.
 */
function resizeOplog(host: ReplCommandHost, { args }: CommandContext): Reply {
  args.allow(resizeFields);
  const size = optionalNumber(args, 'size');
  const hours = optionalNumber(args, 'minRetentionHours');
  requireBounds('size', size, LEAST_OPLOG_MB, GREATEST_OPLOG_MB);
  requireBounds('minRetentionHours', hours, 0);
  const { oplogCap, repl, core } = host;
  if (!repl && host.oplog.length === 0) throw new CommandError('NamespaceNotFound', 'oplog does not exist');
  if (size !== undefined) {
    oplogCap.changedToBytes = Math.floor(size) * 1024 * 1024;
    host.journal.oplogResized(oplogCap.changedToBytes);
  }
  if (hours !== undefined) oplogCap.minRetentionHours = hours;
  core.log('I', 'REPL', 20497, 'replSetResizeOplog success', {
    size: oplogCap.sizeBytes,
    minRetentionHours: oplogCap.minRetentionHours,
  });
  repl?.localOplog.truncateHead();
  return {};
}

/**
 * `{ appendOplogNote: 1, data, maxClusterTime? }`: a no-op that says something.
 * Errors: NoReplicationEnabled 76, StaleClusterTime 209 where the oplog has reached `maxClusterTime`, 40414 without
 * `data`. Upstream: oplog_note.cpp, AppendOplogNoteCmd.
 */
function appendOplogNote({ repl }: ReplCommandHost, { args }: CommandContext): Reply {
  args.allow(noteFields);
  const data = args.requiredDocument('data');
  const limit = args.timestamp('maxClusterTime');
  if (!repl) throw new CommandError('NoReplicationEnabled', 'Must have replication set up to run "appendOplogNote"');
  if (limit) {
    const maxClusterTime = readTimestamp(limit);
    if (compareTimestamps(maxClusterTime, repl.positions.applied.opTime.ts) <= 0) {
      throw new CommandError(
        'StaleClusterTime',
        'Requested maxClusterTime is less or equal to the last primary OpTime',
      );
    }
  }
  repl.localOplog.writeEntry(oplogNoteOperation(data));
  return {};
}

/**
 * `{ replsimRollbackFiles: 1, path? }` → `{ files: [{ path, collection, size, documents }] }`: what rollbacks removed from
 * this member, which lies as BSON files under its `--dbpath`, if it has one. No mongod knows this command.
 */
function rollbackFiles({ rollbackFiles: files }: ReplCommandHost, { args }: CommandContext): Reply {
  args.allow(filesFields);
  const path = args.string('path');
  return {
    files: files
      .filter((file) => path === undefined || file.path === path)
      .map((file) => ({
        path: file.path,
        collection: file.path.split('/')[1],
        size: file.bytes.length,
        documents: documentsIn(file.bytes).map((document) => new RawBson(document)),
      })),
  };
}

/** The documents of a BSON file, one after the other. */
function documentsIn(bytes: Uint8Array): Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += readInt32(bytes, at)) {
    documents.push(bytes.subarray(at, at + readInt32(bytes, at)));
  }
  return documents;
}

function optionalNumber(args: CommandContext['args'], name: string): number | undefined {
  const value = args.numeric(name);
  return value && numberOf(value);
}

function requireBounds(name: string, value: number | undefined, least: number, greatest = Number.POSITIVE_INFINITY) {
  if (value === undefined) return;
  // NaN is not within bounds either.
  const bound = !(value >= least) ? `>= ${least}` : value > greatest ? `<= ${greatest}` : undefined;
  if (bound) throw new CommandError(51024, `BSON field '${name}' value must be ${bound}, actual value '${value}'`);
}
