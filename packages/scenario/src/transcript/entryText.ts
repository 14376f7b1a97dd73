import {
  databaseOf,
  decodePromoted,
  ElementCursor,
  type OplogEntry,
  type OplogOperation,
  type TransactionLink,
} from '@replsim/protocol';

/** What the first primary of a set makes: nobody who reads the story of a run has asked for it. */
const OF_NEW_SETS: ReadonlySet<string> = new Set([
  'admin.system.keys',
  'config.analyzeShardKeySplitPoints',
  'config.image_collection',
  'config.sampledQueries',
  'config.sampledQueriesDiff',
  'config.system.indexBuilds',
  'config.system.preimages',
  'config.transactions',
]);
/** Told without a number: all of it is one thing. */
export const NEW_SET = 'what a new set needs';

const OPERATIONS: Readonly<Record<string, string>> = { i: 'insert into', u: 'update of', d: 'delete from' };

/** What an entry does, without its documents: `insert into app.orders`, `create app.orders`, `applyOps of 10 × delete from app.s`. */
export function entryText(entry: OplogEntry): string | undefined {
  const { operation, applyOps } = entry;
  if (operation.transaction) return transactionText(operation.transaction, applyOps);
  if (applyOps) {
    const [kind, ...others] = kindsOf(applyOps);
    if (kind === undefined) return 'applyOps of nothing';
    if (others.length === 0) return `applyOps of ${applyOps.length} × ${kind}`;
    return `applyOps of ${applyOps.length}: ${[kind, ...others].join(', ')}`;
  }
  if (operation.op === 'n') {
    const { msg } = decodePromoted(operation.o) as { msg?: unknown };
    return msg === 'periodic noop' ? undefined : `no-op "${msg}"`;
  }
  if (operation.op !== 'c')
    return operation.op === 'i' ? changeText(operation.ns, verbOf('i')) : `${verbOf(operation.op)} ${operation.ns}`;
  const cursor = new ElementCursor(operation.o);
  if (!cursor.next()) return `c ${operation.ns}`;
  const command = cursor.name;
  const { [command]: target, to } = decodePromoted(operation.o);
  // The one command whose names are whole namespaces.
  if (command === 'renameCollection') return `${command} ${target} to ${to}`;
  const db = databaseOf(operation.ns);
  if (typeof target !== 'string') return `${command} ${db}`;
  const ns = `${db}.${target}`;
  return command === 'create' || command === 'createIndexes' ? changeText(ns, command) : `${command} ${ns}`;
}

/** `transaction of 3: insert into app.orders, update of app.stock`. */
function transactionText({ partialTxn, count }: TransactionLink, operations: readonly OplogOperation[] = []): string {
  if (operations.length === 0) return 'abortTransaction of what an earlier primary left unfinished';
  const what = partialTxn ? 'part of a transaction,' : count === undefined ? 'transaction of' : 'end of a transaction,';
  return `${what} ${operations.length}: ${kindsOf(operations).join(', ')}`;
}

/** `insert into app.orders`, each once. */
function kindsOf(operations: readonly OplogOperation[]): readonly string[] {
  const kinds = operations.map(({ op, ns }) => (op === 'c' ? `create in ${databaseOf(ns)}` : `${verbOf(op)} ${ns}`));
  return [...new Set(kinds)];
}

function verbOf(op: string): string {
  return OPERATIONS[op] ?? op;
}

/** An insert or a creation. */
function changeText(ns: string, what: string): string {
  return OF_NEW_SETS.has(ns) ? NEW_SET : `${what} ${ns}`;
}

interface MaybeTtl {
  readonly expireAfterSeconds?: unknown;
}

/** Whether an entry makes an index a TTL index, at once, by a build's end, or by collMod; those of a new set are nobody's concern. */
export function makesTtlIndex(entry: OplogEntry): boolean {
  if (entry.operation.op !== 'c' || entry.applyOps || entryText(entry) === NEW_SET) return false;
  const o = decodePromoted(entry.operation.o) as MaybeTtl & {
    readonly index?: MaybeTtl;
    readonly commitIndexBuild?: string;
    readonly indexes?: readonly MaybeTtl[];
  };
  const built = o.commitIndexBuild === undefined ? [] : (o.indexes ?? []);
  return [o, o.index, ...built].some((spec) => spec?.expireAfterSeconds !== undefined);
}

/** A member's name without the port that all of them have. */
export function nameOf(host: string): string {
  return host.replace(/:27017$/, '');
}
