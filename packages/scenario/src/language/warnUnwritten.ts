import { didYouMean } from '@replsim/kernel';
import { CommandError, encodeDocument } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { Path, Source } from '../file/source.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { rowOf } from '../steps/table.ts';

/** Commands that only read what they name. */
const READS = new Set(['find', 'count', 'distinct', 'listIndexes', 'validate', 'collStats', 'explain', 'dbHash']);
const CHECKS = ['expect', 'eventually', 'always', 'sometimes'];
/** Databases that members write by themselves. */
const OWN = /^(admin|config|local)\.|\.system\./;

type Fields = Readonly<Record<string, unknown>>;

/** The namespaces that steps name other than to read, and those of them that may get documents: an index alone brings none. */
interface Written {
  readonly named: Set<string>;
  readonly filled: Set<string>;
}

/**
 * Warns of collections that checks look at and no step names but to read. A check that holds of a collection without documents
 * may mean just that; it is told only if a collection that is written has a similar name.
 * @param steps plain, and found right
 */
export function warnUnwritten(source: Source, steps: readonly Fields[]): void {
  const all = plainSteps(steps);
  // What is sent as bytes nobody here has read.
  if (all.some(({ step }) => 'send' in step)) return;
  const written: Written = { named: new Set(), filled: new Set() };
  for (const { step } of all)
    for (const ns of namedIn(step)) {
      written.named.add(ns);
      if (!isAboutIndexes(step)) written.filled.add(ns);
    }
  for (const { path, step } of all) {
    for (const kind of CHECKS) if (kind in step) warnCheck(source, [...path, kind], step[kind], written, false);
    if ('ask' in step) warnAnswer(source, [...path, 'ask', 'answer'], (step.ask as Fields).answer, written);
  }
}

/** Nobody says what the answer should be, and so whether it may be of a collection without documents. */
function warnAnswer(source: Source, path: Path, answer: unknown, written: Written): void {
  if (!isFields(answer)) return;
  warnCheck(source, [...path, 'holds'], answer.holds, written, false);
  if (isFields(answer.count)) warnNamespace(source, [...path, 'count', 'in'], answer.count.in, written, false);
}

function warnCheck(source: Source, path: Path, input: unknown, written: Written, negated: boolean): void {
  if (!isFields(input)) return;
  warnCheck(source, [...path, 'not'], input.not, written, !negated);
  const warn = (at: Path, ns: unknown, holdsOfNone: boolean) => warnNamespace(source, at, ns, written, holdsOfNone);
  warn([...path, 'sum'], input.sum, false);
  for (const question of ['count', 'find'])
    warn([...path, question], input[question], holdsOfNone(question, input.is) !== negated);
  if (Array.isArray(input.same))
    for (const [index, ns] of input.same.entries()) warn([...path, 'same', index], ns, false);
}

function warnNamespace(source: Source, path: Path, ns: unknown, written: Written, mayBeEmpty: boolean): void {
  if (typeof ns !== 'string' || written.filled.has(ns) || OWN.test(ns)) return;
  const isNamed = written.named.has(ns);
  const suggestion = didYouMean(ns, written.filled);
  if ((mayBeEmpty || isNamed) && suggestion === undefined) return;
  source.warnAtPath(path, `no step ${isNamed ? 'puts documents into' : 'writes or creates'} ${ns}`, suggestion);
}

/** Whether a check of no documents at all holds. What only the run knows is taken to. */
function holdsOfNone(question: string, is: unknown): boolean {
  if (question === 'find') return Array.isArray(is) && is.length === 0;
  try {
    return compileFilter(encodeDocument({ v: is }))(encodeDocument({ v: 0 }));
  } catch (error) {
    if (error instanceof CommandError) return true;
    throw error;
  }
}

/** Commands that make a place for documents, and none of these. */
const OF_CATALOG = new Set(['create', 'createIndexes', 'dropIndexes', 'collMod']);

function isAboutIndexes(step: Fields): boolean {
  if ('createIndex' in step) return true;
  return isFields(step.run) && isFields(step.run.command) && OF_CATALOG.has(Object.keys(step.run.command)[0] ?? '');
}

/** The namespaces that a step may write: whatever text in it could be one. */
export function namedIn(step: Fields): string[] {
  const [kind = ''] = Object.keys(step);
  const input = step[kind];
  if (rowOf(kind)?.writesNothing || !isFields(input)) return [];
  if (kind === 'workload') return ['insert', 'update', 'transfer', 'append'].flatMap((key) => textsIn(input[key]));
  if (kind !== 'run' || !isFields(input.command)) return textsIn(input);
  const [[name, first] = ['', undefined], ...others] = Object.entries(input.command);
  if (READS.has(name)) return [];
  // Of a pipeline only the stages may name what they write.
  const texts = [...(name === 'aggregate' ? [] : textsIn(first)), ...textsIn(others)];
  return texts.flatMap((text) => [text, `${String(input.db ?? 'admin')}.${text}`]);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
