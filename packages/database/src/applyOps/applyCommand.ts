import type { Operation } from '@replsim/operations';
import { type AppliedEntry, CommandArguments, checkNotView, Fields, splitNs } from '@replsim/pipeline';
import { BsonType, BsonWriter, CommandError, ErrorCodes, formatUuid, toHex } from '@replsim/protocol';
import { collMod } from '../catalog/collMod.ts';
import { convertToCapped } from '../catalog/convertToCapped.ts';
import { create } from '../catalog/create.ts';
import { dropCommands } from '../catalog/drop.ts';
import { dropIndexes } from '../catalog/dropIndexes.ts';
import { renameCollection } from '../catalog/renameCollection.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';

const [drop, dropDatabase] = dropCommands as readonly [CommandDefinition, CommandDefinition];
const { IndexNotFound, NamespaceExists, NamespaceNotFound } = ErrorCodes;

interface Applied {
  readonly by: CommandDefinition;
  /** Errors that say that there is nothing left to do. */
  readonly accepts: readonly number[];
}

const ofIndexes: Applied = { by: dropIndexes, accepts: [NamespaceNotFound, IndexNotFound] };

/** How a command of the oplog is carried out again. Upstream: oplog.cpp, kOpsMap. */
const APPLIED: Readonly<Record<string, Applied>> = {
  create: { by: create, accepts: [NamespaceExists] },
  collMod: { by: collMod, accepts: [IndexNotFound, NamespaceNotFound] },
  convertToCapped: { by: convertToCapped, accepts: [NamespaceNotFound] },
  drop: { by: drop, accepts: [NamespaceNotFound] },
  dropDatabase: { by: dropDatabase, accepts: [NamespaceNotFound] },
  dropIndexes: ofIndexes,
  dropIndex: ofIndexes,
  deleteIndexes: ofIndexes,
  deleteIndex: ofIndexes,
  renameCollection: { by: renameCollection, accepts: [NamespaceNotFound, NamespaceExists] },
};

/** What mongod refuses in an `applyOps`: whoever replays them has to build indexes by `createIndexes`, as mongorestore does. */
const REFUSED: Readonly<Record<string, string>> = {
  createIndexes: 'The createIndexes operation is not supported in applyOps mode',
  startIndexBuild: 'The startIndexBuild operation is not supported in applyOps mode',
  commitIndexBuild: 'The commitIndexBuild operation is not supported in applyOps mode',
  abortIndexBuild: 'The abortIndexBuild operation is not supported in applyOps mode',
  commitTransaction: 'commitTransaction is only used internally by secondaries.',
  abortTransaction: 'abortTransaction is only used internally by secondaries.',
};

/** What mongod applies and replsim does not. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'dbCheck',
  'emptycapped',
  'importCollection',
  'createGlobalIndex',
  'dropGlobalIndex',
  'modifyCollectionShardingIndexCatalog',
]);

/**
 * Carries out the command of an entry of kind `c`, as the command of its name would; what is there or gone already is fine.
 * Errors: BadValue 2 for a name that no oplog has, CommandNotSupported 115, CommandNotSupportedOnView 166, those of the command.
 * Upstream: oplog.cpp, applyCommand_inlock.
 */
export function* applyCommand(context: CommandContext, entry: AppliedEntry): Operation<void> {
  const { command = '' } = entry;
  const refused = Object.hasOwn(REFUSED, command) ? REFUSED[command] : undefined;
  if (refused !== undefined) throw new CommandError('CommandNotSupported', refused);
  if (NOT_HERE.has(command)) {
    throw new CommandError('CommandNotSupported', `mongod applies '${command}', replsim does not`);
  }
  const applied = Object.hasOwn(APPLIED, command) ? APPLIED[command] : undefined;
  if (!applied) throw new CommandError('BadValue', `Unknown oplog entry command type: ${command}`);
  checkNotView(context.data, entry.ns);
  try {
    if (command === 'create' && entry.ui && giveName(context, entry, entry.ui)) return;
    const args = argumentsFor(context, entry, applied.by.name);
    yield* applied.by.run({ ...inherited(context), args, collectionUuid: command === 'create' ? entry.ui : undefined });
  } catch (error) {
    if (!(error instanceof CommandError) || !applied.accepts.includes(error.code)) throw error;
  }
}

/** A context whose data are asked for anew each time, as those of the command itself are. */
function inherited(context: CommandContext): CommandContext {
  return {
    ...context,
    get data() {
      return context.data;
    },
  };
}

/**
 * Makes room for a collection of a certain UUID: whoever bears its name gets another.
 * Errors: Location40655 where the collection is one of another database.
 * @returns whether the collection is there already, and bears the name now
 * Upstream: oplog.cpp, createCollectionForApplyOps.
 */
function giveName({ data, writes }: CommandContext, { ns, o }: AppliedEntry, ui: Uint8Array): boolean {
  const [db] = splitNs(ns);
  const wanted = `${db}.${new Fields(o, 'create').requiredString('create')}`;
  const present = data.collection(wanted);
  const own = data.collectionByUuid(ui);
  if (own && own === present) return true;
  if (present)
    writes.renameCollection(wanted, `${db}.tmp${toHex(present.uuid).slice(0, 5)}.create`, { stayTemp: false });
  if (own && splitNs(own.ns)[0] !== db)
    throw new CommandError(40655, `Invalid name ${wanted} for UUID ${formatUuid(ui)}`);
  if (own) writes.renameCollection(own.ns, wanted, { stayTemp: true });
  return own !== undefined;
}

/**
 * The command as a client would send it: with the collection that the UUID means now, and without what entries alone have.
 * Errors: NamespaceNotFound 26 where nobody has the UUID.
 */
function argumentsFor({ data }: CommandContext, { ns, o, ui, command }: AppliedEntry, name: string): CommandArguments {
  const [db] = splitNs(ns);
  const fields = new Fields(o, name);
  const meant = ui && command !== 'create' && command !== 'dropDatabase' ? data.collectionByUuid(ui) : undefined;
  if (ui && !meant && command !== 'create' && command !== 'dropDatabase') {
    throw new CommandError('NamespaceNotFound', 'No namespace with the UUID of the entry');
  }
  const isRename = name === 'renameCollection';
  const writer = new BsonWriter(o.length + 64);
  for (const field of fields.names) {
    const value = fields.presentValue(field);
    if (field === command) {
      if (meant) writer.string(name, isRename ? meant.ns : splitNs(meant.ns)[1]);
      else writer.rawValue(name, value);
    }
    // An entry names by UUID what a rename takes the place of.
    else if (isRename && field === 'dropTarget' && value.type === BsonType.binData) writer.bool(field, true);
    else writer.rawValue(field, value);
  }
  writer.string('$db', isRename ? 'admin' : db);
  return new CommandArguments(writer.finish());
}
