import { issuesOf, plainIssues } from '@replsim/replset';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { forecastSchema } from '../../src/forecast/forecastSchema.ts';
import { scenarioSchema } from '../../src/language/scenarioSchema.ts';

// Whatever is written in the place of a value, the message is ours, and not that of the library which compares shapes.

const WRONG = [null, true, 5, -1, 1.5, 1e300, 10n, 'x', '', [], {}, ['x'], [5], { a: 1 }, { '': 1 }, [[1]]];
const NOT_OURS =
  /Invalid|received|Too (big|small)|Unrecognized|nonoptional|expected (string|record|object|array|int)\b/;

/** All shapes that a shape consists of, each once. */
function partsOf(shape: z.ZodType, found = new Set<z.ZodType>()): Set<z.ZodType> {
  if (found.has(shape)) return found;
  found.add(shape);
  const { shape: fields, options, getter, ...rest } = shape.def as unknown as Record<string, unknown>;
  const inside = [
    ...Object.values(rest),
    ...((options as unknown[]) ?? []),
    ...Object.values((fields as object) ?? {}),
  ];
  if (typeof getter === 'function') inside.push(getter());
  for (const part of inside) if (isShape(part)) partsOf(part, found);
  return found;
}

function isShape(part: unknown): part is z.ZodType {
  return typeof (part as z.ZodType | undefined)?.safeParse === 'function';
}

test.for([
  ['scenario', scenarioSchema, 400],
  ['forecast', forecastSchema, 40],
] as const)('no message about a %s speaks of types of JavaScript', ([, schema, atLeast]) => {
  const parts = [...partsOf(schema)];
  expect(parts.length).toBeGreaterThan(atLeast);
  const messages = parts.flatMap((part) => WRONG.flatMap((value) => plainIssues(issuesOf(part, value))));
  expect(messages.length).toBeGreaterThan(parts.length);
  expect(messages.map(({ message }) => message).filter((message) => NOT_OURS.test(message))).toEqual([]);
});
