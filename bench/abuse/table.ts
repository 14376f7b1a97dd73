import { CATALOG } from './catalog.ts';
import { EXPRESSIONS } from './expressions.ts';
import { READS } from './reads.ts';
import type { Row } from './row.ts';
import { STAGES, WINDOWS } from './stages.ts';
import { WRITES } from './writes.ts';

/** Commands with the worst input that mongod's limits allow. The catalog is last, as it ends with a drop of everything. */
export const TABLE: readonly Row[] = [...STAGES, ...WINDOWS, ...EXPRESSIONS, ...READS, ...WRITES, ...CATALOG];
