// The types for `require('replsim')`. Every type comes from the ES module's; a value is declared here once more, as a type-only
// export leaves it out, and a class is both.
import type * as api from '../dist/index.js' with { 'resolution-mode': 'import' };

export type * from '../dist/index.js' with { 'resolution-mode': 'import' };

export declare const CommandError: typeof api.CommandError;
export type CommandError = api.CommandError;
export declare const DataGoneError: typeof api.DataGoneError;
export type DataGoneError = api.DataGoneError;
export declare const DbpathInUseError: typeof api.DbpathInUseError;
export type DbpathInUseError = api.DbpathInUseError;
export declare const DbpathMismatchError: typeof api.DbpathMismatchError;
export type DbpathMismatchError = api.DbpathMismatchError;
export declare const DiskError: typeof api.DiskError;
export type DiskError = api.DiskError;
export declare const InvalidOptions: typeof api.InvalidOptions;
export type InvalidOptions = api.InvalidOptions;
export declare const InvalidScenario: typeof api.InvalidScenario;
export type InvalidScenario = api.InvalidScenario;
export declare const InvariantBroken: typeof api.InvariantBroken;
export type InvariantBroken = api.InvariantBroken;
export declare const NoPrimaryError: typeof api.NoPrimaryError;
export type NoPrimaryError = api.NoPrimaryError;
export declare const NoTtlPassError: typeof api.NoTtlPassError;
export type NoTtlPassError = api.NoTtlPassError;
export declare const parseScenario: typeof api.parseScenario;
export declare const playScenario: typeof api.playScenario;
export declare const PortTakenError: typeof api.PortTakenError;
export type PortTakenError = api.PortTakenError;
export declare const ReplicaSet: typeof api.ReplicaSet;
export type ReplicaSet = api.ReplicaSet;
export declare const ReplSet: typeof api.ReplSet;
export type ReplSet = api.ReplSet;
export declare const ScenarioFailed: typeof api.ScenarioFailed;
export type ScenarioFailed = api.ScenarioFailed;
export declare const SetStoppedError: typeof api.SetStoppedError;
export type SetStoppedError = api.SetStoppedError;
