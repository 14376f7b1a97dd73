import { didYouMeanOneOf } from '@replsim/kernel';
import { required, splitNamespace } from '@replsim/protocol';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import { LATENCY_NAMES, LEDGER_COUNTS } from '../ledgerCounts.ts';
import { countCommand, findIn } from '../reading/commands.ts';
import { knownStream, knownWorkload } from '../reading/known.ts';
import type { Reader } from '../reading/reader.ts';
import { readWants } from '../reading/readWants.ts';
import type { CheckPart } from '../scenario.ts';
import { summing } from '../stage/sums.ts';
import type { CheckInput } from './checkSchema.ts';

/** What a check asks, by one key; of these a check has one at most. */
interface Question {
  /** The keys that it may have beside it, and `on` where a member is asked. */
  readonly companions: readonly string[];
  /** No member is asked. */
  readonly ofNobody?: true;
  readonly read: (reader: Reader, path: Path, input: CheckInput) => CheckPart;
}

/** In the order in which they are looked for. `count` is a question only where it names a namespace. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  count: { companions: ['filter', 'is'], read: readCount },
  find: { companions: ['filter', 'sort', 'projection', 'is'], read: readFind },
  sum: { companions: ['of', 'filter', 'readConcern', 'at', 'is'], read: readSum },
  command: { companions: ['db', 'matches', 'error'], read: readCommand },
  oplog: { companions: ['count', 'entries'], read: readOplog },
  log: { companions: ['count'], read: readLog },
  reply: { companions: ['matches', 'error'], ofNobody: true, read: readReply },
  workload: { companions: [...LEDGER_COUNTS, ...LATENCY_NAMES, 'phase'], ofNobody: true, read: readLedger },
  stream: { companions: ['events', 'error'], ofNobody: true, read: readStream },
};

/** Tells of a key that a question needs beside it and has not. */
function need(reader: Reader, path: Path, question: string, key: string, hint: string): void {
  if (!reader.has(path, key)) reader.source.mistakeAtKey(path, question, `"${question}" needs "${key}"`, hint);
}

function targetOf(reader: Reader, path: Path, input: CheckInput) {
  return reader.target([...path, 'on'], input.on);
}

function readCount(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  need(reader, path, 'count', 'is', 'write is: 25, or is: { $gte: 1 }');
  const command = countCommand(reader, path, String(input.count));
  return { kind: 'count', on, command, is: reader.numberTest([...path, 'is']) };
}

function readFind(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  const at = [...path, 'is'];
  need(reader, path, 'find', 'is', 'write is: [ { _id: 1 } ]');
  const list = new Template(new Map([['list', reader.value(at)]]));
  if (!Array.isArray(list.value.get('list')) && reader.has(path, 'is'))
    reader.source.mistakeAtPath(at, 'expected a list of documents', 'write is: [ { _id: 1 } ]');
  const command = findCommand(reader, path, required(input.find, 'namespace to find in'));
  return { kind: 'find', on, command, is: list, ordered: input.sort !== undefined };
}

function readSum(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  need(reader, path, 'sum', 'of', 'write of: balance');
  need(reader, path, 'sum', 'is', 'write is: 1000');
  if (input.at !== undefined && input.readConcern !== undefined)
    reader.source.mistakeAtKey(path, 'readConcern', '"at" says what is read: snapshots', 'leave it out');
  return {
    kind: 'sum',
    on,
    ns: input.sum ?? '',
    of: input.of ?? '',
    command: sumCommand(reader, path, required(input.sum, 'namespace to add up'), input.of ?? ''),
    everySnapshot: input.at !== undefined,
    is: reader.numberTest([...path, 'is']),
  };
}

function readCommand(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  if (input.matches === undefined && input.error === undefined) need(reader, path, 'command', 'matches', 'or "error"');
  const command = withDb(reader.template([...path, 'command']), input.db ?? 'admin');
  return { kind: 'command', on, command, wants: readWants(reader, path, input) };
}

function readOplog(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  const at = [...path, 'oplog'];
  reader.filter(at);
  const command = findIn('local', 'oplog.rs', new Map([['filter', reader.value(at)]]));
  if (input.entries === undefined) {
    need(reader, path, 'oplog', 'count', 'or "entries"');
    return { kind: 'oplogCount', on, command, is: reader.numberTest([...path, 'count']) };
  }
  if (input.count !== undefined) reader.source.mistakeAtKey(path, 'count', '"entries" says how many there are');
  const entries = input.entries.map((_, index) => reader.filter([...path, 'entries', index]));
  return { kind: 'oplogEntries', on, command, entries };
}

function readLog(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const on = targetOf(reader, path, input);
  need(reader, path, 'log', 'count', 'write count: 1, or count: { $gte: 1 }');
  return { kind: 'log', on, filter: reader.filter([...path, 'log']), is: reader.numberTest([...path, 'count']) };
}

function readStream(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const name = required(input.stream, 'name of the stream');
  knownStream(reader, [...path, 'stream'], name);
  if (input.events === undefined && input.error === undefined)
    reader.source.mistakeAtKey(path, 'stream', '"stream" needs "events"', 'write events: [{ operationType: insert }]');
  return {
    kind: 'stream',
    name,
    events: input.events?.map((_, index) => reader.filter([...path, 'events', index])),
    error: input.error === undefined ? undefined : reader.wantedError([...path, 'error'], input.error),
  };
}

function readReply(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const name = required(input.reply, 'reply to look at');
  if (!reader.replies.has(name))
    reader.source.mistakeAtPath(
      [...path, 'reply'],
      `no earlier step was sent "as: ${name}"`,
      didYouMeanOneOf(name, [...reader.replies]) ?? `send one so: "- run: { as: ${name}, … }"`,
    );
  return { kind: 'reply', name, wants: readWants(reader, path, input) };
}

function readLedger(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const name = required(input.workload, 'workload to look at');
  knownWorkload(reader, [...path, 'workload'], name);
  const asked = LEDGER_COUNTS.filter((count) => count in input);
  const latencies = LATENCY_NAMES.filter((each) => each in input);
  if (asked.length + latencies.length === 0) {
    const numbers = [...LEDGER_COUNTS, ...LATENCY_NAMES].join(', ');
    reader.source.mistakeAtKey(path, 'workload', '"workload" needs a number to look at', numbers);
  } else if (input.phase !== undefined && (latencies.length === 0 || asked.length > 0))
    reader.source.mistakeAtKey(
      path,
      'phase',
      '"phase" says of which operations a latency is meant, and of nothing else',
      `with it go: ${LATENCY_NAMES.join(', ')}; ask for the rest in a check of its own`,
    );
  const testOf = (key: string) => reader.numberTest([...path, key]);
  return {
    kind: 'workload',
    name,
    counts: asked.map((count) => [count, testOf(count)]),
    latencies: latencies.map((each) => [each, testOf(each)]),
    ...(input.phase !== undefined && { phase: input.phase }),
  };
}

function sumCommand(reader: Reader, path: Path, namespace: string, field: string): Template {
  const [db, collection] = splitNamespace(namespace);
  const match = reader.has(path, 'filter') ? [new Map([['$match', reader.value([...path, 'filter'])]])] : [];
  const command = new Map<string, unknown>([
    ['aggregate', collection],
    ['pipeline', [...match, ...summing(field)]],
    ['cursor', new Map()],
    ...reader.values(path, ['readConcern']),
  ]);
  return withDb(new Template(command), db);
}

function findCommand(reader: Reader, path: Path, namespace: string): Template {
  const [db, collection] = splitNamespace(namespace);
  return findIn(db, collection, reader.values(path, ['filter', 'sort', 'projection']));
}
