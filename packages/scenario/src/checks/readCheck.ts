import { didYouMeanOneOf } from '@replsim/kernel';
import type { MemberState } from '@replsim/protocol';
import type { Path } from '../file/source.ts';
import { LATENCY_NAMES, LEDGER_COUNTS } from '../ledgerCounts.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import type { Answer, Check, CheckPart } from '../scenario.ts';
import type { CheckInput } from './checkSchema.ts';
import { readTtl } from './readTtl.ts';
import { QUESTIONS } from './table.ts';

/** Keys that mean nothing by themselves: they belong to a question. */
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
  const question = QUESTIONS[questionOf(reader, path, input) ?? ''];
  if (question) parts.push(question.read(reader, path, input));
  if (input.same !== undefined) parts.push({ kind: 'same', namespaces: input.same });
  if (input.ttl !== undefined) parts.push(readTtl(reader, [...path, 'ttl'], input.ttl));
  if (input.not !== undefined)
    parts.push({ kind: 'not', check: readCheck(reader, [...path, 'not'], input.not as CheckInput) });
  if (parts.length === 0)
    reader.source.mistakeAtPath(
      path,
      'this check is empty',
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
function questionOf(reader: Reader, path: Path, input: CheckInput): string | undefined {
  const { source } = reader;
  const [key, second] = Object.keys(QUESTIONS).filter((each) =>
    each === 'count' ? typeof input.count === 'string' : each in input,
  );
  if (second !== undefined)
    source.mistakeAtKey(
      path,
      second,
      `a check asks one thing of a member; this one asks "${key}" already`,
      `put "${second}" in a check of its own`,
    );
  const question = QUESTIONS[key ?? ''];
  const companions = question?.companions ?? [];
  const allowed = [...companions, key, ...(question && !question.ofNobody ? ['on'] : [])];
  for (const each of DEPENDENT)
    if (each in input && !allowed.includes(each))
      source.mistakeAtKey(
        path,
        each,
        key === undefined ? `"${each}" needs to know what to ask` : `"${each}" does not go with "${key}"`,
        key === undefined ? questionFor(each) : `with it go: ${companions.join(', ')}`,
      );
  return key;
}

function questionFor(key: string): string {
  return QUESTIONS.workload?.companions.includes(key)
    ? 'add workload: NAME'
    : 'add count: NAMESPACE, find, sum, command, oplog or log';
}
