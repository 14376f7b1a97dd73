/** Scenarios in an order in which one learns from them. */
const LESSONS: readonly (readonly [part: string, files: readonly string[]])[] = [
  [
    'A set comes to life, and loses its primary',
    [
      'election/first-election',
      'election/failover-on-kill',
      'election/failover-on-partition',
      'election/no-majority-no-primary',
    ],
  ],
  [
    'How a write reaches the others, and what is undone',
    ['oplog/majority-cannot-be-reached', 'sync/too-stale-then-initial-sync', 'oplog/unreplicated-write-is-rolled-back'],
  ],
  [
    'What a client may rely on',
    [
      'clients/w1-writes-lost-at-a-partition',
      'clients/dirty-reads-with-local',
      'concerns/linearizable-read-on-an-isolated-primary',
    ],
  ],
  [
    'What expires, and who may delete',
    [
      'ttl/half-a-minute-late',
      'ttl/deletes-replicate',
      'ttl/two-primaries-one-deletes',
      'startup/standalone-on-replica-set-data',
    ],
  ],
];

/** The lessons, part by part; files by path from the top. */
export const lessonParts = LESSONS.map(([part, names]) => ({
  part,
  files: names.map((name) => `scenarios/${name}.yaml`),
}));

/** All lessons, one after the other. */
export const lessonFiles: readonly string[] = lessonParts.flatMap(({ files }) => files);
