// Names and values of mongodb-memory-server 11, whose enums these objects stand for.

export const MongoMemoryServerStates = {
  new: 'new',
  starting: 'starting',
  running: 'running',
  stopped: 'stopped',
} as const;
export type MongoMemoryServerStates = (typeof MongoMemoryServerStates)[keyof typeof MongoMemoryServerStates];

export const MongoMemoryServerEvents = { stateChange: 'stateChange' } as const;
export type MongoMemoryServerEvents = (typeof MongoMemoryServerEvents)[keyof typeof MongoMemoryServerEvents];

export const MongoMemoryReplSetStates = { init: 'init', running: 'running', stopped: 'stopped' } as const;
export type MongoMemoryReplSetStates = (typeof MongoMemoryReplSetStates)[keyof typeof MongoMemoryReplSetStates];

export const MongoMemoryReplSetEvents = { stateChange: 'stateChange' } as const;
export type MongoMemoryReplSetEvents = (typeof MongoMemoryReplSetEvents)[keyof typeof MongoMemoryReplSetEvents];
