import { existsSync } from 'node:fs';
import type { MongodVersion } from '@replsim/protocol';
import type { FromConf } from '@replsim/scenario';
import type { ServeOptions } from '@replsim/server';
import { readText } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import { isMongodConf, readMongodConf } from './readMongodConf.ts';

const DEFAULT_VERSION: MongodVersion = '8.0';

/**
 * What a `mongod.conf` asks of a served set; what has no effect here is listed once.
 * @returns undefined where the file is something else
 * @throws InputError for what is wrong with the file, or cannot be had here
 */
export function confForServe(
  path: string | undefined,
  { version = DEFAULT_VERSION }: { readonly version?: MongodVersion | undefined },
  io: Io,
): FromConf | undefined {
  if (path === undefined || path === '') return undefined;
  if (!existsSync(path))
    throw new InputError(`${path || '""'}: no such file; name a mongod.conf, or a file that describes a set`);
  const text = readText(path);
  if (!isMongodConf(text)) return undefined;
  const { conf, unused } = readMongodConf(text, path, { version });
  for (const each of unused) io.err(`${path}: without effect: ${each}\n`);
  return conf;
}

/**
 * The members that are asked for, each with the oplog that the file gives to a mongod.
 * @param isOver it counts more than what a member has of its own
 */
export function membersWith(
  { oplogSizeMB, oplogMinRetentionHours }: Omit<FromConf, 'parameters'>,
  members: NonNullable<ServeOptions['members']>,
  isOver = false,
): NonNullable<ServeOptions['members']> {
  const oplog = {
    ...(oplogSizeMB !== undefined && { oplogSizeMB }),
    ...(oplogMinRetentionHours !== undefined && { oplogMinRetentionHours }),
  };
  if (Object.keys(oplog).length === 0) return members;
  const named =
    typeof members === 'number' ? Array.from({ length: members }, (_, i) => ({ name: `n${i + 1}` })) : members;
  return named.map((member) => (isOver ? { ...member, ...oplog } : { ...oplog, ...member }));
}

/** A config printed by the set that the file belongs to has its name. @throws InputError */
export function checkSameSet(path: string, { replSet }: FromConf, printed: string | undefined): void {
  if (replSet !== undefined && printed !== undefined && replSet !== printed)
    throw new InputError(
      `${path}: replication.replSetName is ${replSet}, and --replset-config describes the set ${printed}; they must agree`,
    );
}
