import { ANYWHERE, atOnce, type CommandDefinition } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import type { CommandArguments, Reply } from '@replsim/pipeline';
import { CommandError, type VersionTraits } from '@replsim/protocol';
import type { FsyncHost } from './fsyncHost.ts';

const SEE_ALSO = 'http://dochub.mongodb.org/core/fsynccommand';

/** `fsync` and `fsyncUnlock`, which every member answers in every state. Upstream: fsync.cpp. */
export function fsyncCommands(host: FsyncHost): readonly CommandDefinition[] {
  return [
    {
      name: 'fsync',
      help: 'puts all data on disk; with lock: true keeps writers out until fsyncUnlock',
      auth: { action: 'fsync', resource: 'cluster' },
      api: 'none',
      ...ANYWHERE,
      adminOnly: true,
      *run({ args }) {
        const lock = askedToLock(args, host.core.traits);
        host.core.log('I', 'COMMAND', 20461, 'CMD fsync', { lock, forBackup: false });
        return lock ? yield* flushAndLock(host) : yield* flush(host);
      },
    },
    {
      name: 'fsyncUnlock',
      help: 'ends what fsync with lock: true began',
      auth: { action: 'unlock', resource: 'cluster' },
      api: 'none',
      ...ANYWHERE,
      adminOnly: true,
      run: atOnce(() => unlock(host)),
    },
  ];
}

/** The release that first checks types, by its wire version. Before, whatever is not false, 0 or null is true. */
const TYPES_CHECKED_SINCE = 25;

/** Errors: TypeMismatch 14. Upstream: fsync.idl. */
function askedToLock(args: CommandArguments, { maxWireVersion }: VersionTraits): boolean {
  if (maxWireVersion < TYPES_CHECKED_SINCE) return args.truth('lock');
  for (const name of ['forBackup', 'allowFsyncFailure']) args.bool(name);
  return args.bool('lock');
}

/** `{ fsync: 1 }` → `{ numFiles: 1 }`, once all data are on disk. */
function* flush({ checkpoints }: FsyncHost): Operation<Reply> {
  yield* checkpoints.takeNow();
  return { numFiles: 1 };
}

/** `{ fsync: 1, lock: true }` → `{ info, lockCount, seeAlso }`. Writes stop first, so that what is on disk is all there is. */
function* flushAndLock({ checkpoints, core, fsyncLock }: FsyncHost): Operation<Reply> {
  fsyncLock.take();
  if (fsyncLock.count === 1) {
    try {
      yield* checkpoints.takeNow();
    } catch (error) {
      fsyncLock.release();
      throw error;
    }
  }
  const lockCount = BigInt(fsyncLock.count);
  core.log('I', 'COMMAND', 20462, 'Locked: nothing is written any more', { lockCount, seeAlso: SEE_ALSO });
  return { info: 'nothing is written now; db.fsyncUnlock() ends the lock', lockCount, seeAlso: SEE_ALSO };
}

/**
 * `{ fsyncUnlock: 1 }` → `{ info, lockCount }`. Errors: IllegalOperation 20 when nothing is locked; simplification: before
 * 7.1 that error had no code.
 */
function unlock({ core, fsyncLock }: FsyncHost): Reply {
  core.log('I', 'COMMAND', 20465, 'command: unlock requested', {});
  if (!fsyncLock.isLocked) throw new CommandError('IllegalOperation', 'fsyncUnlock called when not locked');
  fsyncLock.release();
  const lockCount = BigInt(fsyncLock.count);
  core.log('I', 'COMMAND', 20466, 'fsyncUnlock completed', { lockCount });
  return { info: 'fsyncUnlock completed', lockCount };
}
