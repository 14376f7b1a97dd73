export type { StartupOptions } from './core.ts';
export type { MongodEffect, MongodEvent, Now } from './events.ts';
export { partOf } from './heldParts.ts';
export { Mongod } from './mongod.ts';
export { startMongod } from './startup.ts';
