import type { CommandContext, CommandDefinition } from '@replsim/database';
import { type Operation, spend } from '@replsim/operations';
import { fieldSet, type Reply } from '@replsim/pipeline';
import { CommandError, encodeDocument, required } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { GLOBAL_ID, isInternal, WRITE_BLOCK_NS } from './userWriteBlock.ts';
import type { WriteBlockHost } from './writeBlockHost.ts';

const fields = fieldSet('setUserWriteBlockMode', 'global');
const fieldsWithReason = fieldSet('setUserWriteBlockMode', 'global', 'reason');
/** Upstream: user_writes_block_reason.idl. */
const REASONS = ['Unspecified', 'ClusterToClusterMigrationInProgress', 'DiskUseThresholdExceeded'];

/**
 * `{ setUserWriteBlockMode: 1, global: BOOL, reason? }` → `{}`, once a majority has it. Asking for what holds already
 * changes nothing. Errors: IllegalOperation 20 on a standalone and for another reason than the present one.
 * Upstream: set_user_write_block_mode_command.cpp, user_writes_recoverable_critical_section_service.cpp.
 */
export function userWriteBlockCommands(host: WriteBlockHost): readonly CommandDefinition[] {
  if (!host.core.traits.userWriteBlocking) return [];
  const command: CommandDefinition = {
    name: 'setUserWriteBlockMode',
    help: 'keeps users from writing, or lets them again',
    auth: { action: 'setUserWriteBlockMode', resource: 'cluster' },
    api: 'none',
    kind: 'other',
    secondaries: 'never',
    maintenanceOk: false,
    writes: true,
    run: (context) => setMode(host, context),
  };
  return [command];
}

function* setMode(host: WriteBlockHost, { args, member }: CommandContext): Operation<Reply> {
  const { traits, costs } = member;
  args.allow(traits.userWriteBlockReasons ? fieldsWithReason : fields);
  const global = args.strictBool('global') ?? args.missing('global');
  const reason = args.string('reason');
  if (reason !== undefined && !REASONS.includes(reason)) {
    throw new CommandError(
      'BadValue',
      `Enumeration value '${reason}' for field 'setUserWriteBlockMode.reason' is not a valid value.`,
    );
  }
  if (!host.repl) throw new CommandError('IllegalOperation', 'setUserWriteBlockMode needs a replica set');
  yield* spend(costs.commitMicros + costs.insertMicros);
  if (global) block(host, reason);
  else unblock(host, reason);
  const failure = yield* member.awaitWriteConcern({ w: 'majority', wtimeoutMS: 0 });
  if (failure) throw new CommandError(Number(failure.code), String(failure.errmsg));
  return {};
}

function block(host: WriteBlockHost, reason: string | undefined): void {
  const { core, userWriteBlock, writes } = host;
  const present = userWriteBlock.document;
  if (present) return checkReason('acquire', reason, present.blockUserWritesReason);
  const document = {
    _id: GLOBAL_ID,
    blockNewUserShardedDDL: false,
    blockUserWrites: true,
    ...(reason !== undefined && { blockUserWritesReason: reason }),
  };
  abortBuilds(host);
  writes.insert(WRITE_BLOCK_NS, [new StoredDocument(encodeDocument(document))]);
  logChange(host, 10296100, 'Blocking user writes', reason);
  core.changed();
}

/** A build that ended under the block would write. Upstream: abortUserIndexBuildsForUserWriteBlocking. */
function abortBuilds({ core, indexBuilds }: WriteBlockHost): void {
  for (const collection of core.engine.collections()) {
    if (!isInternal(collection.ns)) indexBuilds.abortAll(collection, 'User write blocking');
  }
}

function unblock(host: WriteBlockHost, reason: string | undefined): void {
  const { core, userWriteBlock, writes } = host;
  const present = userWriteBlock.document;
  if (!present) return;
  checkReason('release', reason, present.blockUserWritesReason);
  const collection = required(core.engine.collection(WRITE_BLOCK_NS), 'collection of the write block');
  const recordId = collection.findById(new StoredDocument(encodeDocument({ _id: GLOBAL_ID })).idKey);
  writes.delete(collection, [required(recordId, 'record of the write block')], { grouped: false });
  logChange(host, 10296101, 'Unblocking user writes', reason);
  core.changed();
}

/** As upstream: no reason is another one than `Unspecified` by name. */
function checkReason(what: 'acquire' | 'release', reason: string | undefined, present: string | undefined): void {
  if (reason === present) return;
  throw new CommandError(
    'IllegalOperation',
    `cannot ${what} the blocking of writes for ${reason ?? 'Unspecified'}: it is for ${present ?? 'Unspecified'}`,
  );
}

/** Simplification: secondaries, which apply the change, say nothing of it. */
function logChange({ core }: WriteBlockHost, id: number, msg: string, reason = 'Unspecified'): void {
  if (core.traits.userWriteBlockReasons) core.log('I', 'SHARDING', id, msg, { reason });
}
