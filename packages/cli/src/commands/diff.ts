import { closeSync, openSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { TRACE_VERSION } from '@replsim/protocol';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { linesOf } from '../linesOf.ts';

/** As much of what went before as tells where one is. */
const SHOWN_BEFORE = 3;
/** Of more than these one does not read on. */
const SHOWN_FIELDS = 5;

/** An event as a trace's line has it. */
interface TracedEvent {
  readonly atMicros: number;
  readonly type: string;
  readonly member?: string;
}

/**
 * `replsim diff`: the first event in which two traces differ, in words. What comes after it follows from it.
 * @throws InputError for what is no trace
 */
export function diffCommand(paths: readonly [string, string], io: Io): number {
  const [a, b] = paths.map((path) => new TraceReader(path)) as [TraceReader, TraceReader];
  try {
    const before: string[] = [];
    for (let events = 0; ; events++) {
      const [first, second] = [a.next(), b.next()];
      if (first === undefined && second === undefined) {
        io.out(`the same: ${events} events\n`);
        return ExitCodes.ok;
      }
      if (first === second) {
        before.push(first as string);
        if (before.length > SHOWN_BEFORE) before.shift();
        continue;
      }
      const [one, other] = [a.event(first), b.event(second)];
      io.out(`${inWords([a.path, b.path], one, other, events)}${beforeIt(before)}`);
      return ExitCodes.failed;
    }
  } finally {
    a.close();
    b.close();
  }
}

/** Reads a trace line by line. */
class TraceReader {
  readonly path: string;
  readonly #file: number;
  readonly #lines: Iterator<string, undefined>;
  #number = 0;

  constructor(path: string) {
    this.path = path;
    try {
      this.#file = openSync(path, 'r');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new InputError(`${path}: no such file; replsim run FILE --trace ${path} writes one`);
      throw new InputError(`cannot read the trace: ${message}`);
    }
    this.#lines = linesOf(this.#file);
  }

  next(): string | undefined {
    let line: string | undefined;
    try {
      line = this.#lines.next().value;
    } catch (error) {
      throw new InputError(`cannot read the trace ${this.path}: ${(error as Error).message}`);
    }
    this.#number += 1;
    if (this.#number === 1) this.#checkHead(line);
    return line;
  }

  #checkHead(line: string | undefined): void {
    const head = this.event(line) as (TracedEvent & { readonly traceVersion?: number }) | undefined;
    if (head?.type !== 'runStarted') throw this.#noTrace();
    if (head.traceVersion !== TRACE_VERSION)
      throw new InputError(
        `${this.path}:1: this trace is of version ${head.traceVersion}, and version ${TRACE_VERSION} is read here; ` +
          'replsim run FILE --trace OTHER writes it anew',
      );
  }

  /** The event of the line that was read last. */
  event(line: string | undefined): TracedEvent | undefined {
    if (line === undefined) return undefined;
    try {
      const event: unknown = JSON.parse(line);
      if (isEvent(event)) return event;
    } catch {
      if (this.#number > 1 && line.startsWith('{'))
        throw new InputError(
          `${this.path}:${this.#number}: this line breaks off: the trace was not written to its end; ` +
            'replsim run FILE --trace OTHER writes it anew',
        );
    }
    throw this.#noTrace();
  }

  close(): void {
    closeSync(this.#file);
  }

  #noTrace(): InputError {
    return new InputError(
      `${this.path}:${this.#number}: this is no event of a trace; replsim run FILE --trace ${this.path} writes one`,
    );
  }
}

function isEvent(value: unknown): value is TracedEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { atMicros, type } = value as Partial<TracedEvent>;
  return typeof atMicros === 'number' && typeof type === 'string';
}

function inWords(
  [a, b]: readonly [string, string],
  one: TracedEvent | undefined,
  other: TracedEvent | undefined,
  equal: number,
): string {
  const head = `the same for ${equal} events; in event ${equal + 1} they differ:\n`;
  if (one === undefined || other === undefined) {
    const [ended, goesOn, next] = one === undefined ? [a, b, other] : [b, a, one];
    return `${head}  ${ended} has ended, ${goesOn} goes on: ${next && `${called(next)} at ${seconds(next)}`}\n`;
  }
  if (called(one) !== called(other))
    return `${head}  ${a}: ${called(one)} at ${seconds(one)}\n  ${b}: ${called(other)} at ${seconds(other)}\n`;
  const sameTime = one.atMicros === other.atMicros;
  const when = sameTime ? `at ${seconds(one)} in both` : `at ${seconds(one)} in ${a}, at ${seconds(other)} in ${b}`;
  const fields = differingFields(one, other).filter(({ name }) => name !== 'atMicros');
  const lines = fields
    .slice(0, SHOWN_FIELDS)
    .map((each) => `    ${each.name} is ${each.one} in ${a}, ${each.other} in ${b}\n`);
  const more = fields.length > SHOWN_FIELDS ? `    and ${fields.length - SHOWN_FIELDS} more differ\n` : '';
  return `${head}  ${called(one)}, ${when}\n${lines.join('')}${more}`;
}

const seconds = ({ atMicros }: TracedEvent) => `${(atMicros / 1e6).toFixed(6)}s`;
const called = ({ member, type }: TracedEvent) => (member === undefined ? type : `${member} ${type}`);

interface DifferingField {
  /** Its path in the event. */
  readonly name: string;
  readonly one: string;
  readonly other: string;
}

function differingFields(one: unknown, other: unknown, path = ''): DifferingField[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return [{ name: path, one: shown(one), other: shown(other) }];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => differingFields(one[name], other[name], path === '' ? name : `${path}.${name}`));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

function beforeIt(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `the last equal events before it:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
