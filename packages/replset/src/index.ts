export type {
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
