export { DiskError, diskErrorOf } from '@replsim/storage';
export type {
  AccessSettings,
  ActingUser,
  Answer,
  ClientEnd,
  Connection,
  ConnectionListener,
  DiskFaultSettings,
  Latency,
  MemberSpec,
  MemberStatus,
  NetworkSettings,
  PendingReply,
  ProcessListener,
  ReplSetOptions,
  StartOptions,
  TraceListener,
} from './api.ts';
export { barredOf, barredText } from './barred.ts';
export { begins } from './clientFaults.ts';
export { ClockOutOfRange, isOnClock, wholeMilliseconds } from './clockRange.ts';
export type { ClientsFault } from './faults/clients.ts';
export {
  compatibilityCommand,
  type FaultDoor,
  type FaultPath,
  type FaultSender,
  isWanted,
  type Wanted,
} from './faults/fault.ts';
export type { PartOf, PartsOf } from './faults/heldParts.ts';
export { issuesOf, type PlainIssue, plainIssues } from './faults/issues.ts';
export type { ClockFault, DiskFault } from './faults/machine.ts';
export { checkLatency, type LinkChange } from './faults/network.ts';
export { type StartRequest, startShape } from './faults/processes.ts';
export type { CpuFault } from './faults/processor.ts';
export {
  chance,
  document,
  drift,
  duration,
  either,
  flag,
  key,
  keyFile,
  milliseconds,
  networkShape,
  strict,
  target,
  targetOr,
  text,
} from './faults/shapes.ts';
export {
  absent,
  actionsOf,
  FAULT_GROUPS,
  FAULT_KINDS,
  FAULTS,
  type FaultAction,
  type FaultInputs,
  type FaultKind,
  type FaultTurn,
  faultShapes,
  isAction,
  isFault,
  needsPrimary,
  saidOf,
} from './faults/table.ts';
export { asWord, isNobody, membersMeant, type Roster, TARGET_WORDS, type Target, wordsOf } from './faults/targets.ts';
export { defaultHost, MEMBER_NAME, MEMBER_NAME_RULE } from './member.ts';
export { keptRefusals, type Moment, parameterRefusal } from './parameterRefusal.ts';
export type { HostDisk, HostParts, MongodProcess } from './parts.ts';
export { TimeIsUp } from './passage.ts';
export type { Recorded, RecordedInput } from './recorded.ts';
export type { ReplicaSetApi, RunRecord } from './replicaSetApi.ts';
export { createHost, ReplSet } from './replSet.ts';
export { unsettled } from './settled.ts';
export { DEFAULT_OPLOG_SIZE_MB } from './startup.ts';
export { DEFAULT_EPOCH_MS } from './world.ts';
