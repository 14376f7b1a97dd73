export { type Coverage, coverageRows, NO_COVERAGE, plus } from './coverage.ts';
export { everywhere, type FaultText, faultTextOf } from './everywhere.ts';
export { type Explored, type ExploreOptions, explore, type Finding, type Progress } from './explore.ts';
export { ExploreError } from './exploreError.ts';
export type { Failure } from './failure.ts';
export { type Shrunk, shrink } from './shrink.ts';
export { DRAWN_KINDS } from './swarm.ts';
export { type Trial, type TrialInput, tryOut } from './trial.ts';
