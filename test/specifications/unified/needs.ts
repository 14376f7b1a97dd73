import type { SpecificationFile, SpecificationTest } from './format.ts';

/** What replsim does not have yet, and tests use. */
export type Need = 'change streams';

const USES: readonly (readonly [Need, RegExp])[] = [
  ['change streams', /"(createChangeStream|changeStreamPreAndPostImages|\$changeStream)"/],
];

/** What a test needs of that, by what it does and not by how it ends; undefined for most. */
export function needOf(
  suite: string,
  { createEntities, initialData }: SpecificationFile,
  { operations }: SpecificationTest,
): Need | undefined {
  const text = JSON.stringify([createEntities, initialData, operations]);
  return suite === 'change-streams' ? 'change streams' : USES.find(([, pattern]) => pattern.test(text))?.[0];
}
