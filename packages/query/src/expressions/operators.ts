import { basicOperators } from './basic.ts';
import type { Operator, Operators } from './operator.ts';

const tables: readonly Operators[] = [basicOperators];

/** All that computes its arguments first, by name. */
export const operators: ReadonlyMap<string, Operator> = new Map(tables.flatMap((table) => Object.entries(table)));
