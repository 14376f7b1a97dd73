export { CommandError, type ErrorCodeName, type HoldablePart as Part } from '@replsim/protocol';
export {
  type ClockFault,
  DiskError,
  type DiskFault,
  type ReplicaSetApi,
  ReplSet,
  type ReplSetOptions,
  type StartRequest,
  type Target,
} from '@replsim/replset';
export { InvalidScenario } from '@replsim/scenario';
export {
  type BrokenInvariant,
  DataGoneError,
  DbpathInUseError,
  DbpathMismatchError,
  InvariantBroken,
  type LostWrite,
  NoLedgerError,
  NoPrimaryError,
  NoTtlPassError,
  PortTakenError,
  type SetLedger,
  SetStoppedError,
  type StepDownOptions,
} from '@replsim/server';
export { FakeTimersError, type FakeTimersLibrary, type UsedFakeTimers } from './fakeTimers.ts';
export {
  type AutomaticAuth,
  type CreateUser,
  type InstanceOpts,
  InvalidOptions,
  type MemberOptions,
  type ReplicaSetOptions,
  type ReplSetOpts,
} from './options.ts';
export { ScenarioFailed } from './playSteps.ts';
export { type Cleanup, type Duration, type ProcessListener, ReplicaSet } from './replicaSet.ts';
export { parseScenario, playScenario } from './scenarios.ts';
