/** Going through the parts of a call or an object as a client wrote it, of which there may be thousands. */
import type { BsonValue } from '@replsim/protocol';
import { loop } from './evaluation.ts';

import type { Meter } from './meter.ts';
import { finished, more, type Parts } from './parts.ts';

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
