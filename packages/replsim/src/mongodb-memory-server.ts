export { DryMongoBinary, MongoBinary } from './mongodbMemoryServer/binaries.ts';
export * as errors from './mongodbMemoryServer/errors.ts';
export type {
  AutomaticAuth,
  BinaryOpts as MongoBinaryOpts,
  Cleanup,
  DisposeOptions,
  MemoryServerInstanceOpts,
  MongoMemoryInstanceOpts,
  MongoMemoryReplSetConfigSettings,
  MongoMemoryReplSetOpts,
  MongoMemoryServerOpts,
  ReplicaMemberConfig,
  ReplSetOpts,
  StorageEngine,
} from './mongodbMemoryServer/memoryOptions.ts';
export { MongoMemoryReplSet } from './mongodbMemoryServer/memoryReplSet.ts';
export { MongoMemoryServer, MongoMemoryServer as default } from './mongodbMemoryServer/memoryServer.ts';
export { MongoInstance, type MongoInstanceData } from './mongodbMemoryServer/mongoInstance.ts';
export {
  MongoMemoryReplSetEvents,
  MongoMemoryReplSetStates,
  MongoMemoryServerEvents,
  MongoMemoryServerStates,
} from './mongodbMemoryServer/states.ts';
