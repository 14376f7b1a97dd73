export type { StartupOptions } from './core/core.ts';
export { startupRefusal } from './core/diskFailure.ts';
export type { DiskFailure, MongodEffect, MongodEvent, SetTimer } from './core/events.ts';
export { partOf } from './core/heldParts.ts';
export { Mongod } from './mongod.ts';
export { startMongod } from './startup.ts';
