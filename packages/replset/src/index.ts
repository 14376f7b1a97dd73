export type {
  Answer,
  ClientEnd,
  DiskFaultSettings,
  MemberSpec,
  MemberStatus,
  NetworkSettings,
  PendingReply,
  ReplicaSetApi,
  ReplSetOptions,
  RunRecord,
  StartOptions,
  TraceListener,
} from './api.ts';
export type { HostDisk, HostParts, MongodProcess } from './parts.ts';
export { createHost, ReplSet } from './replSet.ts';
