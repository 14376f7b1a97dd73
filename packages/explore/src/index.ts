export { type Coverage, coverageRows, NO_COVERAGE, plus } from './search/coverage.ts';
export { everywhere, type FaultText, faultTextOf } from './search/everywhere.ts';
export { type Explored, type ExploreOptions, explore, type Finding, type Progress } from './search/explore.ts';
export { ExploreError } from './search/exploreError.ts';
export type { Failure } from './search/failure.ts';
export { DRAWN_KINDS } from './search/swarm.ts';
export { type Trial, type TrialInput, tryOut } from './search/trial.ts';
export { type Shrunk, shrink } from './shrink/shrink.ts';
