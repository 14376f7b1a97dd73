// Names and values of mongodb-memory-server 11. These objects stand for its enums.

/** States of a `MongoMemoryServer`. */
export const MongoMemoryServerStates = {
  new: 'new',
  starting: 'starting',
  running: 'running',
  stopped: 'stopped',
} as const;
export type MongoMemoryServerStates = (typeof MongoMemoryServerStates)[keyof typeof MongoMemoryServerStates];

/** Events of a `MongoMemoryServer`. */
export const MongoMemoryServerEvents = { stateChange: 'stateChange' } as const;
export type MongoMemoryServerEvents = (typeof MongoMemoryServerEvents)[keyof typeof MongoMemoryServerEvents];

/** States of a `MongoMemoryReplSet`. */
export const MongoMemoryReplSetStates = { init: 'init', running: 'running', stopped: 'stopped' } as const;
export type MongoMemoryReplSetStates = (typeof MongoMemoryReplSetStates)[keyof typeof MongoMemoryReplSetStates];

/** Events of a `MongoMemoryReplSet`. */
export const MongoMemoryReplSetEvents = { stateChange: 'stateChange' } as const;
export type MongoMemoryReplSetEvents = (typeof MongoMemoryReplSetEvents)[keyof typeof MongoMemoryReplSetEvents];
