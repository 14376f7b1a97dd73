import { formatInstantExactly } from '@replsim/kernel';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** When a step of the run began and ended. */
export interface StepTime {
  /** From 1, as the trace counts. */
  readonly index: number;
  readonly atMicros: number;
  /** Undefined while it is not over. */
  readonly endedMicros: number | undefined;
}

/** Something that is to happen: faults, which may stand beside an instant, or another step. */
export interface NewStep {
  readonly kind: 'fault' | 'step';
  /** As they are written behind the dash, one after the other at the same instant: `kill: n2`. */
  readonly texts: readonly string[];
}

export interface Edited {
  readonly text: string;
  /** Where the new step stands, from 1. */
  readonly line: number;
}

/**
 * The scenario with a step that happens at an instant. Steps before it stay as they are; an `advance` that was under way then is taken
 * apart, so that it ends when it did; of any other step that was under way it stands before, as nothing can happen inside one. What is
 * clicked while the set of `begin: with a primary` comes about happens when it stands.
 * @returns undefined if the text has no list of steps
 */
export function insertStep(
  text: string,
  clickedMicros: number,
  step: NewStep,
  steps: readonly StepTime[],
): Edited | undefined {
  const list = stepsOf(text);
  if (list === undefined) return undefined;
  const atMicros = afterBegin(clickedMicros, steps);
  const { item, endedMicros, following } = placeOf(list, atMicros, steps);
  if (item?.advances && endedMicros !== undefined) {
    const rest = `advance: { to: ${formatInstantExactly(endedMicros)} }`;
    return put(text, item.lineStart, item.end, list, [...written(step, atMicros), rest]);
  }
  const start = (item ?? following)?.lineStart ?? list.endOffset;
  return put(text, start, start, list, written(step, atMicros));
}

/** The scenario without what comes after an instant: somebody goes on from there by hand. */
export function forkAt(text: string, clickedMicros: number, steps: readonly StepTime[]): string {
  const list = stepsOf(text);
  if (list === undefined) return text;
  const atMicros = afterBegin(clickedMicros, steps);
  const { item, following } = placeOf(list, atMicros, steps);
  const cut = item?.advances ? item : following;
  if (cut === undefined) return text;
  return `${text.slice(0, cut.lineStart)}${pad(list)}- advance: { to: ${formatInstantExactly(atMicros)} }\n${text.slice(list.endOffset)}`;
}

/** Steps come after what `begin` asks for, which is step 0; before that there is no place for one. */
function afterBegin(atMicros: number, steps: readonly StepTime[]): number {
  return Math.max(atMicros, steps.find(({ index }) => index === 0)?.endedMicros ?? 0);
}

/** Which step was under way at an instant, if one was, and which one comes behind those that had begun. */
function placeOf(list: StepList, atMicros: number, steps: readonly StepTime[]) {
  const last = steps.findLast((each) => each.atMicros <= atMicros);
  const isUnderWay = last && (last.endedMicros === undefined || last.endedMicros > atMicros);
  const item = isUnderWay ? list.items[last.index - 1] : undefined;
  return { item, endedMicros: last?.endedMicros, following: list.items[last?.index ?? 0] };
}

interface Item {
  /** Where the line begins on which its dash, or the comment above it, stands. */
  readonly lineStart: number;
  readonly end: number;
  readonly advances: boolean;
}

interface StepList {
  readonly items: readonly Item[];
  /** The column of the dashes, from 0. */
  readonly indent: number;
  /** Behind the last step. */
  readonly endOffset: number;
}

function stepsOf(text: string): StepList | undefined {
  const { contents } = parseDocument(text);
  const steps = isMap(contents) ? contents.get('steps', true) : undefined;
  if (!isSeq(steps) || steps.flow || steps.items.length === 0) return undefined;
  const items = steps.items.map((item): Item => {
    const [start = 0, , end = 0] = isMap(item) || isScalar(item) ? (item.range ?? []) : [];
    return {
      lineStart: withComments(text, text.lastIndexOf('\n', start - 1) + 1),
      end: endOfLine(text, end),
      advances: isMap(item) && item.has('advance'),
    };
  });
  const [first] = items;
  if (first === undefined) return undefined;
  const indent = text.slice(first.lineStart).search(/\S/);
  return { items, indent, endOffset: items.at(-1)?.end ?? text.length };
}

/** Where the comments begin that stand right above a line: they are about what follows. */
export function withComments(text: string, lineStart: number): number {
  let start = lineStart;
  for (;;) {
    const before = text.lastIndexOf('\n', start - 2) + 1;
    if (start === 0 || !/^\s*#/.test(text.slice(before, start))) return start;
    start = before;
  }
}

/** `range` ends where the next token begins, which may be on a later line. */
function endOfLine(text: string, end: number): number {
  const trimmed = text.slice(0, end).trimEnd().length;
  const newline = text.indexOf('\n', trimmed);
  return newline < 0 ? text.length : newline + 1;
}

function written({ kind, texts }: NewStep, atMicros: number): string[] {
  const instant = formatInstantExactly(atMicros);
  return kind === 'fault' ? texts.map((text) => `at: ${instant}\n${text}`) : [`advance: { to: ${instant} }`, ...texts];
}

/** Puts steps in the place of what stands between two offsets. */
function put(text: string, start: number, end: number, list: StepList, steps: readonly string[]): Edited {
  const head = text.slice(0, start);
  const before = head === '' || head.endsWith('\n') ? head : `${head}\n`;
  const indent = pad(list);
  const lines = steps.map((step) => `${indent}- ${step.replaceAll('\n', `\n${indent}  `)}\n`).join('');
  return { text: `${before}${lines}${text.slice(end)}`, line: before.split('\n').length };
}

function pad({ indent }: StepList): string {
  return ' '.repeat(indent);
}
