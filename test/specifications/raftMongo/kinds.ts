/** RaftMongo's actions; LearnCommitPointFromSyncSource is its LearnCommitPointFromSyncSourceNeverBeyondLastApplied. */
export const ACTIONS = [
  'AppendOplog',
  'RollbackOplog',
  'BecomePrimaryByMagic',
  'Stepdown',
  'ClientWrite',
  'UpdateTermThroughHeartbeat',
  'AdvanceCommitPoint',
  'LearnCommitPointWithTermCheck',
  'LearnCommitPointFromSyncSource',
] as const;
export type Action = (typeof ACTIONS)[number];

/** What members do that RaftMongo does not speak of. */
export const OUTSIDE = {
  entryOfNoTerm: 'an entry without a term, from before the first election',
  catchUp: 'a primary appends in its catch-up, before it writes; the specification has none',
  lostElection: 'a candidate raised its term and was not elected; the specification knows won elections only',
  reconfig: 'other voters; the specification has one constant set of servers',
  arbiter: "an arbiter takes over a commit point, though it has no log that the specification's check could look at",
  crash: 'a process ended and took entries along that were not flushed',
  emptied: 'a member came back with an empty disk',
  restart: 'a process ended and forgot its commit point, or a term that it had only heard of',
  initialSync: 'an initial sync threw a log away',
} as const;
export type Outside = keyof typeof OUTSIDE;

/** A step is an action now, or one by what a message under way told, or not the specification's. */
export type Kind = Action | `${Action}, delayed` | `outside: ${Outside}`;

/** A table of how often each kind of step came about. */
export function describeSteps(tally: ReadonlyMap<Kind, number>): string {
  return [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`)
    .join('\n');
}
