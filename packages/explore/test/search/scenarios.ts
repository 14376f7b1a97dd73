/** A claim that does not hold where the primary is cut off, or killed before others have what it acknowledged. */
export const W1 = `# What one member acknowledged may be lost.
name: An acknowledged write is never lost
replicaSet: { members: 3, settings: { chainingAllowed: false } }
begin: with a primary
steps:
  - note: clients write all the time
  - workload: { name: w, every: 500ms, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 20s
  - stop: w
  - advance: 5s
  - expect: { workload: w, lost: 0 }
`;

/** The same of a majority, which holds. */
export const MAJORITY = W1.replace('w: 1 }', 'w: majority }')
  .replace('advance: 20s', 'advance: 1s')
  .replace('advance: 5s', 'advance: 1s');
