/** Going through the parts of a call or an object as a client wrote it, of which there may be thousands. */
import { type BsonValue, ElementCursor } from '@replsim/protocol';
import { loop } from './evaluation.ts';

import type { Meter } from './meter.ts';
import { allParts, finished, more, type Parts } from './parts.ts';

/** What is written in no more bytes has few parts, and is gone through at once. */
const FEW_BYTES = 1024;

/** What was written: its parts, and how long it was. */
export interface Written<T> {
  readonly parts: readonly T[];
  readonly bytes: number;
  /** Of each part, if that is not one. */
  readonly steps?: number;
}

export function writtenIn<T>({ size }: BsonValue, parts: readonly T[]): Written<T> {
  return { parts, bytes: size };
}

/** So few parts are gone through at once. */
export const FEW_PARTS = 64;

/** Parts of which only the number is known. */
export function manyOf<T>(parts: readonly T[], steps = 1): Written<T> {
  return { parts, bytes: parts.length > FEW_PARTS ? Number.POSITIVE_INFINITY : 0, steps };
}

/** What each part is looked at with. If a part throws, it is looked at again: it must have changed nothing yet. */
interface Look<T, R> {
  /** True ends it before the last part. */
  each(part: T): boolean | undefined;
  end(): R;
}

/** Looks at each part, in turns with others where there may be many. */
export function lookThrough<T, R>(written: Written<T>, meter: Meter | undefined, begin: () => Look<T, R>): R {
  if (written.bytes > FEW_BYTES) return loop(meter, () => partByPart(written, begin()));
  const look = begin();
  for (const part of written.parts) if (look.each(part)) break;
  return look.end();
}

function partByPart<T, R>({ parts, steps }: Written<T>, look: Look<T, R>): Parts<R> {
  let at = 0;
  return {
    next() {
      if (at >= parts.length) return finished(look.end());
      if (look.each(parts[at]!)) at = parts.length;
      else at++;
      return more(steps);
    },
  };
}

/** The first part of which something holds. */
export function firstOf<T>(written: Written<T>, meter: Meter | undefined, holds: (part: T) => boolean): T | undefined {
  if (written.bytes <= FEW_BYTES) return written.parts.find(holds);
  return lookThrough(written, meter, () => {
    let first: T | undefined;
    return {
      each(part) {
        if (!holds(part)) return false;
        first = part;
        return true;
      },
      end: () => first,
    };
  });
}

/** What it costs to read an element, a field or a condition. */
const READ_STEPS = 8;

/** What elements or fields are read with. If one throws, it is read again: it must have changed nothing yet. */
interface Reader<R> {
  read(value: BsonValue, name: string): void;
  end(): R;
}

/**
 * Reads each element of an array, or field of a document, in turns with others where there may be many.
 * @param meter only of who reads it so that others have their turn
 */
export function readThrough<R>(
  { bytes, offset, size }: BsonValue,
  meter: Meter | undefined,
  begin: () => Reader<R>,
): R {
  const reading = () => oneByOne(new ElementCursor(bytes, offset), begin());
  return meter && size > FEW_BYTES ? loop(meter, reading) : allParts(reading());
}

function oneByOne<R>(cursor: ElementCursor, reader: Reader<R>): Parts<R> {
  let isRead = true;
  return {
    next() {
      if (isRead && !cursor.next()) return finished(reader.end());
      isRead = false;
      reader.read(cursor.value(), cursor.name);
      isRead = true;
      return more(READ_STEPS);
    },
  };
}

/** What each of them is read as. */
export function readEach<R>(
  value: BsonValue,
  meter: Meter | undefined,
  read: (value: BsonValue, name: string) => R,
): R[] {
  return readThrough(value, meter, () => {
    const all: R[] = [];
    return { read: (each, name) => void all.push(read(each, name)), end: () => all };
  });
}

/** What each part comes to. */
export function eachOf<T, R>(written: Written<T>, meter: Meter | undefined, compute: (part: T) => R): R[] {
  if (written.bytes <= FEW_BYTES) return written.parts.map(compute);
  return lookThrough(written, meter, () => {
    const all: R[] = [];
    return {
      each(part) {
        all.push(compute(part));
        return false;
      },
      end: () => all,
    };
  });
}
