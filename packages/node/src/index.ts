export type { StartupOptions } from './core.ts';
export { startupRefusal } from './diskFailure.ts';
export type { DiskFailure, MongodEffect, MongodEvent } from './events.ts';
export { partOf } from './heldParts.ts';
export { Mongod } from './mongod.ts';
export { startMongod } from './startup.ts';
