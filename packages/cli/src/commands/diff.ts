import { closeSync, openSync } from 'node:fs';
import { TRACE_VERSION } from '@replsim/protocol';
import type { TracedEvent } from '@replsim/scenario';
import { unreadable } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { linesOf } from '../linesOf.ts';

/** As much of what went before as tells where one is. */
const SHOWN_BEFORE = 3;
/**
 * `replsim diff`: the first event in which two traces differ, in words. What comes after it follows from it. That they began with
 * another seed or setting is said, and is not yet the difference: somebody wanted it so, and asks what came of it.
 * @throws InputError for what is no trace
 */
export async function diffCommand(paths: readonly [string, string], io: Io): Promise<number> {
  const { beginningInWords, differenceInWords } = await import('@replsim/scenario');
  const [a, b] = paths.map((path) => new TraceReader(path)) as [TraceReader, TraceReader];
  try {
    const heads = [a.next(), b.next()] as const;
    const began = beginningInWords(paths, a.event(heads[0]) as TracedEvent, b.event(heads[1]) as TracedEvent);
    if (began !== undefined) io.out(began);
    const before = heads[0] === heads[1] ? [heads[0] as string] : [];
    for (let number = 2; ; number++) {
      const [first, second] = [a.next(), b.next()];
      const equal = began === undefined ? number - 1 : number - 2;
      if (first === undefined && second === undefined) {
        io.out(`${began === undefined ? 'the same' : 'otherwise the same'}: ${equal} events\n`);
        return began === undefined ? ExitCodes.ok : ExitCodes.failed;
      }
      if (first === second) {
        before.push(first as string);
        if (before.length > SHOWN_BEFORE) before.shift();
        continue;
      }
      const difference = { number, one: a.event(first), other: b.event(second) };
      io.out(`${began === undefined ? '' : 'then '}the same for ${equal} events; in event ${number} they differ:\n`);
      io.out(`${differenceInWords(paths, difference)}${beforeIt(before)}`);
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
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new InputError(`${path}: no such file; replsim run FILE --trace ${path} writes one`);
      throw new InputError(`${path}: this trace cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`);
    }
    this.#lines = linesOf(this.#file, null);
  }

  next(): string | undefined {
    let line: string | undefined;
    try {
      line = this.#lines.next().value;
    } catch (error) {
      throw new InputError(`${this.path}: this trace cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`);
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
        `${this.path}:1: this trace has version ${head.traceVersion}, and this replsim reads version ${TRACE_VERSION}; ` +
          'replsim run FILE --trace OTHER writes it again',
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
          `${this.path}:${this.#number}: this line is incomplete: the trace was not written to its end; ` +
            'replsim run FILE --trace OTHER writes it again',
        );
    }
    throw this.#noTrace();
  }

  close(): void {
    closeSync(this.#file);
  }

  #noTrace(): InputError {
    return new InputError(
      `${this.path}:${this.#number}: this is not an event of a trace; replsim run FILE --trace ${this.path} writes one`,
    );
  }
}

function isEvent(value: unknown): value is TracedEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { atMicros, type } = value as Partial<TracedEvent>;
  return typeof atMicros === 'number' && typeof type === 'string';
}

function beforeIt(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `the last equal events before it:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
