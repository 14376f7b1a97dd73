// Sets and steps that several questions share.

/** Anybody may lead. */
export const THREE = 'replicaSet: { members: [n1, n2, n3] }';
/** Only n1 leads. */
export const ONE_LEADER = 'replicaSet: { members: [n1, { name: n2, priority: 0 }, { name: n3, priority: 0 }] }';
/** n1 leads, or n2 in its place. */
export const TWO_LEADERS = 'replicaSet: { members: [{ name: n1, priority: 2 }, n2, { name: n3, priority: 0 }] }';
export const LAST_FOLLOWS = 'replicaSet: { members: [n1, n2, { name: n3, priority: 0 }] }';
export const WITH_ARBITER =
  'replicaSet: { members: [n1, { name: n2, priority: 0 }, { name: arb, arbiterOnly: true }] }';
export const MIDDLE_FOLLOWS = 'replicaSet: { members: [n1, { name: n2, priority: 0 }, n3] }';
/** What is written in two minutes is more than an oplog holds. */
export const SMALL_OPLOGS =
  'replicaSet: { members: [{ name: n1, oplogSizeMB: 0.02, priority: 2 }, { name: n2, oplogSizeMB: 0.02 }, { name: n3, oplogSizeMB: 0.02, priority: 0 }] }';
/** d is delayed by a minute, and counts for nobody else. */
export const DELAYED_BESIDE_THREE =
  'replicaSet: { members: [n1, { name: n2, priority: 0 }, { name: n3, priority: 0 }, { name: d, priority: 0, hidden: true, votes: 0, secondaryDelaySecs: 60 }] }';
export const N1 = 'eventually: { within: 30s, primary: n1 }';
export const ANY = 'eventually: { within: 30s, primary: any }';
export const TTL = 'createIndex: { in: app.s, keys: { at: 1 }, options: { expireAfterSeconds: 30 } }';
/** The primary alone has it. */
export const INSERT = 'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }';
export const INSERT_ON_TWO = 'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 2 } }';
/** It has been due for an hour. */
export const DUE = 'insert: { into: app.s, documents: [{ _id: 7, at: { $now: -1h } }], writeConcern: { w: 3 } }';
/** It goes on without the answer. */
export const STEP_UP_N3 = 'run: { on: n3, command: { replSetStepUp: 1 }, as: up }';
