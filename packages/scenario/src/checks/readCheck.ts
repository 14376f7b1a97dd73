import { didYouMeanOneOf } from '@replsim/kernel';
import { type MemberState, required, splitNamespace } from '@replsim/protocol';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import { LATENCY_NAMES, LEDGER_COUNTS } from '../ledgerCounts.ts';
import { countCommand, findIn } from '../reading/commands.ts';
import { flowText } from '../reading/flowText.ts';
import { knownStream, knownWorkload } from '../reading/known.ts';
import type { Reader } from '../reading/reader.ts';
import { readWants } from '../reading/readWants.ts';
import type { Answer, Check, CheckPart } from '../scenario.ts';
import { summing } from '../stage/sums.ts';
import type { CheckInput } from './checkSchema.ts';
import { readTtl } from './readTtl.ts';

/** Which keys a question to a member may have beside it; of the questions themselves a check has one at most. */
const COMPANIONS = {
  count: ['filter', 'is'],
  find: ['filter', 'sort', 'projection', 'is'],
  sum: ['of', 'filter', 'readConcern', 'at', 'is'],
  command: ['db', 'matches', 'error'],
  oplog: ['count', 'entries'],
  log: ['count'],
  reply: ['matches', 'error'],
  stream: ['events', 'error'],
  workload: [...LEDGER_COUNTS, ...LATENCY_NAMES, 'phase'],
} satisfies Readonly<Record<string, readonly string[]>>;
type Question = keyof typeof COMPANIONS;
/** `count` is one only where it names a namespace. */
const QUESTIONS: readonly Question[] = ['find', 'sum', 'command', 'oplog', 'log', 'reply', 'workload', 'stream'];
/** What no member is asked. */
const WITHOUT_MEMBER: ReadonlySet<Question> = new Set(['reply', 'workload', 'stream']);
const DEPENDENT = [
  'on',
  'filter',
  'sort',
  'projection',
  'of',
  'readConcern',
  'at',
  'is',
  'db',
  'matches',
  'error',
  'count',
  'entries',
  'events',
  ...LEDGER_COUNTS,
  ...LATENCY_NAMES,
  'phase',
];

/** Reads a check; `eventually` and `always` have further keys in the same map. */
export function readCheck(reader: Reader, path: Path, input: CheckInput): Check {
  const parts: CheckPart[] = [];
  if (input.primary !== undefined) parts.push(readPrimary(reader, path, input.primary));
  if (input.state !== undefined) parts.push(readState(reader, path, input.state));
  const question = questionOf(reader, path, input);
  if (question !== undefined) parts.push(readQuestion(reader, path, input, question));
  if (input.same !== undefined) parts.push({ kind: 'same', namespaces: input.same });
  if (input.ttl !== undefined) parts.push(readTtl(reader, [...path, 'ttl'], input.ttl));
  if (input.not !== undefined)
    parts.push({ kind: 'not', check: readCheck(reader, [...path, 'not'], input.not as CheckInput) });
  if (parts.length === 0)
    reader.source.mistakeAtPath(
      path,
      'this check asks nothing',
      'primary, state, count, find, sum, command, oplog, log, same, reply, workload, stream, ttl or not',
    );
  const asks = answerOf(reader, path, parts);
  return { text: flowText(reader.source, reader.source.nodeAt(path)), parts, ...(asks && { asks }) };
}

/** What a check of one thing says about it: more than whether it holds. */
function answerOf({ source }: Reader, path: Path, [part, second]: readonly CheckPart[]): Answer | undefined {
  if (part === undefined || second !== undefined) return undefined;
  if (part.kind === 'primary') return { form: 'primary', look: { kind: 'primary' } };
  if (part.kind === 'state' && part.states.length === 1) {
    const [[on]] = part.states as readonly [readonly [string, MemberState]];
    return { form: { state: on }, look: { kind: 'state', on } };
  }
  if (part.kind !== 'count' || part.on.length !== 1 || SEVERAL.includes(part.on[0]!)) return undefined;
  // What is filled in may be drawn by chance, and would be another filter the second time.
  if (part.command.dynamic) return undefined;
  const [on] = part.on as readonly [string];
  const filter = source.nodeAt([...path, 'filter']);
  const where = filter && `{${flowText(source, filter)}}`;
  const ns = String(source.toPlain(source.nodeAt([...path, 'count'])!));
  return {
    form: { count: { in: ns, on, ...(where && { where }) } },
    look: { kind: 'count', on, command: part.command },
  };
}
/** Targets that may mean more than one member. */
const SEVERAL: readonly string[] = ['secondaries', 'all', 'any'];

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

function readPrimary(reader: Reader, path: Path, who: string): CheckPart {
  if (who !== 'any' && who !== 'none') reader.member([...path, 'primary'], who, ['any', 'none']);
  return { kind: 'primary', who };
}

function readState(reader: Reader, path: Path, states: Record<string, string>): CheckPart {
  for (const name of Object.keys(states))
    if (!reader.members.has(name))
      reader.source.mistakeAtKey(
        [...path, 'state'],
        name,
        `no member is called "${name}"`,
        didYouMeanOneOf(name, [...reader.members.keys()]),
      );
  return { kind: 'state', states: Object.entries(states) as [string, MemberState][] };
}

/** The one key that says what a member is asked; keys that do not belong to it are mistakes. */
function questionOf(reader: Reader, path: Path, input: CheckInput): Question | undefined {
  const { source } = reader;
  const questions = QUESTIONS.filter((key) => key in input);
  if (typeof input.count === 'string') questions.unshift('count');
  const [question, second] = questions;
  if (second !== undefined)
    source.mistakeAtKey(
      path,
      second,
      `a check asks one thing of a member; this one asks "${question}" already`,
      `put "${second}" in a check of its own`,
    );
  const allowed =
    question === undefined ? [] : [...COMPANIONS[question], question, ...(WITHOUT_MEMBER.has(question) ? [] : ['on'])];
  for (const key of DEPENDENT)
    if (key in input && !allowed.includes(key))
      source.mistakeAtKey(
        path,
        key,
        question === undefined ? `"${key}" needs to know what to ask` : `"${key}" does not go with "${question}"`,
        question === undefined
          ? (COMPANIONS.workload as readonly string[]).includes(key)
            ? 'add workload: NAME'
            : 'add count: NAMESPACE, find, sum, command, oplog or log'
          : `with it go: ${[...COMPANIONS[question]].join(', ')}`,
      );
  return question;
}

function readQuestion(reader: Reader, path: Path, input: CheckInput, question: Question): CheckPart {
  const at = (key: string): Path => [...path, key];
  const need = (key: string, hint: string) => {
    if (!reader.has(path, key)) reader.source.mistakeAtKey(path, question, `"${question}" needs "${key}"`, hint);
  };
  if (question === 'reply') return readReply(reader, path, input);
  if (question === 'workload') return readLedger(reader, path, input);
  if (question === 'stream') return readStream(reader, path, input);
  const on = reader.target(at('on'), input.on);
  switch (question) {
    case 'count':
      need('is', 'write is: 25, or is: { $gte: 1 }');
      return {
        kind: 'count',
        on,
        command: countCommand(reader, path, input.count as string),
        is: reader.numberTest(at('is')),
      };
    case 'find': {
      need('is', 'write is: [ { _id: 1 } ]');
      const list = new Template(new Map([['list', reader.value(at('is'))]]));
      if (!Array.isArray(list.value.get('list')) && reader.has(path, 'is'))
        reader.source.mistakeAtPath(at('is'), 'expected a list of documents', 'write is: [ { _id: 1 } ]');
      return {
        kind: 'find',
        on,
        command: findCommand(reader, path, required(input.find, 'namespace to find in')),
        is: list,
        ordered: input.sort !== undefined,
      };
    }
    case 'sum':
      need('of', 'write of: balance');
      need('is', 'write is: 1000');
      if (input.at !== undefined && input.readConcern !== undefined)
        reader.source.mistakeAtKey(path, 'readConcern', '"at" says what is read: snapshots', 'leave it out');
      return {
        kind: 'sum',
        on,
        ns: input.sum ?? '',
        of: input.of ?? '',
        command: sumCommand(reader, path, required(input.sum, 'namespace to add up'), input.of ?? ''),
        everySnapshot: input.at !== undefined,
        is: reader.numberTest(at('is')),
      };
    case 'command':
      if (input.matches === undefined && input.error === undefined) need('matches', 'or "error"');
      return {
        kind: 'command',
        on,
        command: withDb(reader.template(at('command')), input.db ?? 'admin'),
        wants: readWants(reader, path, input),
      };
    case 'oplog': {
      reader.filter(at('oplog'));
      const command = findIn('local', 'oplog.rs', new Map([['filter', reader.value(at('oplog'))]]));
      if (input.entries === undefined) {
        need('count', 'or "entries"');
        return { kind: 'oplogCount', on, command, is: reader.numberTest(at('count')) };
      }
      if (input.count !== undefined) reader.source.mistakeAtKey(path, 'count', '"entries" says how many there are');
      return {
        kind: 'oplogEntries',
        on,
        command,
        entries: input.entries.map((_, index) => reader.filter([...at('entries'), index])),
      };
    }
    default:
      need('count', 'write count: 1, or count: { $gte: 1 }');
      return { kind: 'log', on, filter: reader.filter(at('log')), is: reader.numberTest(at('count')) };
  }
}

function readReply(reader: Reader, path: Path, input: CheckInput): CheckPart {
  const name = required(input.reply, 'reply to look at');
  if (!reader.replies.has(name))
    reader.source.mistakeAtPath(
      [...path, 'reply'],
      `no step before this one was sent "as: ${name}"`,
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
