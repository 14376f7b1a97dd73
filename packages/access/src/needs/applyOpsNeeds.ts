import { type CommandArguments, Fields } from '@replsim/pipeline';
import type { ActionType } from '../privileges/actionType.ts';
import { type Asker, type Needed, NOTHING, on, onCluster, onDatabase } from './needed.ts';

/** What commands inside an `applyOps` do to the collection that they name; others are for members alone. */
const OF_COMMANDS: Readonly<Record<string, ActionType>> = {
  create: 'createCollection',
  drop: 'dropCollection',
  createIndexes: 'createIndex',
  dropIndexes: 'dropIndex',
  collMod: 'collMod',
  convertToCapped: 'convertToCapped',
};

/**
 * The right to apply entries, and what each entry would need as a command of its own: or it would be a way round everything.
 * Upstream: oplog_application_checks.cpp, OplogApplicationChecks::checkOperationAuthorization.
 */
export function applyOpsNeeds({ args }: Asker): readonly Needed[] {
  return [...onCluster('applyOps'), ...entriesNeed(args)];
}

function entriesNeed(command: CommandArguments | Fields): readonly Needed[] {
  const entries = command.documents('applyOps') ?? [];
  return entries.flatMap((bytes) => entryNeeds(new Fields(bytes, 'applyOps')));
}

function entryNeeds(entry: Fields): readonly Needed[] {
  const op = entry.string('op') ?? '';
  if (op.startsWith('n')) return NOTHING;
  const ns = entry.string('ns') ?? '';
  // A UUID may mean another collection than the name does.
  const byUuid = entry.has('ui') ? onCluster('useUUID', 'forceUUID') : NOTHING;
  switch (op) {
    case 'i':
      return [...on(ns, 'insert'), ...byUuid];
    case 'u':
      // What is not there is inserted.
      return [...on(ns, 'update', 'insert'), ...byUuid];
    case 'd':
      return [...on(ns, 'remove'), ...byUuid];
    case 'c':
      return [...commandNeeds(ns.split('.')[0] ?? '', entry), ...byUuid];
    default:
      return onCluster('internal');
  }
}

function commandNeeds(db: string, entry: Fields): readonly Needed[] {
  const command = new Fields(entry.document('o') ?? entry.missing('o'), 'applyOps.o');
  const name = command.names[0] ?? '';
  if (name === 'applyOps') return entriesNeed(command);
  if (name === 'dropDatabase') return onDatabase(db, 'dropDatabase');
  if (name === 'renameCollection') {
    const to = command.string('to') ?? '';
    const drops = command.has('dropTarget') ? on(to, 'dropCollection') : NOTHING;
    return [...on(command.string(name) ?? '', 'find', 'dropCollection'), ...on(to, 'insert', 'createIndex'), ...drops];
  }
  const action = Object.hasOwn(OF_COMMANDS, name) ? OF_COMMANDS[name] : undefined;
  // A view shows what its maker might not see.
  if (action === undefined || command.has('viewOn')) return onCluster('internal');
  return on(`${db}.${command.string(name) ?? ''}`, action);
}
