import { accessRules } from './access.ts';
import type { MutatedRule } from './mutatedRule.ts';
import { oplogRules } from './oplog.ts';

/** Every mutation of the table, a theme after the other. */
export const allRules: readonly MutatedRule[] = [...accessRules, ...oplogRules];
