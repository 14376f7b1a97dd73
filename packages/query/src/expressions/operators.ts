import { arrayOperators } from './arrays.ts';
import { basicOperators } from './basic.ts';
import { conversionOperators } from './conversion.ts';
import { dateOperators } from './dates.ts';
import { numberOperators } from './numbers.ts';
import { objectOperators } from './objects.ts';
import type { Operator, Operators } from './operator.ts';
import { setOperators } from './sets.ts';
import { stringOperators } from './strings.ts';
import { sumOperators } from './sums.ts';
import { trigonometryOperators } from './trigonometry.ts';

const tables: readonly Operators[] = [
  basicOperators,
  arrayOperators,
  conversionOperators,
  dateOperators,
  numberOperators,
  objectOperators,
  setOperators,
  stringOperators,
  sumOperators,
  trigonometryOperators,
];

/** All that computes its arguments first, by name. */
export const operators: ReadonlyMap<string, Operator> = new Map(tables.flatMap((table) => Object.entries(table)));
