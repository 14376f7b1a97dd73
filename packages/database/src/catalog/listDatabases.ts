import { allows, allowsAnythingIn, CLUSTER, NOTHING, onCluster } from '@replsim/access';
import type { OpenConnection } from '@replsim/operations';
import { EMPTY_DOCUMENT, fieldSet, type Reply } from '@replsim/pipeline';
import { databaseOf, encodeDocument } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { ReadView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberAccess, MemberServices } from '../member.ts';
import { atOnce } from '../replies/atOnce.ts';
import { allIndexBytes, oplogBytes, storageBytes } from './diskSizes.ts';

const fields = fieldSet('listDatabases', 'filter', 'nameOnly', 'authorizedDatabases');

/** `{ listDatabases: 1, filter?, nameOnly? }` → `{ databases, totalSize, totalSizeMb }`, sizes in bytes. Upstream: list_databases.cpp. */
export const listDatabases: CommandDefinition = {
  name: 'listDatabases',
  help: 'lists all databases and their sizes',
  auth: ({ args }) => (args.strictBool('authorizedDatabases') === false ? onCluster('listDatabases') : NOTHING),
  api: 'v1',
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  adminOnly: true,
  run: atOnce(run),
};

function run({ args, data, member, connection }: CommandContext): Reply {
  args.allow(fields);
  const authorized = args.strictBool('authorizedDatabases');
  const isVisible = visibleTo(connection, member.access, authorized === true);
  const matches = compileFilter(args.document('filter') ?? EMPTY_DOCUMENT);
  const databases = [...databaseSizes(data, member)]
    .filter(([name]) => isVisible(name))
    .map(([name, size]) => ({ name, sizeOnDisk: BigInt(size), empty: false }))
    .filter((database) => matches(encodeDocument(database)));
  if (args.bool('nameOnly')) return { databases: databases.map(({ name }) => ({ name })) };
  const total = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0n);
  return { databases, totalSize: total, totalSizeMb: total / 1048576n };
}

/** Whoever may list all sees all, unless they ask for less. Upstream: list_databases_common.h, useListDatabasesFilter. */
function visibleTo(
  connection: OpenConnection | undefined,
  access: MemberAccess,
  authorizedOnly: boolean,
): (db: string) => boolean {
  if (!connection || !access.isEnabled) return () => true;
  const privileges = access.privilegesOf(connection);
  if (!authorizedOnly && allows(privileges, 'listDatabases', CLUSTER)) return () => true;
  return (db) => allowsAnythingIn(privileges, db);
}

/** Bytes on disk by database, in the order of names. */
function databaseSizes(data: ReadView, member: MemberServices): Map<string, number> {
  const sizes = new Map<string, number>();
  const oplog = oplogBytes(member);
  if (oplog > 0) sizes.set('local', oplog);
  for (const collection of data.collections()) {
    const db = databaseOf(collection.ns);
    sizes.set(db, (sizes.get(db) ?? 0) + storageBytes(collection) + allIndexBytes(collection));
  }
  return new Map([...sizes].sort(([a], [b]) => (a < b ? -1 : 1)));
}
