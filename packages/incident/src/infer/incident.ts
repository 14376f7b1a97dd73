import type { MongodVersion } from '@replsim/protocol';
import type { Course } from '../course.ts';
import type { Load } from './load.ts';
import type { Deed } from './timeline.ts';

/** A member as a scenario lists it. */
export interface IncidentMember {
  readonly name: string;
  readonly host: string;
  readonly [field: string]: unknown;
}

/** What happened, as far as it could be inferred. */
export interface Incident {
  readonly name: string;
  /** Of the run that is most like the incident, where one was looked for. */
  readonly seed?: number;
  readonly version: MongodVersion;
  readonly setName: string;
  readonly members: readonly IncidentMember[];
  readonly spares: readonly IncidentMember[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly writeConcernMajorityJournalDefault: boolean;
  /** Time zero, and how long it lasts; undefined where no log says when anything happened. Unit: ms. */
  readonly time: { readonly epochMs: number; readonly lengthMs: number } | undefined;
  readonly faults: readonly Deed[];
  /** Commands and checks, in the order of time. */
  readonly steps: readonly Deed[];
  readonly loads: readonly Load[];
  /** What the logs show of who led, to compare a run with; undefined where there is no log. */
  readonly course: Course | undefined;
  /** What could not be inferred, what was left out, and what is worth knowing. */
  readonly notes: readonly string[];
}
