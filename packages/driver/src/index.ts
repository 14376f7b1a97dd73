export { Driver } from './driver.ts';
export { DEFAULT_DRIVER_OPTIONS, type DriverOptions, MIN_HEARTBEAT_FREQUENCY_MS } from './driverOptions.ts';
export { type Attempt, type Operation, type Outcome, performOperation } from './operation.ts';
export {
  IDLE_WRITE_PERIOD_SECONDS,
  READ_PREFERENCE_MODES,
  type ReadPreference,
  type ReadPreferenceMode,
  SMALLEST_MAX_STALENESS_SECONDS,
  type TagSet,
} from './readPreference.ts';
export { headBytes, headOf } from './replyHead.ts';
export { shouldRetry } from './retry.ts';
export { describeServer } from './serverDescription.ts';
export { DEFAULT_SELECTION, suitableServers } from './serverSelection.ts';
export {
  ClientSession,
  type ClientTransaction,
  ClusterClock,
  commitAgainConcern,
  isAcknowledged,
  type TransactionOptions,
  timesOf,
} from './session.ts';
export { seedTopology, type TopologyDescription, updateTopology } from './topology.ts';
export { type Statement, type TransactionEnd, withTransaction } from './transaction.ts';
export { runWaiting, type Waiting, waitFor } from './waiting.ts';
