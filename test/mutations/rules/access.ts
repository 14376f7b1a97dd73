import type { MutatedRule } from './mutatedRule.ts';

/** Rules of users, roles and what they may do. */
export const accessRules: readonly MutatedRule[] = [];
