export { CommandError } from '@replsim/protocol';
export { DiskError, type ReplicaSetApi, ReplSet, type ReplSetOptions } from '@replsim/replset';
export { InvalidScenario, parseScenario, playScenario } from '@replsim/scenario';
export {
  type BrokenInvariant,
  DataGoneError,
  DbpathInUseError,
  DbpathMismatchError,
  InvariantBroken,
  NoPrimaryError,
  NoTtlPassError,
  PortTakenError,
  SetStoppedError,
  type StepDownOptions,
} from '@replsim/server';
export {
  type InstanceOpts,
  InvalidOptions,
  type MemberOptions,
  type ReplicaSetOptions,
  type ReplSetOpts,
} from './options.ts';
export { ScenarioFailed } from './playSteps.ts';
export {
  type Cleanup,
  type ClockFault,
  type DiskFault,
  type Duration,
  type Part,
  ReplicaSet,
  type StartRequest,
  type Target,
} from './replicaSet.ts';
