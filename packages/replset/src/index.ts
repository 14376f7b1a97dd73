export { DiskError, diskErrorOf } from '@replsim/storage';
export type {
  Answer,
  ClientEnd,
  Connection,
  ConnectionListener,
  DiskFaultSettings,
  MemberSpec,
  MemberStatus,
  NetworkSettings,
  PendingReply,
  ProcessListener,
  ReplicaSetApi,
  ReplSetOptions,
  RunRecord,
  StartOptions,
  TraceListener,
} from './api.ts';
export { defaultHost, MEMBER_NAME, MEMBER_NAME_RULE } from './member.ts';
export type { HostDisk, HostParts, MongodProcess } from './parts.ts';
export type { Recorded, RecordedInput } from './recorded.ts';
export { createHost, ReplSet } from './replSet.ts';
