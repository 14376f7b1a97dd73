/** What a scenario is about, told by what its text does. */
const TAGS: readonly (readonly [tag: string, is: RegExp])[] = [
  ['kill', /^\s*- kill:/m],
  ['partition', /^\s*- (?:partition|cut):/m],
  ['step down', /stepDown|replSetStepDown/],
  ['rollback', /rollback/i],
  ['TTL', /expireAfterSeconds|ttl/i],
  ['w: majority', /w: majority/],
  ['w: 1', /w: 1\b/],
  ['workload', /^\s*- workload:/m],
  ['transaction', /transaction/i],
  ['change stream', /watch:|changeStream/],
  ['arbiter', /arbiter/i],
  ['priority', /priority/],
  ['initial sync', /initial sync|wipe: true/i],
  ['clock', /clock/i],
];

export const ALL_TAGS: readonly string[] = TAGS.map(([tag]) => tag);

export function tagsOf(text: string): readonly string[] {
  return TAGS.filter(([, is]) => is.test(text)).map(([tag]) => tag);
}

/** Whether every word is in one of the texts, whatever its case. */
export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
