/** One rule of the sources, broken in one place. */
interface Broken {
  /** The source, from the root: `packages/oplog/src/commitPoint.ts`. */
  readonly file: string;
  /** What is replaced. It occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** One line: what the rule is for, or what goes wrong without it. */
  readonly why: string;
}

/** It is killed: the test fails with it. */
export interface KilledRule extends Broken {
  /** The cheapest test file that fails, from the root. Its tests run in one process, with our sources and not with what was built. */
  readonly test: string;
  /** A part of the name of the test that fails, as it is written in the file, where the rest of the file takes long. */
  readonly title?: string;
}

/** No test can fail: it behaves the same. */
export interface EqualRule extends Broken {
  /** One line: why nothing differs. */
  readonly equal: string;
}

export type MutatedRule = KilledRule | EqualRule;

/** Whether a row says that its mutation is equal to the honest rule. */
export const isEqual = (rule: MutatedRule): rule is EqualRule => 'equal' in rule;
