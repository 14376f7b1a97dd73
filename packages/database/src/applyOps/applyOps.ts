import { applyOpsNeeds } from '@replsim/access';
import { type Operation, pauseWhileSet } from '@replsim/operations';
import {
  checkCollectionName,
  checkDbName,
  checkOperations,
  checkOptions,
  Fields,
  isCrudOnly,
  type Reply,
  readEntry,
  splitNs,
  upsertsAlways,
} from '@replsim/pipeline';
import { CommandError, ErrorCodes } from '@replsim/protocol';
import { backOff, isWriteConflict } from '../crud/writeConflicts.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ProcessServices } from '../member.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { applyCommand } from './applyCommand.ts';
import { applyDocumentChange } from './applyDocumentChange.ts';

/**
 * `{ applyOps: [{ op: "i" | "u" | "d" | "c" | "n", ns, o, o2?, ui?, … }] }` → `{ applied, results: [true, …] }`: entries as an oplog
 * holds them, carried out one after the other and logged as what they do, as by `mongorestore --oplogReplay`. An entry whose document
 * cannot be changed is `false` and the rest goes on; any other failure ends it. What came before stays.
 * Errors: UnknownError 8 if a result is false; NamespaceNotFound 26, NoSuchKey 4, BadValue 2, CommandNotSupported 115 and others
 * of single entries; those of `checkOptions` and `checkOperations`.
 * Upstream: apply_ops_cmd.cpp; apply_ops.cpp, applyOps and _applyOps; oplog.cpp, applyOperation_inlock and applyCommand_inlock.
 */
export const applyOps: CommandDefinition = {
  name: 'applyOps',
  help: 'internal command to apply oplog entries',
  auth: applyOpsNeeds,
  api: 'none',
  ...ON_PRIMARY,
  // A mongod holds the global lock for entries that change the catalog.
  excludes: (args) => () => !isCrudOnly(args),
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args } = context;
  const operations = checkOperations(args);
  checkOptions(args, context.member.traits);
  return yield* applyAll(context, args, operations);
}

/** @param command the `applyOps` itself, or one inside it */
function* applyAll(context: CommandContext, command: Fields, operations: readonly Uint8Array[]): Operation<Reply> {
  const results: boolean[] = [];
  for (const bytes of operations) {
    const operation = new Fields(bytes, 'OplogEntryBase');
    const op = operation.string('op') as string;
    // Nothing of them is logged either.
    if (op.startsWith('n')) continue;
    const ns = operation.string('ns') as string;
    if (op !== 'c' && !isValid(ns)) throw new CommandError('InvalidNamespace', `invalid ns: ${ns}`);
    try {
      const failure = yield* apply(context, command, operation);
      if (failure) logFailure(context, failure);
      results.push(failure === undefined);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      results.push(false);
      throw new CommandError(error.code, error.message, { ...error.extra, applied: results.length, results });
    }
    yield* pauseWhileSet(context.member, 'applyOpsPauseBetweenOperations');
  }
  const reply = { applied: results.length, results };
  if (results.every((result) => result)) return reply;
  throw new CommandError('UnknownError', 'applyOps had one or more errors applying ops', reply);
}

/** @returns what went wrong, where that lets the others go on */
function* apply(context: CommandContext, command: Fields, operation: Fields): Operation<CommandError | undefined> {
  const entry = readEntry(operation);
  if (entry.op !== 'c') {
    const upsert = entry.upsert || upsertsAlways(command, context.member.traits);
    for (let conflicts = 0; ; ) {
      try {
        return yield* applyDocumentChange(context, entry, upsert);
      } catch (error) {
        if (!isWriteConflict(error)) throw error;
        yield* backOff(context, error, ++conflicts);
      }
    }
  }
  if (!isValid(entry.ns)) throw new CommandError('InvalidNamespace', `invalid ns: ${entry.ns}`);
  if (entry.command !== 'applyOps') yield* applyCommand(context, entry);
  else {
    const nested = new Fields(entry.o, 'applyOps');
    checkOptions(nested, context.member.traits);
    yield* applyNested(context, nested);
  }
  return undefined;
}

function logFailure({ member }: CommandContext<ProcessServices>, { codeName, message }: CommandError): void {
  member.log('I', 'COMMAND', 21064, 'applyOps error applying', { error: `${codeName}: ${message}` });
}

/** What fails inside is told as the failure of the entry that holds it. */
function* applyNested(context: CommandContext, nested: Fields): Operation<void> {
  try {
    yield* applyAll(context, nested, nested.requiredDocuments('applyOps'));
  } catch (error) {
    if (error instanceof CommandError && error.code !== ErrorCodes.WriteConflict)
      throw new CommandError(error.code, error.message);
    throw error;
  }
}

function isValid(ns: string): boolean {
  try {
    const [db, collection] = splitNs(ns);
    checkDbName(db);
    checkCollectionName(db, collection);
    return true;
  } catch {
    return false;
  }
}
