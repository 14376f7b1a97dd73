import { parseDuration } from '@replsim/kernel';
import { isMap } from 'yaml';
import type { Draft } from '../search/draft.ts';

type Path = readonly (string | number)[];

/** Where a text has pieces that may be smaller, from the outside in. */
const ROOTS: readonly Path[] = [['replicaSet'], ['zones'], ['meanwhile'], ['steps']];
/** Without them a step or a member would say nothing. */
const SHALLOWEST: Readonly<Record<string, number>> = { steps: 3, meanwhile: 3, replicaSet: 2, zones: 2 };

/** Every entry of maps and lists inside steps, faults and the set: fewer documents, fields, options, settings. */
export function* fewerEntries(draft: Draft): Generator<Draft> {
  for (const root of ROOTS)
    for (const [path] of entriesIn(draft.get(...root), root))
      if (path.length >= (SHALLOWEST[String(root[0])] ?? 0) && !isNeeded(path)) yield draft.copy().delete(...path);
}

/** Fields of commands that a recording has as text: sessions, clocks, concerns, documents. What a command is called stays, and where it goes. */
export function* fewerFields(draft: Draft): Generator<Draft> {
  for (const [i, step] of draft.steps.entries()) {
    const path = ['steps', i, 'send', 'command'];
    const text = isMapWithSend(step) ? draft.get(...path) : undefined;
    if (typeof text !== 'string') continue;
    const command = parsed(text);
    if (!isRecord(command)) continue;
    const [, ...fields] = Object.keys(command);
    for (const field of fields) {
      if (field === '$db') continue;
      const { [field]: _, ...rest } = command;
      yield draft.copy().set(path, JSON.stringify(rest));
    }
  }
}

function isMapWithSend(step: unknown): boolean {
  return isMap(step) && step.has('send');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many members there are is another matter. */
function isNeeded(path: Path): boolean {
  return path[0] === 'replicaSet' && path[1] === 'members' && path.length === 2;
}

/** What stands in a repetition or a transaction by itself; and a list of members by their number or their names. */
export function* plainer(draft: Draft): Generator<Draft> {
  for (const [i, step] of (draft.plain('steps') as Record<string, unknown>[]).entries()) {
    const inner = Object.values(step).find((value) => isRecord(value) && Array.isArray(value.steps)) as
      | { readonly steps: readonly unknown[] }
      | undefined;
    if (inner)
      yield draft
        .copy()
        .removeSteps(i, 1)
        .insert(i, ...inner.steps);
  }
  const members = draft.get('replicaSet', 'members');
  if (!Array.isArray(members)) return;
  yield draft.copy().set(['replicaSet', 'members'], members.length);
  for (const [i, member] of members.entries())
    if (isRecord(member) && typeof member.name === 'string')
      yield draft.copy().set(['replicaSet', 'members', i], member.name);
}

/** Durations that are easier to read, wherever they stand in steps and faults. */
export function* rounderDurations(draft: Draft): Generator<Draft> {
  for (const root of [['meanwhile'], ['steps']])
    for (const [path, value] of entriesIn(draft.get(...root), root)) {
      const micros = typeof value === 'string' ? parseDuration(value) : undefined;
      if (micros !== undefined) for (const rounder of rounded(micros)) yield draft.copy().set(path, rounder);
    }
}

/** From the outside in, so that what is large goes first. */
function* entriesIn(value: unknown, path: Path): Generator<[path: Path, value: unknown]> {
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((each, i) => [i, each])
    : isRecord(value)
      ? Object.entries(value)
      : [];
  // From the last, so that what goes moves nothing that is still to come.
  for (const [key, each] of entries.reverse()) {
    yield [[...path, key], each];
    yield* entriesIn(each, [...path, key]);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SECOND = 1_000_000;

/** The roundest first. */
function* rounded(micros: number): Generator<string> {
  for (const unit of [60 * SECOND, 10 * SECOND, SECOND, SECOND / 10]) {
    if (micros % unit === 0) return;
    const seconds = (Math.round(micros / unit) * unit) / SECOND;
    if (seconds > 0) yield `${seconds}s`;
  }
}
